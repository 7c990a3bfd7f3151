import ContextQuality
import IncrementalJSON
import Intake
import LanguageModels
import Signals
import TestSupport
import Testing

@testable import Rehearsal
@testable import Simulation

/// Sheets for tests, and the pack they are for.
enum Sheets {
  static let pack = Result { try PromptPack.embedded() }

  static let text = """
    {
      "name": "Ottoline", "about": "40, a test", "use": "tuning", "register": "hedged",
      "moods": [{"from": 1, "mood": "open"}, {"from": 3, "mood": "brief"}], "patience": 2,
      "opening": "Hello there.",
      "facts": {
        "goalClarity.outcome": {"says": "I would like to row a whole lake.", "willing": "atOnce"},
        "goalClarity.target": {"says": "Eight kilometers without a stop."},
        "obstacles.barrier": {"says": "My shifts get in the way."},
        "obstacles.physical": {
          "says": "There is a plate in my left wrist.", "willing": "askedTwice",
          "partly": "My wrist is a story.", "matters": true
        },
        "exercisePreferences.activities": {"says": "Rowing, and nothing but rowing."},
        "exercisePreferences.access": {"says": "A boat at the club."},
        "lifestyle.recovery": {
          "says": "Five hours of sleep, by the way.", "willing": "inPassing",
          "with": "exercisePreferences"
        },
        "currentState.capacity": {"says": "Two kilometers, then my arms give up."}
      },
      "refuses": {"nutritionReadiness": "Food is not up for discussion."},
      "distress": [{"turn": 4, "says": "I want to kill myself", "care": "crisis", "after": "I called her."}],
      "phrases": {
        "sidestep": ["Ask me later."], "question": ["Why would that matter?"], "bare": ["Well."],
        "nothing": ["I have nothing there."], "again": ["As I told you:"]
      }
    }
    """

  static func persona(_ change: (inout Persona) -> Void = { _ in }) throws -> Persona {
    var persona = try Persona(parsing: Array(text.utf8), for: pack.get())
    change(&persona)
    return persona
  }

  static func facet(_ name: String) throws -> Facet {
    try #require(Facet(name))
  }
}

/// A coach that knows the sheet's words, except for those it's deaf to.
struct KnowingCoach: Coach {
  let inner: RehearsalCoach
  let persona: Persona
  let isDeafTo: Set<Facet>

  static func choice(_ persona: Persona, deafTo: Set<Facet> = []) -> CoachChoice {
    CoachChoice {
      KnowingCoach(inner: try RehearsalCoach(pack: $0), persona: persona, isDeafTo: deafTo)
    }
  }

  var source: ProfileSource? { .rehearsal }
  var disclosure: SessionOutput.Notice? { nil }

  func read(
    _ turns: [Int], _ state: IntakeState, member: ReadingMember?, _ show: IntakeEngine.Show
  ) async -> Result<TurnReading, ModelError> {
    let evidence = turns.flatMap { turn in
      persona.facts.filter {
        !isDeafTo.contains($0.facet)
          && state.transcript.userTurn(turn)?.contains($0.says) == true
      }.map { Evidence(facet: $0.facet, quote: $0.says, turn: turn) }
    }
    let limits = turns.compactMap { turn in
      state.transcript.userTurn(turn).flatMap {
        $0.contains("a cold") ? Act(.changesLimit, turn: turn, quote: $0) : nil
      }
    }
    return .success(
      TurnReading(
        Scoring(turns: turns, evidence: evidence, acts: limits.isEmpty ? nil : limits)))
  }

  func say(
    _ occasion: Occasion, _ state: IntakeState, _ scene: Scene, _ show: IntakeEngine.Show
  ) async -> Spoken { await inner.say(occasion, state, scene, show) }

  func starters(_ request: StarterRequest, _ state: IntakeState) async -> Starters? { nil }

  func synthesise(
    _ state: IntakeState, minimal: Bool, today: String, _ show: IntakeEngine.Show
  ) async -> Result<Synthesis, SynthesisFailure> {
    await inner.synthesise(state, minimal: minimal, today: today, show)
  }
}
