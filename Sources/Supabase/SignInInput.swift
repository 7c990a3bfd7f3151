import LanguageModels

/// An email address that is worth sending to a server.
///
/// The check is as lenient as browsers' (HTML's `type=email`) and asks for a dot in the domain. Only a
/// code that arrives proves more.
public struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
  public let text: String

  public var description: String { text }

  /// Removes spaces around the address. Nil if it cannot be one.
  public init?(_ typed: String) {
    let text = String(
      typed.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard text.utf8.count <= 254, parts.count == 2, (1...64).contains(parts[0].utf8.count),
      parts[0].utf8.allSatisfy(Self.isLocal)
    else { return nil }
    let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count > 1, labels.allSatisfy(Self.isLabel) else { return nil }
    self.text = text
  }

  private static func isLocal(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || ".!#$%&'*+/=?^_`{|}~-".utf8.contains(byte)
  }

  private static func isLabel(_ label: Substring) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return (1...63).contains(label.utf8.count) && label.utf8.first != hyphen
      && label.utf8.last != hyphen
      && label.utf8.allSatisfy { isAlphanumeric($0) || $0 == hyphen }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}

/// The digits from the email. A project chooses how many they are.
public struct OneTimeCode: Hashable, Sendable {
  public static let lengths = 6...10

  public let digits: String

  /// Ignores spaces, dashes and the sentence around it, as in `Code: 123 456`, and takes the digits of any
  /// script. Nil unless there is one number of six to ten digits.
  public init?(_ typed: String) {
    guard let digits = CodeText.digits(in: typed, lengths: Self.lengths) else { return nil }
    self.digits = digits
  }
}
