/// Hides replies that start like JSON, such as when a weak model echoes the profile, and passes
/// replies in words.
///
/// Words pass at once. It holds text only while all of it could still start JSON: one brace, a
/// bracket, or a code fence.
struct ReplyGate {
  enum Verdict { case words, json, undecided }

  private(set) var verdict = Verdict.undecided
  private var held = ""

  /// No reply in words starts with more undecided bytes than this.
  private static let mostHeld = 2_000

  /// - Returns: What can be shown now; empty while it's undecided, and for JSON.
  mutating func pass(_ piece: String) -> String {
    if verdict == .words { return piece }
    guard verdict == .undecided else { return "" }
    held += piece
    verdict = Self.verdict(on: held)
    // Each piece is read together with all earlier ones.
    if verdict == .undecided, held.utf8.count > Self.mostHeld { verdict = .json }
    return verdict == .words ? held : ""
  }

  /// For a complete reply. A lone brace or fence counts as JSON too.
  var isJSON: Bool {
    switch verdict {
    case .words: false
    case .json: true
    case .undecided: held.contains { !$0.isWhitespace }
    }
  }

  private static func verdict(on text: String) -> Verdict {
    let text = text.drop(while: \.isWhitespace)
    switch text.first {
    case nil: return .undecided
    case "{"?: return afterOpening(text.dropFirst(), ["\"", "'", "}"])
    case "["?: return afterOpening(text.dropFirst(), ["\"", "{", "[", "]"])
    case "`"?: return fenced(text)
    default: return .words
    }
  }

  private static func afterOpening(_ rest: Substring, _ json: Set<Character>) -> Verdict {
    guard let next = rest.first(where: { !$0.isWhitespace }) else { return .undecided }
    return json.contains(next) ? .json : .words
  }

  private static func fenced(_ text: Substring) -> Verdict {
    let marks = text.prefix { $0 == "`" }.count
    guard marks >= 3 else { return marks == text.count ? .undecided : .words }
    guard let end = text.firstIndex(where: \.isNewline) else {
      return text.count > 30 ? .words : .undecided
    }
    if text[..<end].dropFirst(marks).lowercased().contains("json") { return .json }
    let inside = verdict(on: String(text[end...]))
    return inside == .words ? .words : inside
  }
}
