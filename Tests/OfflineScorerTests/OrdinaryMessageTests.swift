import EncoderScorer
import TestSupport
import Testing

@testable import ContextQuality
@testable import OfflineScorer

/// What people plainly say is read, by both scorers. A guard refuses the smallest piece.
struct OrdinaryMessageTests {
  struct Message: Sendable, CustomTestStringConvertible {
    var question: String
    var words: String
    /// Facets that it tells.
    var tells: Set<String> = []
    /// Facets that it tells the encoder. The fast scorer needs a plainer word for them.
    var tellsEncoder: Set<String> = []
    /// Facets that it only looks like.
    var lacks: Set<String> = []

    var testDescription: String { words }
  }

  static let messages = [
    Message(
      question: "When can you train?", words: "Wednesday through Sunday", tells: ["availability"],
      lacks: ["commitments"]),
    Message(
      question: "What do you like doing?",
      words: "I am quite fond of paddling, we keep a canoe in the shed", tells: ["activities"]),
    Message(
      question: "What is your goal?",
      words: "my neighbor swims every morning and she is down two stone",
      lacks: ["outcome", "target", "activity", "activities"]),
    Message(
      question: "What kinds of exercise do you like?",
      words: "I quite like rowing, there's an erg at work. hate group classes",
      tells: ["activities", "dislikes"]),
    Message(
      question: "When could you train?",
      words: "Tuesdays and Thursdays after 6 I suppose, evenings are best",
      tells: ["availability", "bestTime"], lacks: ["commitments"]),
    Message(
      question: "How confident are you, from 0 to 10?", words: "oh it's a 10",
      lacks: ["capacity", "target"]),
    Message(
      question: "What would you like to change?",
      words: "I'm 34 and I sit at a desk all day, want my back to stop hurting",
      tells: ["outcome", "physical", "body"]),
    Message(
      question: "What gets in the way?",
      words: "mostly I just forget, and when I remember I'm knackered",
      tells: ["barrier", "detail"]),
    Message(
      question: "What have you tried before?",
      words: "I did couch to 5k in 2022, finished it but then winter came",
      tells: ["tried", "lesson"]),
    Message(
      question: "How should I talk to you?",
      words: "be straight with me, one message a week is plenty", tells: ["tone", "cadence"]),
    Message(
      question: "When could you train?", words: "Monday to Saturday", tells: ["availability"],
      lacks: ["commitments"]),
    Message(
      question: "What are you hoping for?",
      words: "I guess I'd sort of like to lose a stone by summer", tells: ["outcome"],
      tellsEncoder: ["target", "timeframe"]),
    Message(
      question: "What would you like your goal to be for next week?",
      words: "8k steps, four days next week", tells: ["target"], lacks: ["activity"]),
    Message(
      question: "How many days could you train?", words: "I might be able to do three mornings",
      tells: ["availability"]),
    Message(
      question: "When in the week could you train, and how should I talk to you?",
      words: "tue and thu mornings, 30 minutes. dinner is usually drive-thru. be blunt",
      tells: ["availability", "bestTime", "eating", "tone"]),
    Message(
      question: "How will you fit that in?", words: "I can walk at lunch", lacks: ["capacity"]),
    Message(
      question: "Do you have any injuries or health conditions?",
      words: "Herniated disc lumbar. Mild asthma. Shoulder stiff, knee clicking.",
      tells: ["physical"]),
    Message(
      question: "How do you usually eat?",
      words: "Vegetarian diet mostly. Evening sugar cravings. Weekend wine habit.",
      tells: ["eating"]),
    Message(
      question: "Who supports you?",
      words: "Wife supportive, cooks healthy. Sister runs marathons. Friends gym regulars.",
      tells: ["people"]),
    Message(
      question: "What kind of exercise do you enjoy?",
      words: "Hiking mountains, trail running. Rock climbing indoors, bouldering mostly.",
      tells: ["activities"]),
    Message(
      question: "What would you like to change?",
      words: "Overall I'd like to lose 10 kg by June", tells: ["outcome", "target", "timeframe"]),
    Message(
      question: "What do you have to train with?", words: "dumbbells and a bike overall",
      tells: ["access"]),
    Message(
      question: "How should I talk to you?", words: "Treat me as an adult, no sugar coating",
      tells: ["tone"]),
    Message(
      question: "When could you train?", words: "Let's say Tuesdays and Thursdays after 6",
      tells: ["availability"]),
    Message(
      question: "When could you train?", words: "in theory Tuesday and Thursday evenings",
      tells: ["availability", "bestTime"]),
    Message(
      question: "What gets in the way?",
      words: "If only I had more time, the twins are two and I work nights", tells: ["barrier"]),
    Message(
      question: "What fills your days?", words: "my job is 60 hours a week \u{1F644}",
      tells: ["commitments"]),
    Message(
      question: "What are you training for?",
      words: "I passed the interview but I have to run 3 km in 15 min on 2 May",
      tells: ["outcome", "target", "timeframe"]),
    Message(
      question: "What can you do now?",
      words: "my sister runs 5k in 25 min, i can hardly believe it",
      lacks: ["capacity", "activity", "target"]),
    Message(
      question: "What would you like to change?",
      words: "My friend wants to lose 20 lb by June, i can help.",
      lacks: ["outcome", "target", "timeframe"]),
  ]

  @Test(arguments: Tier.allCases, messages)
  func anOrdinaryMessageIsRead(scorer: Tier, message: Message) throws {
    try check(message, by: scorer)
  }

  private func check(_ message: Message, by scorer: Tier) throws {
    let names = try read(message.question, message.words, by: scorer)
    #expect(names.isSuperset(of: message.tells), "\(names.sorted())")
    if scorer == .encoder {
      #expect(names.isSuperset(of: message.tellsEncoder), "\(names.sorted())")
    }
    #expect(names.isDisjoint(with: message.lacks), "\(names.sorted())")
  }

  @Test(
    arguments: [
      "got it", "ok thanks", "Okay", "Thanks!", "ok got it", "Thank you so much", "ok cool",
      "Got it, thanks", "ok cheers", "tysm", "Righto", "ok bye",
    ],
    [
      "What gets in the way?", "How many days could you train?", "Any injuries?",
      "Great. I'll check in on Friday.",
    ])
  func anAcknowledgementIsNoEvidence(words: String, question: String) throws {
    for scorer in Tier.allCases {
      let names = try read(question, words, by: scorer)
      #expect(names.isEmpty, "\(scorer): \(names.sorted())")
    }
  }

  @Test(
    arguments: [
      "pass", "idk", "No idea.", "not sure", "whatever", "rather not", "rather not say",
      "next question",
    ],
    ["What gets in the way?", "And sleep?", "How do you eat?", "How should I talk to you?"])
  func aNonAnswerIsNoEvidence(words: String, question: String) throws {
    for scorer in Tier.allCases {
      let names = try read(question, words, by: scorer)
      #expect(names.isEmpty, "\(scorer): \(names.sorted())")
    }
  }

  @Test(
    arguments: [
      "sounds good", "makes sense", "will do", "absolutely", "yes coach", "love it",
      "Sure, see you later",
    ],
    ["Great. I'll check in on Friday.", "See you next week!"])
  func afterWordsThatAskNothingAgreementIsNoEvidence(words: String, coach: String) throws {
    for scorer in Tier.allCases {
      let names = try read(coach, words, by: scorer)
      #expect(names.isEmpty, "\(scorer): \(names.sorted())")
    }
  }

  @Test(
    arguments: Tier.allCases,
    [
      "I take a pill and ignore the pain", "keep telling myself tomorrow and then forget it",
      "if work runs late I just cancel it", "in the end I always scratch it",
      "it's easy to forget the pool is there", "I ice it and scrap the next run",
      "I have to drop the kids at school", "I never forget the lunch",
    ])
  func aHabitTakesNothingBack(scorer: Tier, words: String) throws {
    let before = [
      "coach: What would you like, and does anything hurt?",
      "I want to lose two stone by June for my wedding. I have back pain, a slipped disc.",
      "coach: How do you manage?",
    ]
    let known = try ledger(before, by: scorer).names
    #expect(known.isSuperset(of: ["outcome", "target", "timeframe", "physical"]))
    #expect(try ledger(before + [words], by: scorer).names.isSuperset(of: known))
  }

  @Test(
    arguments: Tier.allCases,
    [
      "forget the 20 pounds", "Actually, scrap the 20 pounds", "sorry, you can drop the wedding",
      "I've changed my mind about the 20 pounds",
    ])
  func anOrderTakesTheGoalBack(scorer: Tier, words: String) throws {
    let before = [
      "coach: What would you like?", "I want to lose 20 pounds by June for my wedding",
      "coach: What gets in the way?",
    ]
    #expect(try ledger(before, by: scorer).names.contains("outcome"))
    #expect(try !ledger(before + [words], by: scorer).names.contains("outcome"))
  }

  @Test(arguments: Tier.allCases)
  func anInjuryIsTakenBackOnlyByName(scorer: Tier) throws {
    let before = ["coach: Does anything hurt?", "my knee is bad", "coach: Since when?"]
    #expect(try ledger(before + ["never mind"], by: scorer).names.contains("physical"))
  }

  private func read(_ question: String, _ words: String, by scorer: Tier) throws -> Set<String> {
    try ledger(["coach: \(question)", words], by: scorer).names
  }

  private func ledger(_ messages: [String], by scorer: Tier) throws -> Ledger {
    let lines = conversation(messages)
    switch scorer {
    case .offline: return OfflineScorer().ledger(of: lines)
    case .encoder, .cascade:
      return EncoderScorer(model: try #require(.builtIn), budget: scorer.budget).ledger(of: lines)
    }
  }
}
