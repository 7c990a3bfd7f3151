/// The words of a reply as they arrive: without blank lines around them, up to where JSON begins, or
/// to where the reply should have ended.
struct ReplyWords {
  private var gate = ReplyGate()
  private var blanks = OuterBlanks()
  private var limit: ReplyLimit

  /// - Parameter asked: The words that were asked for.
  init(asked: Int) { limit = ReplyLimit(asked: asked) }

  /// The words that have passed.
  var passed: String { limit.passed }

  /// Whether nothing more passes.
  var isOver: Bool { limit.isReached }

  /// Whether the reply had to be ended, and no whole sentence was there to end it with.
  var isEndless: Bool { limit.isReached && limit.isUnfinished }

  /// Whether the reply holds JSON. An undecided one does once it is finished.
  var isJSON: Bool { gate.isJSON }

  /// - Returns: What can be shown now.
  mutating func pass(_ piece: String) -> String {
    limit.pass(blanks.pass(gate.pass(piece)))
  }

  /// Ends the reply.
  ///
  /// - Returns: The rest of its words.
  mutating func finish() -> String {
    limit.pass(blanks.pass(gate.finish())) + limit.finish()
  }
}
