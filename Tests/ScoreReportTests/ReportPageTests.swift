import ContextQuality
import Testing

@testable import BatchScoring
@testable import ScoreReport

struct ReportPageTests {
  @Test func holdsEveryPlotAndEveryConversation() async throws {
    let page = try PageReader(await Samples.page(Samples.labelled(6)))
    let names = page.elements.filter { $0.attributes["role"] == "img" }
      .compactMap { $0.attributes["aria-label"]?.split(separator: ":").first.map(String.init) }
    #expect(
      names.prefix(3) == [
        "Distribution of the overall score", "Share ready by turn", "Facets most often missing",
      ])
    #expect(names.count { $0 == "Overall score by turn" } == 6)
    #expect(page.count("svg", class: "cells") == 1)
    #expect(page.count("details", class: "talk") == 6)
  }

  @Test func loadsNothingAndRunsNothing() async throws {
    let text = try await Samples.page(Samples.labelled(3))
    let page = try PageReader(text)
    let policy = page.elements.first { $0.attributes["http-equiv"] == "Content-Security-Policy" }
    #expect(policy?.attributes["content"] == "default-src 'none'; style-src 'unsafe-inline'")
    #expect(page.count("script") + page.count("link") + page.count("img") == 0)
    #expect(!text.contains("url(") && !text.contains("@import") && !text.contains("://"))
  }

  @Test func markedWordsNameTheirFacetAndCanBeReachedByKeyboard() async throws {
    let line = try Samples.line(
      id: "a", coach: "What would you like to change?", user: "I want to lose 20 pounds by June.")
    let page = try PageReader(await Samples.page(line))
    let marks = page.elements.filter { $0.name == "mark" }
    #expect(!marks.isEmpty)
    #expect(
      marks.allSatisfy { $0.attributes["tabindex"] == "0" && $0.attributes["role"] == "note" })
    #expect(
      marks.contains { $0.attributes["aria-label"]?.contains("what you want to achieve") == true })
    let marked = page.texts.filter { $0.path.last == "mark" }.map(\.text).joined(separator: " ")
    #expect(marked.contains("lose 20 pounds"))
  }

  @Test func evidenceThatWasTakenBackSaysWhen() throws {
    var conversation = ReportConversation(id: "a")
    var message = ReportConversation.Message(turn: 1, text: "by June I hope")
    message.evidence = [.init(facet: 2, start: 0, end: 7, until: 3)]
    conversation.messages = [message]
    conversation.turns = 3
    let page = try PageReader(Samples.page([conversation]))
    let mark = try #require(page.elements.first { $0.name == "mark" })
    #expect(mark.attributes["class"] == "gone")
    #expect(mark.attributes["aria-label"] == "by when (withdrawn in turn 3)")
  }

  @Test func overlappingEvidenceIsMarkedPieceByPiece() throws {
    var conversation = ReportConversation(id: "a")
    var message = ReportConversation.Message(turn: 1, text: "abcdéf")
    // The second begins in the middle of a character, and ends beyond the text.
    message.evidence = [.init(facet: 0, start: 1, end: 3), .init(facet: 2, start: 5, end: 99)]
    message.evidence.append(.init(facet: 1, start: 2, end: 4))
    conversation.messages = [message]
    conversation.turns = 1
    let page = try PageReader(Samples.page([conversation]))
    #expect(page.texts.filter { $0.path.last == "mark" }.map(\.text) == ["b", "c", "d", "éf"])
    #expect(
      page.elements.filter { $0.name == "mark" }.compactMap { $0.attributes["aria-label"] } == [
        "what you want to achieve", "what you want to achieve · how you'll know you got there",
        "how you'll know you got there", "by when",
      ])
  }

  @Test func aConversationReadyByAHairDoesNotLookLikeOneThatIsNot() {
    #expect(ShownFigure.score(7975) != ShownFigure.score(8025))
    #expect(ShownFigure.score(7999) == "0.799" && ShownFigure.score(2225) == "0.222")
  }

  @Test func nothingToShowIsSaid() async throws {
    let page = try PageReader(await Samples.page([]))
    #expect(page.text.contains("No conversations."))
    #expect(page.count("details") == 0)
    let broken = try PageReader(await Samples.page(Array("{oops\n".utf8)))
    #expect(broken.text.contains("1 line could not be scored and is not included."))
  }

  @Test func linesThatCouldNotBeScoredAreCounted() async throws {
    let input = try Samples.labelled(2) + Array("{oops\n[]\n".utf8)
    let text = try PageReader(await Samples.page(input)).text
    #expect(text.contains("2 lines could not be scored and are not included."))
  }

  @Test func aLongConversationIsCutAndSaysSo() async throws {
    let turns = (1...1000).map { "{\"role\":\"user\",\"text\":\"hello \($0)\"}" }
    let input = "{\"id\":\"a\",\"turns\":[\(turns.joined(separator: ","))]}\n"
    let page = try PageReader(await Samples.page(Array(input.utf8)))
    #expect(page.count("li", class: "user") == 300)
    #expect(page.text.contains("700 messages more were scored but are not shown."))
    #expect(page.text.contains("1,000"))
  }

  @Test func aLongMessageIsCutBetweenCharacters() async throws {
    let long = try Samples.line(id: "a", coach: "", user: String(repeating: "€", count: 10_000))
    let page = try PageReader(await Samples.page(long))
    #expect(page.text.contains("[17,712 bytes more were scored but are not shown]"))
    #expect(!page.text.contains("\u{FFFD}"))
  }
}
