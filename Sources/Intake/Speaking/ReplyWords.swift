/// The words of a reply as they arrive: without blank lines around them, up to where JSON begins.
struct ReplyWords {
  private var gate = ReplyGate()
  private var blanks = OuterBlanks()

  /// The words that have passed.
  private(set) var passed = ""

  /// Whether the reply holds JSON. An undecided one does once it's finished.
  var isJSON: Bool { gate.isJSON }

  /// - Returns: What can be shown now.
  mutating func pass(_ piece: String) -> String {
    keep(blanks.pass(gate.pass(piece)))
  }

  /// Ends the reply.
  ///
  /// - Returns: The rest of its words.
  mutating func finish() -> String {
    keep(blanks.pass(gate.finish()))
  }

  private mutating func keep(_ words: String) -> String {
    passed += words
    return words
  }
}
