import BatchScoring
import ContextQuality
import Intake
import Testing

@testable import ModelScoring

/// What the bar of a model's run shows: what is done, not what is read.
struct BatchProgressTests {
  private struct Shown: BatchSink {
    var bytes = 0

    mutating func write(_ records: UnsafeRawBufferPointer) {}
    mutating func report(_ problem: LineProblem) {}
    mutating func progress(_ progress: BatchProgress) { bytes = progress.bytesRead }
  }

  @Test func onlyWhatIsWrittenCounts() throws {
    let pack = try PromptPack.embedded()
    var progress = ModelBatchProgress(
      Shown(), BatchOptions(), pack.rubric, FinishedRecords(), 300, scorer: "a model")
    func put(_ number: Int) throws {
      let problem = LineProblem(file: "f", line: number, reason: "no", isWarning: false)
      try progress.put(.problem(problem, id: "\(number)"), number)
      progress.show()
    }
    let numbers = [100, 200].map { progress.begin(upTo: $0) }
    try put(numbers[1])
    #expect(progress.sink.bytes == 0)
    try put(numbers[0])
    #expect(progress.sink.bytes == 200)
    progress.endFile(200)
    try put(progress.begin(upTo: 50))
    #expect(progress.sink.bytes == 250)
  }
}
