/// Removes from text to show what must not be in it: keys, control characters, excess.
package struct SecretMask: Sendable {
  static let placeholder = "[key]"
  static let characterLimit = 1_000

  /// The configured keys.
  let secrets: [String]

  package init(_ secrets: [Secret?]) {
    self.secrets = secrets.compactMap { $0?.revealed }.filter { $0.utf8.count >= 4 }
  }

  package func mask(_ text: String) -> String { mask(text, limit: Self.characterLimit) }

  package func mask(_ text: String, limit: Int) -> String {
    var masked = text
    for secret in secrets { masked = masked.replacing(secret, with: Self.placeholder) }
    masked = Self.withoutControls(masked)
    masked = masked.split(separator: " ", omittingEmptySubsequences: false)
      .map { Self.maskKeyShapes(in: String($0)) }.joined(separator: " ")
    masked = Self.maskBearers(in: masked)
    guard masked.count > limit else { return masked }
    return masked.prefix(limit) + "…"
  }

  private static func withoutControls(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: result += " "
      case .format: break
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Prefixes of the keys that providers give out.
  private static let prefixes = [
    "sk-", "sk_", "pk-", "gsk_", "AIza", "xai-", "hf_", "AKIA", "ghp_", "key-",
  ]

  /// Masks runs of key characters that begin like a key and are long enough to be one.
  private static func maskKeyShapes(in word: String) -> String {
    guard mayHoldKey(word) else { return word }
    var result = ""
    var run = ""
    func flush() {
      let isKey = run.utf8.count >= 8 && prefixes.contains { run.hasPrefix($0) }
      result += isKey ? placeholder : run
      run = ""
    }
    for character in word {
      if character.isASCII, character.isLetter || character.isNumber || "-_*.".contains(character) {
        run.append(character)
      } else {
        flush()
        result.append(character)
      }
    }
    flush()
    return result
  }

  /// Whether a prefix begins at any of its bytes.
  private static func mayHoldKey(_ word: String) -> Bool {
    let bytes = Array(word.utf8)
    return bytes.indices.contains { start in
      prefixBytes.contains { bytes[start...].starts(with: $0) }
    }
  }

  private static let prefixBytes = prefixes.map { Array($0.utf8) }

  private static func maskBearers(in text: String) -> String {
    var words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    for index in words.indices.dropFirst() {
      let before = words[index - 1].lowercased()
      guard before.hasSuffix("bearer") || before.hasSuffix("x-api-key:") else { continue }
      guard words[index].utf8.count >= 6 else { continue }
      words[index] = placeholder
    }
    return words.joined(separator: " ")
  }
}
