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
      "source": source?.rawValue,
      "personaProfile": json(
        of: .personaProfile,
        and: [("medicalDisclaimer", personaProfile.medicalDisclaimer.map { .string($0) })]),
      "userGoals": json(of: .userGoals), "constraints": constraints.json,
      "coachingPlan": json(of: .coachingPlan), "about": about?.json,
      "restsOn": Self.sorted(restsOn.mapValues { $0.map { JSONValue($0) } }),
      "restsOnReadings": restsOnReadings.map {
        Self.sorted($0.mapValues { $0.map { .string($0) } })
      },
      "restsOnAnswers": restsOnAnswers.map { Self.sorted($0.mapValues { $0.map(\.json) }) },
      "unsupported": unsupported, "missing": missing,
    ])
  }

  private func json(
    of section: ProfileField.Section, and others: [(String, JSONValue?)] = []
  ) -> JSONValue {
    .members(ProfileField.all(in: section).map { ($0.name, json(of: $0)) } + others)
  }

  fileprivate static func sorted(_ lists: [String: [JSONValue]]) -> JSONValue {
    .object(JSONObject(lists.sorted { $0.key < $1.key }.map { ($0.key, .array($0.value)) }))
  }

  /// The version shown to the user. Profiles stored by earlier versions still have what nothing supports.
  package var withoutUnsupported: CoachingSystem {
    var shown = self
    // Prompts have it as it stands now.
    shown.about = nil
    let hidden = Set(unsupported)
    for field in ProfileField.grounded where hidden.contains(field.pointer) {
      shown.filter(field) { _ in false }
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

  /// Fields that are empty since nothing supports what was in them, and a goal that nobody named.
  var leftOpen: [String] {
    let goals = userGoals.primary == nil ? ["primary", "milestones"] : []
    let lists = Constraints.lists.filter { name, path in
      constraints[keyPath: path].isEmpty
        && unsupported.contains { $0.hasPrefix("/constraints/\(name)/") }
    }
    return goals.map { "/userGoals/\($0)" } + lists.map { "/constraints/\($0.name)" }
  }

  /// Fields that nothing was said about.
  var openPointers: [String] {
    ProfileField.all.filter {
      $0.isOptional && $0.pointer != Amendment.goal && texts(of: $0).isEmpty
    }.map(\.pointer)
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
      "age": age, "heightCentimetres": heightCentimetres, "weightKilograms": weightKilograms,
      "medical": medical,
      "said": CoachingSystem.sorted(said.mapValues { $0.map { .string($0) } }),
      "notes": notes,
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
      "type": type, "detail": detail, "severity": severity, "limitations": limitations,
      "impact": impact, "availability": availability, "notedAt": notedAt, "startsAt": startsAt,
      "expiresAt": expiresAt,
    ])
  }
}
