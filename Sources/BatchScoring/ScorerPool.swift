import ContextQuality
import OfflineScorer
import Synchronization

/// Scorers that go from chunk to chunk, one for each that is being scored: what they remember of
/// words and questions, and the memory they use, is used again.
final class ScorerPool: Sendable {
  final class Place: @unchecked Sendable {  // Whoever took it out of the pool has it alone.
    var scorer: RecordScorer

    init(_ scorer: consuming RecordScorer) { self.scorer = scorer }
  }

  private let table: ScoreTable
  private let options: BatchOptions
  private let idle = Mutex<[Place]>([])

  init(table: ScoreTable, options: BatchOptions) {
    (self.table, self.options) = (table, options)
  }

  func score(_ chunk: Chunk, report: ReportData?) -> ScoredChunk {
    let place = idle.withLock { $0.popLast() } ?? newPlace()
    defer { idle.withLock { $0.append(place) } }
    return ScoredChunk(chunk, place, options: options, report: report)
  }

  private func newPlace() -> Place {
    Place(
      RecordScorer(table: table, format: options.format, turnDetails: options.turnDetails))
  }
}
