import OfflineScorer
import Synchronization

/// Scorers that are reused from chunk to chunk, one per running chunk, together with their memory
/// and what they learned about words and questions.
final class ScorerPool: Sendable {
  final class Place: @unchecked Sendable {  // Exclusive to the task that took it from the pool.
    var scorer: RecordScorer

    init(_ scorer: consuming RecordScorer) { self.scorer = scorer }
  }

  private let table: ScoreTable
  private let options: BatchOptions
  private let idle = Mutex<[Place]>([])

  init(table: ScoreTable, options: BatchOptions) {
    (self.table, self.options) = (table, options)
  }

  func score(_ chunk: Chunk, _ parts: ChunkParts) -> ScoredChunk {
    let place = idle.withLock { $0.popLast() } ?? newPlace()
    defer { idle.withLock { $0.append(place) } }
    return ScoredChunk(chunk, place, options: options, parts)
  }

  private func newPlace() -> Place {
    Place(RecordScorer(table: table, options: options))
  }
}
