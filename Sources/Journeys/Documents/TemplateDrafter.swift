import ContextQuality
import IncrementalJSON
import Intake
import Signals

/// Drafts documents without a model: the person's own words in a template, which says that it's one.
/// A pack without a template gets a list of the answers.
public struct TemplateDrafter: DocumentDrafter {
  public init() {}

  public func draft(
    _ kind: DocumentKind, from facts: DraftFacts,
    show: @escaping @Sendable (DraftedDocument) -> Void
  ) throws(DraftError) -> DraftedDocument {
    let (maker, rules) = try prepared(kind, facts)
    guard rules.template["goalNote"] != nil else { return list(kind, facts) }
    let root = kind == .goal ? goal(facts, rules) : program(facts, rules, maker.limits)
    var document = maker.make(root, source: DraftedDocument.template).document
    document.note = rules.template[kind == .goal ? "goalNote" : "programNote"]?.stringValue
    return document
  }

  public func edit(
    _ document: DraftedDocument, saying words: String, facts: DraftFacts
  ) throws(DraftError) -> DocumentEdit {
    let (maker, rules) = try prepared(document.kind, facts)
    guard let program = document.program else {
      throw DraftError(words: DocumentWords.rehearsedGoalEdit)
    }
    guard let changed = ProgramEdit(words, rules, facts.pack).applied(to: program) else {
      throw DraftError(words: DocumentWords.rehearsedEdit)
    }
    let made = maker.make(changed.json, source: document.source, keeps: false)
    guard made.isUsable else { throw DraftError(words: DocumentWords.noChange) }
    return try maker.edit(document, to: made.document, saying: words)
  }

  private func prepared(
    _ kind: DocumentKind, _ facts: DraftFacts
  ) throws(DraftError) -> (DocumentMaker, DocumentRules) {
    do throws(PackError) {
      return (try DocumentMaker(kind, facts), try DocumentRules(facts.pack))
    } catch {
      throw DraftError(words: "This coach's rules for documents can't be used (\(error)).")
    }
  }

  private func list(_ kind: DocumentKind, _ facts: DraftFacts) -> DraftedDocument {
    DraftedDocument(
      kind: kind, json: "{}", rows: facts.answers, source: DraftedDocument.template,
      note: "This is only a list of your own answers: nothing here drafts documents.")
  }
}

// Writing.
extension TemplateDrafter {
  private func goal(_ facts: DraftFacts, _ rules: DocumentRules) -> JSONValue {
    var goal = GoalContract(primary: "")
    var supports: [DocumentSupport] = []
    func words(_ field: String) -> String? {
      // One sentence may say it all; it isn't repeated for each field.
      guard let words = facts.said(rules.goal[field] ?? []).first,
        !supports.contains(where: { $0.quote == words })
      else { return nil }
      supports.append(.init(path: "/\(field)", quote: words))
      return words
    }
    goal.primary = words("primary") ?? rules.template["notSaid"]?.stringValue ?? ""
    (goal.measure, goal.byWhen, goal.why) = (words("measure"), words("byWhen"), words("why"))
    goal.restsOn = supports
    return goal.json
  }

  private func program(
    _ facts: DraftFacts, _ rules: DocumentRules, _ limits: ProgramLimits
  ) -> JSONValue {
    let template = rules.template
    var fields = DocumentFields()
    let preset = (template["days"]?.arrayValue ?? []).compactMap(\.stringValue)
      .compactMap(TrainingProgram.Day.init(rawValue:))
    let days = limits.namedDays.isEmpty ? preset : limits.namedDays
    let minutes = template["minutes"] ?? 30
    let sessions = days.prefix(limits.mostSessions ?? days.count).map { day -> JSONValue in
      [
        "day": .string(day.rawValue), "time": .null, "title": template["sessionTitle"] ?? "",
        "minutes": minutes, "exercises": template["exercises"] ?? [],
      ]
    }
    let root: JSONValue = [
      "title": template["title"] ?? "", "weeks": template["weeks"] ?? 4,
      "sessions": .array(Array(sessions)), "progression": template["progression"] ?? [],
      "adaptations": .array(
        limits.named.map { ["constraint": .string($0.words), "how": template["adaptation"] ?? ""] }
      ),
      "restsOn": [],
    ]
    var program = fields.program(root)
    program.restsOn = facts.said(rules.said["days"] ?? []).prefix(1).map {
      .init(path: "/sessions", quote: $0)
    }
    return limits.kept(program).program.json
  }
}

/// A change to a program that rules can make.
struct ProgramEdit {
  private let words: String
  private let rules: DocumentRules
  private let little: Set<String>

  init(_ words: String, _ rules: DocumentRules, _ pack: PromptPack) {
    (self.words, self.rules) = (words, rules)
    little = pack.signals.littleWords
  }

  private static let shortest = 10
  private static let step = 5

  /// Nil if the words ask for nothing that rules can do.
  func applied(to program: TrainingProgram) -> TrainingProgram? {
    var program = program
    let days = self.days
    func isMeant(_ session: TrainingProgram.Session) -> Bool {
      days.isEmpty || days.contains(session.day)
    }
    if let weeks = number("weeks") {
      program.weeks = weeks
    } else if let minutes = number("minutes") {
      for index in program.sessions.indices where isMeant(program.sessions[index]) {
        program.sessions[index].minutes = minutes
      }
    } else if says("shorter") {
      for index in program.sessions.indices where isMeant(program.sessions[index]) {
        shorten(&program.sessions[index])
      }
    } else if says("longer") {
      for index in program.sessions.indices where isMeant(program.sessions[index]) {
        let minutes = program.sessions[index].minutes
        program.sessions[index].minutes = min(240, minutes + max(Self.step, minutes / 3))
      }
    } else if days.count == 2, let from = program.sessions.firstIndex(where: { $0.day == days[0] })
    {
      program.sessions[from].day = days[1]
      program.sessions.sort { $0.day.number < $1.day.number }
    } else if rules.refused.match(words) {
      remove(days, from: &program)
    } else {
      return nil
    }
    return program
  }

  /// The days that are named, in the order of the words.
  private var days: [TrainingProgram.Day] {
    let sentence = Words(words).all
    return rules.days.compactMap { day, phrases in
      phrases.places(in: sentence).map(\.lowerBound).min().map { ($0, day) }
    }.sorted { $0.0 < $1.0 }.map(\.1)
  }

  private func says(_ edit: String) -> Bool { rules.edits[edit]?.match(words) == true }

  private func number(_ edit: String) -> Int? {
    let sentence = Words(words).all
    guard let place = rules.edits[edit]?.places(in: sentence).first else { return nil }
    return PhrasePattern.value(sentence[place.lowerBound]).map { Int($0) }
  }

  private func shorten(_ session: inout TrainingProgram.Session) {
    let minutes = session.minutes * 2 / 3 / Self.step * Self.step
    session.minutes = max(Self.shortest, minutes)
    if session.exercises.count > 2 { session.exercises.removeLast() }
  }

  private func remove(_ days: [TrainingProgram.Day], from program: inout TrainingProgram) {
    let unwanted = ProgramLimits.stems(ProgramLimits.refused(words, rules), little)
    program.sessions = program.sessions.compactMap { session in
      if days.contains(session.day) { return nil }
      var session = session
      session.exercises.removeAll { ProgramLimits.names($0.name, unwanted) != nil }
      return session.exercises.isEmpty ? nil : session
    }
  }
}
