import Dispatch
import LanguageModels
import Synchronization
import Testing

@testable import Intake

/// Where an answer is read.
struct ReadingExecutorTests {
  private final class CountingExecutor: TaskExecutor {
    let jobs = Atomic(0)

    func enqueue(_ job: consuming ExecutorJob) {
      jobs.add(1, ordering: .relaxed)
      UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  private struct Model: LanguageModel {
    let readingExecutor: (any TaskExecutor)?
    var identity: ModelIdentity { ModelIdentity(provider: "Test", model: "m") }

    func reply(to request: ModelRequest) -> ModelReply {
      ModelReply { Source() }
    }
  }

  private struct Source: ModelReplySource {
    var left = ["one ", "two"]

    mutating func next() async throws(ModelError) -> ModelEvent? {
      await Task.yield()
      return left.isEmpty ? nil : .delta(left.removeFirst())
    }
  }

  @Test func theModelsExecutorReadsEachPiece() async {
    let executor = CountingExecutor()
    let request = ModelRequest(purpose: .ask, system: "", messages: [])
    let answer = await Answer.collect(from: Model(readingExecutor: executor), request, { _ in })
    #expect(answer.text == "one two")
    // It begins there, and comes back there after each wait.
    #expect(executor.jobs.load(ordering: .relaxed) >= 3)
    let elsewhere = await Answer.collect(from: Model(readingExecutor: nil), request, { _ in })
    #expect(elsewhere.text == "one two")
  }

  private final class Queue: TaskExecutor {
    private static let key = DispatchSpecificKey<Bool>()
    private let queue = DispatchQueue(label: "reading")

    init() { queue.setSpecific(key: Self.key, value: true) }

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  @Test func whatIsDoneWithAnAnswerHoldsUpNoOthers() async {
    let request = ModelRequest(purpose: .ask, system: "", messages: [])
    let places = Mutex<[Bool]>([])
    _ = await Answer.collect(from: Model(readingExecutor: Queue()), request, { _ in }) { _ in
      places.withLock { $0.append(Queue.isCurrent) }
    }
    #expect(places.withLock(\.self) == [true, true])
    #expect(!Queue.isCurrent)
  }
}
