import Intake
import Signals
import Testing

struct ReplyIntentTests {
  private let lexicon: IntentLexicon

  init() throws { lexicon = try PromptPack.embedded().intents }

  @Test(arguments: [
    "yes", "Yes!", "yesss", "yep", "go", "Go ahead.", "let's go", "Let\u{2019}s do it!",
    "ok let's go", "Perfect! Let's do it.", "yes please", "sounds good to me", "that's me",
    "Yes, that's right.", "yeah go for it", "I'm ready", "looks good, thanks", "sí", "oui",
    "ja, genau", "👍", "yes that's it", "yep looks right, sounds good to me",
  ])
  func aYesGoesAhead(text: String) { #expect(lexicon.intent(of: text) == .goAhead) }

  @Test(arguments: [
    "keep talking", "let's keep talking", "no, not yet", "wait", "ask me more", "Hold on.",
    "I want to tell you more",
  ])
  func moreToSayKeepsTalking(text: String) { #expect(lexicon.intent(of: text) == .keepTalking) }

  @Test(arguments: [
    "skip", "Skip this one please", "I'd rather not say", "prefer not to say",
    "none of your business", "next question", "that's private", "no comment", "pass on that",
  ])
  func aRefusalDeclines(text: String) { #expect(lexicon.intent(of: text) == .declineToAnswer) }

  @Test(arguments: [
    "idk", "IDK lol", "i don't know", "dunno", "not sure tbh", "no idea", "hmmmm", "Good question.",
    "ni idea", "keine Ahnung", "i dont really know", "beats me",
  ])
  func aShrugTellsNothing(text: String) { #expect(lexicon.intent(of: text) == .nonAnswer) }

  @Test(arguments: [
    "not now", "Not right now, thanks", "maybe later", "another time", "not today",
    "I'll think about it", "let me sleep on it", "Sorry, gotta go. Ask me later!",
  ])
  func anotherTimeIsNotNow(text: String) { #expect(lexicon.intent(of: text) == .notNow) }

  @Test(arguments: [
    "yes, but my knee hurts", "go running with my dog", "I skip breakfast", "skip rope every day",
    "I don't know how to squat", "not now that I have kids", "yes?", "ok so what does it cost?",
    "let's go slower on the legs", "no, my goal is a 5k", "later in the evening works best",
    "perfect is the enemy of good", "start with mornings", "I go on Mondays", "wait until June",
    "right knee", "yes no maybe", "no that's right", "great shape", "go go go to the gym", "",
    "   ", "!!!",
  ])
  func anythingWithContentIsAnAnswer(text: String) { #expect(lexicon.intent(of: text) == .other) }
}
