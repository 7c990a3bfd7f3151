import ContextQuality
import IncrementalJSON
import IntakeTestSupport
import LanguageModels
import Testing

@testable import Intake

/// The same person, with and without their health data.
struct TurnsToReadyTests {
  /// Answers what is asked, and nothing else: what the person would say of each facet.
  static let answers: [String: String] = [
    "goalClarity.outcome": "I want to lose weight", "goalClarity.target": "twenty pounds would do",
    "goalClarity.timeframe": "by June at the latest",
    "goalClarity.motive": "so I keep up with my kids",
    "obstacles.barrier": "I never find the time",
    "obstacles.detail": "sixty hour weeks since spring",
    "obstacles.physical": "my right knee hurts", "exercisePreferences.activities": "I love running",
    "exercisePreferences.dislikes": "I hate burpees",
    "exercisePreferences.access": "there is a gym downstairs",
    "currentState.activity": "I walk a little each day", "currentState.body": "I am 42 years old",
    "currentState.capacity": "I can jog for ten minutes",
    "lifestyle.commitments": "two kids and a job",
    "lifestyle.availability": "Tuesdays and Thursdays",
    "lifestyle.recovery": "I sleep six hours", "nutritionReadiness.eating": "mostly drive-thru",
    "nutritionReadiness.willingness": "I can cook on Sundays",
    "communicationStyle.tone": "be blunt",
    "communicationStyle.cadence": "check in weekly", "pastPatterns.tried": "I did two marathons",
    "pastPatterns.lesson": "it ended with the new job",
    "energyPatterns.bestTime": "mornings are best",
    "supportSystem.people": "my wife helps me",
  ]

  /// A model that finds the words of the answers and nothing else.
  private static func script(_ request: ModelRequest) -> ModelReply {
    guard request.purpose == .score else { return UsualConversation.script(request) }
    let turn = request.messages.last?.text ?? ""
    let number = Int(
      turn.split(separator: "\"newUserTurns\": [").last?.prefix { $0.isNumber } ?? "")
    let claims = answers.filter { turn.contains($0.value) }
      .compactMap { facet, words in
        line(of: words, in: turn).map { (facet, $0, words) }
      }.filter { $0.1 == number }
    return .text(Evidences.json(claims.sorted { $0.0 < $1.0 }))
  }

  private static func line(of words: String, in text: String) -> Int? {
    let conversation = (try? JSONValue(parsing: text))?["conversation"]?.arrayValue ?? []
    return conversation.first { $0["user"]?.stringValue?.contains(words) == true }?["turn"]?
      .intValue
  }

  /// User turns until the summary: the first tells a goal and an obstacle, the others answer up to
  /// two of the facets that were asked for.
  static func turns(_ note: HealthNote?) async throws -> Int {
    let session = try await ScriptedSession(
      settings: IntakeSettings(maxTurns: 12), script)
    if let note { await session.engine.take(note) }
    try await session.open()
    try await session.say(
      ["goalClarity.outcome", "obstacles.barrier"].compactMap { answers[$0] }.joined(
        separator: ". "))
    try await session.talk(until: { $0.components().isReadyForCoaching }, most: 12) { state in
      guard case .question(let question) = state.pending else {
        throw NeverReached(state)
      }
      return question.facets.prefix(2).compactMap { answers[$0.description] }
        .joined(separator: ". ")
    }
    return await session.state.turns.count
  }

  @Test func healthDataSaveTurns() async throws {
    let note = HealthNoteTests.noting {
      $0.evidence +=
        HealthNoteTests.reading("exercisePreferences.activities", "running 14 times")
        + HealthNoteTests.reading("currentState.capacity", "14 × running, 70 km in 420 min")
        + HealthNoteTests.reading("pastPatterns.tried", "workouts fell from 10 to 0 a month")
        + HealthNoteTests.reading(
          "energyPatterns.bestTime", "14 of 14 workouts begin in the morning")
    }
    let (without, with) = (try await Self.turns(nil), try await Self.turns(note))
    #expect(with < without, "turns until the summary")
  }
}
