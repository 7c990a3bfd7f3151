import FoundationEssentials
public import IncrementalJSON

extension CoachingSystem {
  /// Reads what ``json`` writes; nil for anything else.
  public init?(json: JSONValue) {
    let decoded = try? JSONDecoder.events.decode(Self.self, from: Data(json.serializedBytes()))
    guard let decoded else { return nil }
    self = decoded
  }

  /// The four documents, then what they rest on. Fields without a value are left out.
  public var json: JSONValue {
    .members([
      ("source", source.map { .string($0.rawValue) }),
      ("personaProfile", personaProfile.json),
      ("userGoals", userGoals.json),
      ("constraints", constraints.json),
      ("coachingPlan", coachingPlan.json),
      (
        "restsOn",
        .members(
          restsOn.sorted { $0.key < $1.key }
            .map { ($0.key, .array($0.value.map { JSONValue($0) })) })
      ),
      (
        "restsOnReadings",
        restsOnReadings.map { readings in
          .members(readings.sorted { $0.key < $1.key }.map { ($0.key, .strings($0.value)) })
        }
      ),
      (
        "restsOnAnswers",
        restsOnAnswers.map { answers in
          .members(
            answers.sorted { $0.key < $1.key }.map { ($0.key, .array($0.value.map(\.json))) })
        }
      ),
      ("unsupported", .strings(unsupported)),
      ("missing", .strings(missing)),
    ])
  }

  /// The version shown to the user, without unsupported goals and constraints.
  package var withoutUnsupported: CoachingSystem {
    var shown = self
    let hidden = Set(unsupported)
    func keep<Value>(_ value: Value?, _ pointer: String) -> Value? {
      hidden.contains(pointer) ? nil : value
    }
    shown.userGoals.primary = keep(userGoals.primary, "/userGoals/primary")
    shown.userGoals.timeline = keep(userGoals.timeline, "/userGoals/timeline")
    shown.userGoals.deeper = keep(userGoals.deeper, "/userGoals/deeper")
    for (name, path) in Constraints.lists {
      let kept = constraints[keyPath: path].enumerated()
        .filter { !hidden.contains("/constraints/\(name)/\($0.offset)") }
      shown.constraints[keyPath: path] = kept.map(\.element)
    }
    return shown
  }
}

extension AnswerSupport {
  fileprivate var json: JSONValue {
    ["step": .string(step), "answer": .string(answer), "wording": .string(wording)]
  }
}

extension Constraints {
  /// The four lists by their JSON names, in order.
  package static var lists: [(name: String, path: WritableKeyPath<Constraints, [Constraint]>)] {
    [
      ("physical", \.physical), ("time", \.time), ("resources", \.resources),
      ("temporary", \.temporary),
    ]
  }

  fileprivate var json: JSONValue {
    .members(
      Self.lists.map { name, path in (name, .array(self[keyPath: path].map(\.json))) })
  }
}

extension Constraint {
  fileprivate var json: JSONValue {
    .members([
      ("type", .string(type)), ("detail", .string(detail)),
      ("severity", severity.map { .string($0) }),
      ("limitations", limitations.map { .strings($0) }),
      ("impact", impact.map { .string($0) }),
      ("availability", availability.map { .string($0) }),
      ("notedAt", .string(notedAt)), ("expiresAt", expiresAt.map { .string($0) }),
    ])
  }
}

extension PersonaProfile {
  fileprivate var json: JSONValue {
    .members([
      ("role", role.map { .string($0) }),
      ("personality", personality.map { .strings($0) }),
      ("philosophy", philosophy.map { .string($0) }),
      ("communicationStyle", communicationStyle.map { .string($0) }),
      (
        "toneModulation",
        toneModulation.map { shifts in
          .array(shifts.map { ["when": .string($0.when), "tone": .string($0.tone)] })
        }
      ),
      ("medicalDisclaimer", medicalDisclaimer.map { .string($0) }),
    ])
  }
}

extension UserGoals {
  fileprivate var json: JSONValue {
    .members([
      ("primary", primary.map { .string($0) }), ("timeline", timeline.map { .string($0) }),
      ("deeper", deeper.map { .string($0) }), ("milestones", milestones.map { .strings($0) }),
    ])
  }
}

extension CoachingPlan {
  fileprivate var json: JSONValue {
    .members([
      ("approach", approach.map { .string($0) }),
      ("checkInFrequency", checkInFrequency.map { .string($0.rawValue) }),
      ("initialFocus", initialFocus.map { .strings($0) }),
      ("styleNotes", styleNotes.map { .strings($0) }),
      ("redFlags", redFlags.map { .strings($0) }),
      ("firstAction", firstAction.map { .string($0) }),
    ])
  }
}
