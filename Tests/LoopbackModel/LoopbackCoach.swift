import IncrementalJSON

/// What the loopback model says: evidence by phrases it looks for, and a few sentences.
enum LoopbackCoach {
  static func answer(openAI request: JSONValue) -> String {
    let messages = request["messages"]?.arrayValue ?? []
    let schema = request["response_format"]?["json_schema"]?["name"]?.stringValue
    return answer(
      system: messages.filter { $0["role"]?.stringValue == "system" }.compactMap(text).joined(),
      messages: messages.filter { $0["role"]?.stringValue != "system" }.compactMap(text),
      schema: schema)
  }

  static func answer(anthropic request: JSONValue) -> String {
    let system = request["system"]?.stringValue ?? ""
    let schema = request["output_config"]?["format"]?["schema"]
    let name =
      schema?["properties"]?["evidence"] != nil ? "evidence" : schema.map { _ in "coaching_system" }
    return answer(
      system: system, messages: (request["messages"]?.arrayValue ?? []).compactMap(text),
      schema: name)
  }

  private static func text(_ message: JSONValue) -> String? {
    message["content"]?.stringValue
      ?? message["content"]?.arrayValue?.compactMap { $0["text"]?.stringValue }.joined()
  }

  private static func answer(system: String, messages: [String], schema: String?) -> String {
    switch schema {
    case "evidence": return evidence(messages.last ?? "")
    case "coaching_system": return coachingSystem
    default: break
    }
    if system.contains("opening message") {
      return "Hey, good to meet you. What would you like to change?"
    }
    if system.contains("Here's what I heard") { return summary }
    if system.contains("going on mid-conversation") {
      return "Twenty pounds by June, and the pool next door is where we start: two swims this week."
    }
    return question(about: system)
  }

  private static func question(about system: String) -> String {
    let questions = [
      ("what gets in the way", "Twenty pounds is very doable. What gets in the way when you try?"),
      ("how you'd like to train", "Where could you train, and what do you actually enjoy?"),
      (
        "what your days look like",
        "When in the week could you train, and how should I talk to you?"
      ),
    ]
    let subject = system.firstRange(of: "ONE question about").map { system[$0.upperBound...] } ?? ""
    return questions.first { subject.prefix(40).contains($0.0) }?.1
      ?? "Tell me more: what would you like to be able to do, and by when?"
  }

  /// Phrases that a person in the scripted conversation says, and what they are evidence for.
  private static let phrases: [(facet: String, quote: String)] = [
    ("goalClarity.outcome", "drop about 20 lbs"), ("goalClarity.target", "20 lbs by june"),
    ("goalClarity.timeframe", "by june"), ("goalClarity.motive", "keep up with my kids"),
    ("obstacles.barrier", "no time"), ("obstacles.detail", "60h weeks"),
    ("obstacles.physical", "my right knee is shot"),
    ("nutritionReadiness.eating", "dinner is usually drive-thru"),
    ("exercisePreferences.activities", "love swimming"),
    ("exercisePreferences.dislikes", "hate burpees"),
    ("exercisePreferences.access", "pool next door"),
    ("currentState.body", "i'm 42"), ("currentState.activity", "4000 steps a day"),
    ("currentState.capacity", "out of breath on the stairs"),
    ("lifestyle.commitments", "60h weeks"),
    ("lifestyle.availability", "tue and thu mornings"),
    ("energyPatterns.bestTime", "tue and thu mornings"),
    ("communicationStyle.tone", "be blunt"), ("communicationStyle.cadence", "check in weekly"),
  ]

  private static func evidence(_ prompt: String) -> String {
    let input = (try? JSONValue(parsing: prompt)) ?? .null
    let new = Set((input["newUserTurns"]?.arrayValue ?? []).compactMap(\.intValue))
    var items: [JSONValue] = []
    for message in input["conversation"]?.arrayValue ?? [] {
      guard let turn = message["turn"]?.intValue, new.contains(turn),
        let said = message["user"]?.stringValue?.lowercased()
      else { continue }
      for (facet, quote) in phrases where said.contains(quote) {
        items.append(["facet": .string(facet), "turn": JSONValue(turn), "quote": .string(quote)])
      }
    }
    let answer: JSONValue = ["evidence": .array(items), "retracted": [], "care": "none"]
    return answer.serialized()
  }

  private static let summary =
    "Here's what I heard: you want to drop about 20 lbs by June so you can keep up with your kids, "
    + "and sixty-hour weeks and a knee shot from marathons stand in the way.\n\nHere's how I'll help: "
    + "two short swims a week, kind to the knee, Tuesday and Thursday mornings. First, pack the "
    + "swim bag tonight."

  private static let coachingSystem = """
    {"personaProfile":{"role":"a blunt swim coach for a busy parent","personality":["direct","dry","patient"],"philosophy":"Small and often beats big and rarely.","communicationStyle":"blunt and short","toneModulation":[{"when":"worn out","tone":"softer"}],"medicalDisclaimer":"Not a doctor."},
    "userGoals":{"primary":"drop about 20 lbs","timeline":"by June","deeper":"keep up with the kids","milestones":["the first five pounds","four weeks of two swims"]},
    "constraints":{"physical":[{"type":"injury","detail":"right knee shot from marathons","severity":null,"limitations":["running"],"impact":null,"availability":null,"notedAt":"2026-01-05","expiresAt":null}],"time":[{"type":"work","detail":"new job with 60h weeks","severity":null,"limitations":null,"impact":null,"availability":"tue and thu mornings","notedAt":"2026-01-05","expiresAt":null}],"resources":[],"temporary":[]},
    "coachingPlan":{"approach":"Two short swims a week, then build.","checkInFrequency":"weekly","initialFocus":["two swims a week"],"styleNotes":["blunt"],"redFlags":["the knee swells"],"firstAction":"Pack the swim bag tonight."},
    "restsOn":[{"path":"/userGoals/primary","turn":1,"quote":"drop about 20 lbs"},{"path":"/userGoals/timeline","turn":1,"quote":"by june"}]}
    """
}
