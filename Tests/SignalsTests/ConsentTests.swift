import Intake
import Signals
import Testing

/// Answers to the program's own yes-or-no questions.
struct ConsentTests {
  private let consent: Consent

  init() throws { consent = try PromptPack.embedded().consent }

  @Test(arguments: [
    "yes", "Yes!", "y", "yep", "Go ahead.", "let's go", "yes please", "OK, thanks", "sí", "oui",
    "ja, klar", "sounds good", "Of course",
  ])
  func aPlainYesIsOne(reply: String) { #expect(consent.isYes(reply) == true) }

  @Test(arguments: [
    "no", "n", "Nope", "No thanks", "not now", "Maybe later", "skip", "I'd rather not",
    "no, gracias", "ahora no", "lieber nicht",
  ])
  func aPlainNoIsOne(reply: String) { #expect(consent.isYes(reply) == false) }

  @Test(arguments: [
    "yes?", "yes, but my knee hurts", "no pain at all", "yes and no", "I go on Mondays",
    "not now that I have kids", "right knee", "that will do nicely", "Correct. Proceed.", "", "!!!",
    "thanks", "please",
  ])
  func anythingElseIsNeither(reply: String) { #expect(consent.isYes(reply) == nil) }

  @Test(arguments: [
    "Stop using my health data", "Thanks. Please don't look at my health data any more",
    "ok, so forget my Apple Health", "I don't want you to read my health data",
  ])
  func consentIsTakenBackAtTheBeginningOfASentence(text: String) {
    #expect(consent.withdrawsHealth(text))
  }

  @Test(arguments: [
    "I told my wife to stop using my health data", "my health data says 4000 steps",
    "don't use my left arm",
  ])
  func otherWordsTakeNothingBack(text: String) { #expect(!consent.withdrawsHealth(text)) }
}
