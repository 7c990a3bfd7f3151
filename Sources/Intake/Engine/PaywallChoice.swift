/// The two answers to the paywall, in English. Only these words or numbers count, in any case.
public enum PaywallChoice: Hashable, Sendable {
  case `continue`, notNow

  private static let words: [String: PaywallChoice] = [
    "1": .continue, "continue": .continue, "continue my coaching journey": .continue,
    "[continue my coaching journey]": .continue, "2": .notNow, "not now": .notNow,
    "notnow": .notNow, "[not now]": .notNow,
  ]

  public init?(_ line: String) {
    guard let choice = Self.words[Self.normalized(line)] else { return nil }
    self = choice
  }

  /// Whether the line looks like a slip in choosing rather than a message: another digit, a single
  /// character, or a choice with a letter or two wrong.
  ///
  /// - Parameter labels: What the choices are called to the user.
  static func isSlip(_ line: String, labels: [String]) -> Bool {
    let line = normalized(line)
    guard PaywallChoice(line) == nil, !line.isEmpty else { return false }
    if line.count == 1 || line.allSatisfy({ $0.isNumber || $0.isPunctuation }) { return true }
    return (words.keys + labels.map(normalized)).contains {
      $0.count > 4 && distance($0, line) <= 2
    }
  }

  private static func normalized(_ line: String) -> String {
    line.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// How many characters to add, remove or replace.
  private static func distance(_ left: String, _ right: String) -> Int {
    guard abs(left.count - right.count) <= 2 else { return 3 }
    var row = Array(0...right.count)
    for (index, character) in left.enumerated() {
      var (diagonal, before) = (row[0], index + 1)
      row[0] = before
      for (column, other) in right.enumerated() {
        let cost = min(row[column + 1] + 1, before + 1, diagonal + (character == other ? 0 : 1))
        (diagonal, row[column + 1], before) = (row[column + 1], cost, cost)
      }
    }
    return row[right.count]
  }
}
