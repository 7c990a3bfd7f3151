/// Which of the scored conversations are wanted.
public struct ScoreSelection: Hashable, Sendable {
  /// The most conversations, those with the highest overall scores; nil for all.
  public var top: Int?
  /// The lowest overall score, in ten-thousandths.
  public var leastOverall = 0
  /// How the conversation ended; nil for any way.
  public var state: ReadyState?

  public init() {}

  public var isEverything: Bool { self == ScoreSelection() }

  /// Apart from ``top``.
  package func accepts(points: Int, state other: ReadyState) -> Bool {
    points >= leastOverall && (state ?? other) == other
  }
}

/// Whether a conversation is ready for coaching.
public enum ReadyState: String, CaseIterable, Sendable {
  case ready
  case notReady = "not-ready"
  /// Too close to tell; only for a scorer that may abstain.
  case unsure
}

/// The elements with the highest scores, in constant memory; of equal ones, the earliest.
package struct BestScored<Element: Sendable>: Sendable {
  private struct Entry: Sendable {
    let points: Int
    let position: Int
    let element: Element

    func isWorse(than other: Entry) -> Bool {
      (points, other.position) < (other.points, position)
    }
  }

  package let limit: Int
  /// All elements so far, in memory or not.
  package private(set) var offered = 0
  /// Scores that can no longer enter.
  private var floor = -1
  /// A binary heap with the worst entry at its root.
  private var heap: [Entry] = []

  package init(limit: Int) { self.limit = max(1, limit) }

  package var count: Int { heap.count }

  /// Best first.
  package var sorted: [Element] { heap.sorted { $1.isWorse(than: $0) }.map(\.element) }

  /// An empty one for the elements that come next, which rejects what this one would reject.
  var successor: Self {
    var next = Self(limit: limit)
    next.floor = heap.count < limit ? -1 : heap[0].points
    return next
  }

  /// Counts an element, and keeps it if it is among the best so far.
  package mutating func offer(points: Int, _ element: () -> Element) {
    defer { offered += 1 }
    guard points > floor, heap.count < limit || points > heap[0].points else { return }
    insert(Entry(points: points, position: offered, element: element()))
  }

  /// Takes over what a ``successor`` collected.
  mutating func add(_ next: Self) {
    for entry in next.heap.sorted(by: { $0.position < $1.position })
    where heap.count < limit || entry.points > heap[0].points {
      insert(
        Entry(points: entry.points, position: offered + entry.position, element: entry.element))
    }
    offered += next.offered
  }

  private mutating func insert(_ entry: Entry) {
    guard heap.count >= limit else {
      heap.append(entry)
      var index = heap.count - 1
      while index > 0, heap[index].isWorse(than: heap[(index - 1) / 2]) {
        heap.swapAt(index, (index - 1) / 2)
        index = (index - 1) / 2
      }
      return
    }
    heap[0] = entry
    var index = 0
    while true {
      let children = (2 * index + 1...2 * index + 2).filter { $0 < heap.count }
      guard let worst = children.min(by: { heap[$0].isWorse(than: heap[$1]) }),
        heap[worst].isWorse(than: heap[index])
      else { return }
      heap.swapAt(index, worst)
      index = worst
    }
  }
}
