import TestSupport
import Testing

@testable import BatchScoring
@testable import ScoreReport

/// Nothing that a transcript says becomes an element, an attribute or a control character.
@Suite(.slow)
struct HostileTextTests {
  static let fragments = [
    "<script>alert(1)</script>", "</p></li></ol>", "\"onmouseover=\"alert(1)", "' style='x",
    "</mark>",
    "<img src=x onerror=alert(1)>", "</title></svg><script>", "<!--", "-->", "]]>", "&lt;b&gt;",
    "&amp",
    "</style>", "<svg/onload=alert(1)>", "\u{0}", "\u{1B}[31m", "\u{202E}evil", "\u{FEFF}", "\r\n",
    "\r",
    "\u{85}", "\u{2028}", "a\u{301}", "👨‍👩‍👧", "مرحبا", "javascript:alert(1)", "\\u003cscript\\u003e",
    "<",
    ">", "&", "\"", "'", "`", "=", "{{x}}", "plain words",
  ]

  private func conversation(_ pieces: [String]) -> ReportConversation {
    var conversation = ReportConversation(id: pieces[0])
    let user = pieces[1] + " I run " + pieces[2]
    var message = ReportConversation.Message(turn: 1, text: user)
    let start = pieces[1].utf8.count
    message.evidence = [
      .init(facet: 0, start: start, end: user.utf8.count),
      .init(facet: 1, start: start, end: start + 7, until: 2),
    ]
    message.withdrawn = [3]
    conversation.messages = [.init(turn: 0, text: pieces[3]), message]
    conversation.turns = 1
    conversation.known = 3
    conversation.steps = [.init(turn: 1, overall: 1625)]
    return conversation
  }

  @Test func whatIsSaidNeverChangesThePagesElements() throws {
    var random = SeededGenerator(seed: 11)
    let plain = try PageReader(Samples.page([conversation(["a", "b", "c", "d"])]))
    for _ in 0..<Soak.rounds(80, soak: 3_000) {
      let pieces = (0..<4).map { _ in
        (0...Int.random(in: 0...3, using: &random)).map { _ in
          Self.fragments.randomElement(using: &random) ?? ""
        }.joined()
      }
      let page = try PageReader(Samples.page([conversation(pieces)]))
      #expect(page.elements == plain.elements, "\(pieces)")
    }
  }

  @Test(arguments: fragments)
  func wordsAreShownAsTheyWereSaid(fragment: String) throws {
    let shown = ("\(fragment)" as Markup).html
    let page = try PageReader("<!DOCTYPE html><p title=\"\(shown)\">\(shown)</p>")
    var unseen = fragment.replacing("\r\n", with: "\n")
    unseen.unicodeScalars.removeAll { [0x202E, 0xFEFF, 0x2028].contains($0.value) }
    for (control, drawn) in [("\u{0}", "␀"), ("\u{1B}", "␛"), ("\r", "␍"), ("\u{85}", "\u{FFFD}")] {
      unseen = unseen.replacing(control, with: drawn)
    }
    #expect(page.text == unseen)
    #expect(page.elements.first?.attributes["title"] == unseen)
  }

  @Test func everyTranscriptCaseMakesASoundPage() async throws {
    for hostile in try CaseFile("hostile-cases").cases
    where hostile["surface"]?.string == "transcript" {
      guard let input = hostile.input else { continue }
      try await check(Samples.page(input), hostile.name)
    }
  }

  @Test func everyTerminalCaseMakesASoundPage() async throws {
    for hostile in try CaseFile("hostile-cases").cases
    where hostile["surface"]?.string == "terminal" {
      guard let input = hostile.input else { continue }
      let text = String(decoding: input, as: UTF8.self)
      try await check(Samples.page(Samples.line(id: text, coach: text, user: text)), hostile.name)
    }
  }

  private func check(_ page: String, _ name: String) throws {
    let reader = try PageReader(page)
    #expect(Set(reader.elements.map(\.name)).isSubset(of: Self.elements), "\(name)")
    #expect(
      Set(reader.elements.flatMap(\.attributes.keys)).isSubset(of: Self.attributes), "\(name)")
    let links = reader.elements.compactMap { $0.attributes["href"] }
    #expect(links.allSatisfy { $0.hasPrefix("#c") && Int($0.dropFirst(2)) != nil }, "\(name)")
    #expect(!page.unicodeScalars.contains(where: Self.isForbidden), "\(name)")
  }

  private static let elements: Set<String> = [
    "html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2", "h3", "p", "dl",
    "dt",
    "dd", "div", "span", "b", "section", "figure", "figcaption", "svg", "text", "line", "rect", "g",
    "path", "polyline", "circle", "a", "details", "summary", "table", "caption", "thead", "tbody",
    "tr",
    "th", "td", "ul", "ol", "li", "mark", "em",
  ]

  private static let attributes: Set<String> = [
    "lang", "charset", "http-equiv", "content", "name", "class", "id", "style", "open", "dir",
    "role",
    "tabindex", "aria-label", "aria-hidden", "focusable", "href", "scope", "viewBox", "width",
    "height",
    "preserveAspectRatio", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "d", "points",
    "text-anchor",
  ]

  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: false
    case 0...0x1F, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x200B,
      0x2060...0x2064, 0x206A...0x206F, 0xFEFF, 0xAD, 0x180E, 0x2028...0x2029, 0xFFF9...0xFFFB,
      0xE0000...0xE0FFF:
      true
    default: false
    }
  }
}
