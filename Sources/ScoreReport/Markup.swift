/// HTML under construction.
///
/// Text in the source is markup; interpolated values are text and get escaped, unless they are
/// `Markup`. A `String` has no other way onto a page, so nothing from outside can become an
/// element, an attribute or a script.
public struct Markup: Sendable, ExpressibleByStringInterpolation {
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var html = ""

    public init(literalCapacity: Int, interpolationCount: Int) {
      html.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    public mutating func appendLiteral(_ literal: String) { html += literal }
    public mutating func appendInterpolation(_ markup: Markup) { html += markup.html }
    public mutating func appendInterpolation(_ number: Int) { html += String(number) }
    public mutating func appendInterpolation(_ length: Length) { html += length.text }
    public mutating func appendInterpolation(_ text: some StringProtocol) {
      VisibleText.escape(text, into: &html)
    }
  }

  public private(set) var html: String

  public init(stringLiteral literal: String) { html = literal }
  public init(stringInterpolation: StringInterpolation) { html = stringInterpolation.html }

  public static let empty: Markup = ""

  public static func += (left: inout Markup, right: Markup) { left.html += right.html }
}

extension Sequence<Markup> {
  public func joined() -> Markup { reduce(into: .empty) { $0 += $1 } }
}

/// A number on a plot, with one decimal.
public struct Length: Hashable, Sendable {
  private let tenths: Int

  init(_ value: Double) { tenths = Int((value * 10).rounded()) }

  fileprivate var text: String {
    let whole = abs(tenths) / 10
    let rest = abs(tenths) % 10
    return (tenths < 0 ? "-" : "") + "\(whole)" + (rest == 0 ? "" : ".\(rest)")
  }
}

/// Text from outside, made safe for a page.
enum VisibleText {
  /// Escapes HTML markup, draws control characters as symbols, and removes invisible and
  /// direction-changing characters.
  static func escape(_ text: some StringProtocol, into html: inout String) {
    if text.utf8.allSatisfy(isPlain) {
      html += text
      return
    }
    var afterReturn = false
    for scalar in text.unicodeScalars {
      if afterReturn, scalar != "\n" { html += "\u{240D}" }
      afterReturn = scalar == "\r"
      if !afterReturn { escape(scalar, into: &html) }
    }
    if afterReturn { html += "\u{240D}" }
  }

  private static func escape(_ scalar: Unicode.Scalar, into html: inout String) {
    switch scalar {
    case "&": html += "&amp;"
    case "<": html += "&lt;"
    case ">": html += "&gt;"
    case "\"": html += "&quot;"
    case "'": html += "&#39;"
    default: if let shown = shown(scalar) { html.unicodeScalars.append(shown) }
    }
  }

  private static func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x09, 0x0A: scalar
    case 0x00...0x1F: Unicode.Scalar(0x2400 + scalar.value)
    case 0x7F: "\u{2421}"
    case 0x80...0x9F, 0xFDD0...0xFDEF: "\u{FFFD}"
    // U+200C and U+200D stay: Persian and emoji need them.
    case 0xAD, 0x61C, 0x180E, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
      0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
      nil
    case let value where value & 0xFFFE == 0xFFFE: "\u{FFFD}"
    default: scalar
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x22, 0x26, 0x27, 0x3C, 0x3E: false
    case 0x20...0x7E, 0x09, 0x0A: true
    default: false
    }
  }
}
