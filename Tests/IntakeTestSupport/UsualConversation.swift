import Intake
package import LanguageModels

/// A conversation that goes well, and the model that answers in it.
package enum UsualConversation {
  package static let first =
    "I want to lose 20 pounds by June so I can keep up with my kids. New job, sixty hour weeks, no time, and my knee is shot from marathons"
  package static let second =
    "I love swimming and hate burpees, there is a pool next door. I walk 4000 steps a day, I'm 42 and out of breath on the stairs"
  package static let third = "Tuesday and Thursday mornings, 30 minutes. Be blunt with me"

  package static func script(_ request: ModelRequest) -> ModelReply {
    switch request.purpose {
    case .greet: .text("Hey, good to meet you. What would you like to change?")
    case .score: .text(score(request))
    case .ask: .text("Got it. What could you do in twenty minutes?")
    case .synthesise: .text(synthesis)
    case .confirm: .text("Here's what I heard: twenty pounds. Here's how I'll help: the pool.")
    case .coach: .text("Twenty pounds it is: two swims this week.")
    case .reply: .text("Twenty minutes are enough.")
    case .offer: .text("Good to know.")
    case .validate, .starters, .draft, .edit: .failing(.badRequest)
    }
  }

  package static func score(_ request: ModelRequest) -> String {
    let text = request.messages.last?.text ?? ""
    let acts = ScriptedActs.of(request)
    if !acts.isEmpty { return Evidences.json([], acts: acts) }
    if text.contains("\"newUserTurns\": [1]") {
      return Evidences.json([
        ("goalClarity.outcome", 1, "lose 20 pounds"),
        ("goalClarity.target", 1, "20 pounds by June"),
        ("goalClarity.timeframe", 1, "by June"), ("goalClarity.motive", 1, "keep up with my kids"),
        ("obstacles.barrier", 1, "no time"), ("obstacles.detail", 1, "sixty hour weeks"),
        ("obstacles.physical", 1, "my knee is shot"),
      ])
    }
    if text.contains("\"newUserTurns\": [2]") {
      return Evidences.json([
        ("exercisePreferences.activities", 2, "I love swimming"),
        ("exercisePreferences.dislikes", 2, "hate burpees"),
        ("exercisePreferences.access", 2, "there is a pool next door"),
        ("currentState.activity", 2, "I walk 4000 steps a day"),
        ("currentState.body", 2, "I'm 42"),
        ("currentState.capacity", 2, "out of breath on the stairs"),
      ])
    }
    return Evidences.json([
      ("lifestyle.availability", 3, "Tuesday and Thursday mornings"),
      ("communicationStyle.tone", 3, "Be blunt with me"),
    ])
  }

  package static let synthesis = """
    {"personaProfile":{"role":"a blunt swim coach","personality":["direct","dry","patient"],
    "philosophy":"Small and often.","communicationStyle":"blunt","toneModulation":[{"when":"tired","tone":"softer"}],
    "medicalDisclaimer":"x"},
    "userGoals":{"primary":"lose 20 pounds","timeline":"by June","deeper":"keep up with the kids","milestones":["5 pounds"]},
    "constraints":{"physical":[{"type":"injury","detail":"knee shot from marathons","notedAt":"2027-01-15"},
    {"type":"injury","detail":"torn rotator cuff","notedAt":"2027-01-15"}],
    "time":[{"type":"work","detail":"sixty hour weeks","notedAt":"2027-01-15"}],"resources":[],"temporary":[]},
    "coachingPlan":{"approach":"Swim twice a week.","checkInFrequency":"weekly","initialFocus":["swim"],
    "styleNotes":["short"],"redFlags":["knee swelling"],"firstAction":"Pack the bag tonight."},
    "restsOn":[{"path":"/userGoals/primary","turn":1,"quote":"lose 20 pounds"},
    {"path":"/constraints/physical/1","turn":1,"quote":"torn rotator cuff"}]}
    """
}
