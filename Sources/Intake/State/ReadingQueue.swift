/// User turns that have not been read yet.
package struct ReadingQueue: Hashable, Sendable {
  /// A turn that answers the question about height and weight.
  var bodyAnswer: Int?
  private(set) var unscored: [Int] = []
  /// Turns that a scorer has read.
  private(set) var scored: Set<Int> = []
  /// The last turn that a synthesis must take into account.
  private(set) var lastContentTurn = 0
  /// Turns whose reading failed, to be retried with the next one.
  private(set) var missed: [Int] = []
  /// Turns that were already retried once.
  private var readAgain: Set<Int> = []
  /// Turns that only the program's own reader has read. They are read again until a model does.
  private var glanced: Set<Int> = []

  /// Nil if everything has been read.
  var nextStep: IntakeStep? {
    if let bodyAnswer { return .noteBody(turn: bodyAnswer) }
    return unscored.isEmpty ? nil : .score(turns: unscored)
  }

  /// Queues a turn for the scorer, with earlier turns that could not be read.
  mutating func take(_ turn: Int) {
    retryMissed()
    add(turn)
  }

  /// Queues a turn that a synthesis can ignore, unless its reading finds otherwise.
  mutating func readAlone(_ turn: Int) {
    retryMissed()
    if !unscored.contains(turn) { unscored.append(turn) }
  }

  private mutating func retryMissed() {
    unscored += missed
    readAgain.formUnion(missed)
    missed = []
  }

  private mutating func add(_ turn: Int) {
    unscored.append(turn)
    lastContentTurn = turn
  }

  /// A synthesis must take the turn into account.
  mutating func noteContent(_ turn: Int) { lastContentTurn = max(lastContentTurn, turn) }

  /// Drops the waiting turns without reading them.
  mutating func leaveUnread() { unscored = [] }

  mutating func hear(_ scoring: Scoring) {
    if scoring.reader != nil { glanced.formUnion(scoring.turns) }
    if scoring.failure == nil {
      glanced.subtract(scoring.turns)
    } else {
      let again = unscored.filter { scoring.turns.contains($0) && !readAgain.contains($0) }
      missed = glanced.union(missed + again).sorted()
    }
    unscored.removeAll { scoring.turns.contains($0) }
    scored.formUnion(scoring.readTurns)
  }

  mutating func hear(_ note: BodyNote, saysMore: Bool) {
    bodyAnswer = nil
    if saysMore { add(note.turn) }
  }
}
