import ContextQuality
import IncrementalJSON
import LanguageModels
import Signals

/// Builds the model request for the coaching system, and keeps the valid parts of the answer.
struct Synthesiser {
  let pack: PromptPack
  let interviewer: Interviewer
  /// `yyyy-MM-dd`.
  let today: String

  /// A model's coaching system, as far as it holds.
  struct CheckedSystem: Hashable, Sendable {
    var system: CoachingSystem
    /// False for a refusal, an empty object, and the same few words everywhere, none of which the user said.
    var isUsable = false
    /// The problems with the answer; empty if it validates.
    var problems: [String]
  }

  func request(
    _ state: IntakeState, minimal: Bool, problems: [String] = []
  ) throws(PackError) -> ModelRequest {
    var prompt = try pack.render(.synthesise, try values(state, minimal))
    if !problems.isEmpty {
      prompt += "\n\n" + (try pack.render(.synthesiseRepair, ["problems": problems]))
    }
    return ModelRequest(
      purpose: .synthesise, system: prompt, messages: interviewer.messages(state),
      schema: PromptPack.profileSchema,
      maxOutputTokens: 8_000)
  }

  private func values(
    _ state: IntakeState, _ minimal: Bool
  ) throws(PackError) -> [String: Any] {
    let turns = state.turns.map { turn -> [String: Any] in
      ["turn": "\(turn.turn)", "text": PlainText.visible(turn.text)]
    }
    let readings = interviewer.readings(state)
    return [
      "known": try interviewer.known(state, turns: true), "turns": turns,
      "limitsUnknown": interviewer.limitsUnknown(state),
      "readings": readings, "hasReadings": !readings.isEmpty,
      "answers": answers(state), "hasAnswers": !state.answers.isEmpty,
      "today": CalendarDay.withWeekday(today), "minimal": minimal,
      "careNotes": Interviewer.careNotes(state), "heightAndWeight": heightAndWeight(state),
      "earlier": state.wasSummarised ? earlier(state) : "",
      "corrections": state.wasSummarised ? Interviewer.corrections(state) : [],
    ]
  }

  private func answers(_ state: IntakeState) -> [[String: Any]] {
    state.answers.map {
      ["question": PlainText.visible($0.wording), "answer": PlainText.visible($0.answer)]
    }
  }

  /// What was written before, in the shape that is asked for.
  private func earlier(_ state: IntakeState) -> String {
    let members = state.synthesis?.system.json.objectValue.map(Array.init) ?? []
    let asked = ["personaProfile", "userGoals", "constraints", "coachingPlan"]
    return JSONValue.members(members.filter { asked.contains($0.name) }.map { ($0.name, $0.value) })
      .serialized(pretty: true)
  }

  private func heightAndWeight(_ state: IntakeState) -> String {
    let height = state.body?.heightCentimetres.map { "\(Int($0.rounded())) cm" }
    let weight = state.body?.weightKilograms.map { "\(($0 * 10).rounded() / 10) kg" }
    return [height, weight].compactMap(\.self).joined(separator: ", ")
  }

  /// If the answer is not a JSON object, every field is missing.
  func read(_ text: String, _ state: IntakeState) -> CheckedSystem {
    var reader = SynthesisReader(today: today)
    guard let object = JSONExtraction(from: text, having: ["userGoals"]).object else {
      let system = finished(reader.read([:]), root: .null, state, reader.problems)
      return CheckedSystem(system: system, problems: ["the answer holds no whole JSON object"])
    }
    let root = JSONValue.object(object)
    let read = reader.read(root)
    var system = finished(read, root: root, state, reader.problems)
    let problems = reader.problems.map(\.description)
    guard system.isBaseless else {
      addMedicalLimits(to: &system, state)
      return CheckedSystem(system: system, isUsable: system.holdsSomething, problems: problems)
    }
    // What rests on an invention is one.
    let empty = reader.read(Self.empty)
    return CheckedSystem(
      system: finished(empty, root: .null, state, reader.problems), isUsable: !read.isMonotonous,
      problems: problems + ["no goal or constraint is something that the user said"])
  }

  private static let empty: JSONValue = [
    "personaProfile": [:], "userGoals": [:], "constraints": [:], "coachingPlan": [:],
  ]

  private func finished(
    _ read: CoachingSystem, root: JSONValue, _ state: IntakeState,
    _ problems: [SynthesisReader.Problem]
  ) -> CoachingSystem {
    var system = read
    system.dropRepeatedTexts()
    Grounding(
      transcript: state.transcript, readings: state.readings, answers: state.answers,
      readingRules: pack.readingRules, signals: pack.signals
    ).ground(&system, claims: root["restsOn"])
    system.about = PersonFacts(state)
    var seen: Set<String> = []
    system.missing = (problems.map(\.pointer) + system.leftOpen + system.openPointers)
      .filter { seen.insert($0).inserted }
    system.personaProfile.medicalDisclaimer =
      pack.translation(for: state)?.label("profile.disclaimer") ?? pack.medicalDisclaimer
    let written = system.coachingPlan.redFlags ?? []
    // A warning sign that a doctor clears is in the writer's own words, and in the person's language.
    let ofWriter = written.isEmpty ? nil : state.careNotes.note(on: .medical)
    let flags = Interviewer.careNotes(state).filter { !written.contains($0) && $0 != ofWriter }
    if !flags.isEmpty { system.coachingPlan.redFlags = flags + written }
    return system
  }
}

extension Synthesiser {
  /// What a doctor forbade or prescribed is written down in the person's words if the writer left it out.
  private func addMedicalLimits(to system: inout CoachingSystem, _ state: IntakeState) {
    let limits = state.rubric.facets.flatMap { state.ledger.pieces(for: $0.facet) }.map(\.evidence)
      .filter { $0.mark?.isProtected == true }
    for (turn, told) in Dictionary(grouping: limits, by: \.turn).sorted(by: { $0.key < $1.key }) {
      let written = system.constraints.physical.indices.filter {
        system.restsOn["/constraints/physical/\($0)"]?.contains(turn) == true
      }.map { Self.words(system.constraints.physical[$0].detail) }
      // One message can hold several. Those that least resemble what was written weren't.
      let leastAlike = told.sorted { one, other in
        func likeness(_ evidence: Evidence) -> Int {
          written.map { $0.intersection(Self.words(evidence.text)).count }.max() ?? 0
        }
        return likeness(one) < likeness(other)
      }
      for evidence in leastAlike.prefix(max(0, told.count - written.count)) {
        guard let mark = evidence.mark else { continue }
        let pointer = "/constraints/physical/\(system.constraints.physical.count)"
        system.restsOn[pointer] = [evidence.turn]
        system.constraints.physical.append(
          Constraint(
            type: mark.rawValue, detail: PlainText.line(PlainText.visible(evidence.text)),
            notedAt: today))
        system.missing.removeAll { $0 == "/constraints/physical" }
      }
    }
  }

  private static func words(_ text: String) -> Set<String> {
    Set(text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init))
  }
}

/// The requested shape.
enum CoachingSystemSchema {
  static var json: String {
    let claim: [(String, JSONValue)] = [
      ("path", text), ("turn", ["type": "integer"]), ("quote", text),
    ]
    return JSONValue.schema(members() + [("restsOn", .schema(list: claim))]).serialized()
  }

  /// - Parameter added: What a persona has that no model writes.
  static func members(addedToPersona added: [(String, JSONValue)] = []) -> [(String, JSONValue)] {
    func section(_ section: ProfileField.Section) -> [(String, JSONValue)] {
      ProfileField.all(in: section).map { ($0.name, $0.schema) }
    }
    return [
      ("personaProfile", .schema(section(.personaProfile) + added)),
      ("userGoals", .schema(section(.userGoals))),
      ("constraints", .schema(Constraints.lists.map { ($0.name, .schema(list: constraint)) })),
      ("coachingPlan", .schema(section(.coachingPlan))),
    ]
  }

  private static let text: JSONValue = ["type": "string"]
  private static let optionalText: JSONValue = ["type": ["string", "null"]]

  private static let constraint: [(String, JSONValue)] = [
    ("type", text), ("detail", text), ("severity", optionalText),
    ("limitations", ["type": ["array", "null"], "items": text]), ("impact", optionalText),
    ("availability", optionalText), ("notedAt", text), ("startsAt", optionalText),
    ("expiresAt", optionalText),
  ]
}
