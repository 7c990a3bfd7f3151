import LanguageModels
import Testing

struct ScriptedModelTests {
  @Test func answersByPurposeInOrderAndKeepsTheRequests() async {
    let model = ScriptedModel(answers: [
      .ask: [.text("One two", pieceLength: 3), .text("Three")], .score: [.text("{}")],
    ])
    let first = await ReplyOutcome(of: model.reply(to: .hello))
    #expect(first.deltas == ["One", " tw", "o"])
    #expect(await ReplyOutcome(of: model.reply(to: .hello)).text == "Three")
    #expect(model.requests == [.hello, .hello])
  }

  @Test func anUnscriptedRequestFailsLoudly() async {
    let model = ScriptedModel(answers: [:])
    let failure = await ReplyOutcome(of: model.reply(to: .hello)).failure
    #expect(failure?.kind == .badRequest)
    #expect(failure?.detail == "request 1, for ask, has no scripted answer")
  }

  @Test func canFailInTheMiddle() async {
    let cut = ModelError(.truncated, detail: "cut")
    let model = ScriptedModel { _ in .failure(cut, after: "Half") }
    let outcome = await ReplyOutcome(of: model.reply(to: .hello))
    #expect(outcome.text == "Half")
    #expect(outcome.failure == cut)
  }

  @Test func nothingIsAnsweredBeforeItIsIterated() {
    let model = ScriptedModel { _ in .text("x") }
    _ = model.reply(to: .hello)
    #expect(model.requests.isEmpty)
  }
}
