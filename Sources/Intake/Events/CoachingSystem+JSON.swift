import ContextQuality
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
      ("about", about?.json),
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

  /// The version shown to the user. Profiles stored by earlier versions still have what nothing supports.
  package var withoutUnsupported: CoachingSystem {
    var shown = self
    // Prompts have it as it stands now.
    shown.about = nil
    let hidden = Set(unsupported)
    func keep<Value>(_ value: Value?, _ pointer: String) -> Value? {
      hidden.contains(pointer) ? nil : value
    }
    for (name, path) in UserGoals.grounded {
      shown.userGoals[keyPath: path] = keep(userGoals[keyPath: path], "/userGoals/\(name)")
    }
    for (name, path) in Constraints.lists {
      let kept = constraints[keyPath: path].enumerated()
        .filter { !hidden.contains("/constraints/\(name)/\($0.offset)") }
      shown.constraints[keyPath: path] = kept.map(\.element)
    }
    return shown
  }
}

extension CoachingSystem {
  /// Whether something was said of the user, and nothing of it rests on anything.
  var isBaseless: Bool {
    !unsupported.isEmpty && restsOn.isEmpty && restsOnReadings == nil && restsOnAnswers == nil
  }

  /// Fields that are empty since nothing supports what was in them.
  var leftOpen: [String] {
    let goals = unsupported.contains("/userGoals/primary") ? ["primary", "milestones"] : []
    let lists = Constraints.lists.filter { name, path in
      constraints[keyPath: path].isEmpty
        && unsupported.contains { $0.hasPrefix("/constraints/\(name)/") }
    }
    return goals.map { "/userGoals/\($0)" } + lists.map { "/constraints/\($0.name)" }
  }

  /// Fields that nothing was said about.
  var openPointers: [String] {
    let fields: [(String, String?)] = [
      ("/userGoals/timeline", userGoals.timeline), ("/userGoals/deeper", userGoals.deeper),
      ("/coachingPlan/checkInFrequency", coachingPlan.checkInFrequency),
    ]
    return fields.filter { $0.1 == nil }.map(\.0)
  }
}

extension PersonFacts {
  init(_ state: IntakeState) {
    self.init()
    age = state.record.statedAge
    let isPrivate = state.bodyFacet.map { state.withheld.contains($0) && !state.isToldInPart($0) }
    if !state.leavesOutSensitive, isPrivate != true {
      heightCentimetres = state.body?.heightCentimetres
      weightKilograms = state.body?.weightKilograms
    }
    notes = state.notes.map(\.quote)
    for definition in state.rubric.facets where !state.withheld.contains(definition.facet) {
      let pieces = state.ledger.pieces(for: definition.facet).map(\.evidence)
        .filter { !$0.isReading }
      let isMedical = { (piece: Evidence) in piece.mark?.isMedical == true }
      medical += pieces.filter(isMedical).map(\.text)
      let others = pieces.filter { !isMedical($0) }.map(\.text)
      if !others.isEmpty { said[definition.facet.description] = others }
    }
  }

  fileprivate var json: JSONValue {
    .members([
      ("age", age.map { JSONValue($0) }),
      ("heightCentimetres", heightCentimetres.flatMap { JSONValue($0) }),
      ("weightKilograms", weightKilograms.flatMap { JSONValue($0) }),
      ("medical", .strings(medical)),
      ("said", .members(said.sorted { $0.key < $1.key }.map { ($0.key, .strings($0.value)) })),
      ("notes", .strings(notes)),
    ])
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
  /// What has to rest on something, by field name.
  static var grounded: [(name: String, path: WritableKeyPath<UserGoals, String?>)] {
    [("primary", \.primary), ("timeline", \.timeline), ("deeper", \.deeper)]
  }

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
      ("checkInFrequency", checkInFrequency.map { .string($0) }),
      ("initialFocus", initialFocus.map { .strings($0) }),
      ("styleNotes", styleNotes.map { .strings($0) }),
      ("redFlags", redFlags.map { .strings($0) }),
      ("firstAction", firstAction.map { .string($0) }),
    ])
  }
}
