/// Opens in another browser, once, everything of somebody without an account. Anyone who holds it counts as them, so
/// the store keeps only its digest.
struct RecoveryCode: Sendable {
  /// Crockford's base 32: no letter looks like a figure.
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
  /// At 5 bits a character, nobody guesses it.
  private static let length = 16

  private let characters: String

  init() {
    characters = String((0..<Self.length).map { _ in Self.alphabet.randomElement() ?? "0" })
  }

  /// As somebody types it: in any case, with blanks or hyphens anywhere. Nil if it cannot be one.
  init?(_ text: String) {
    guard text.utf8.count <= 64 else { return nil }
    let likeness: [Character: Character] = ["O": "0", "I": "1", "L": "1"]
    let typed = text.uppercased().filter { !$0.isWhitespace && $0 != "-" }.map {
      likeness[$0] ?? $0
    }
    guard typed.count == Self.length, typed.allSatisfy(Self.alphabet.contains) else { return nil }
    characters = String(typed)
  }

  /// In groups of four: `K7QF-9M2X-03TB-WZ5H`.
  var text: String {
    var rest = characters[...]
    var groups: [Substring] = []
    while !rest.isEmpty {
      groups.append(rest.prefix(4))
      rest = rest.dropFirst(4)
    }
    return groups.joined(separator: "-")
  }

  var digest: String {
    Digest.sha256(Array("rapport recovery \(characters)".utf8)).hexadecimal
  }
}
