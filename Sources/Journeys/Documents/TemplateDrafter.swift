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
    guard let changed = try changed(document, words, rules, facts) else {
      throw DraftError(words: DocumentWords.rehearsedEdit(of: document.kind))
    }
    let made = maker.make(changed, source: document.source, change: words)
    guard made.isUsable else {
      throw DraftError(
        words: document.kind == .program ? DocumentWords.nothingLeft : DocumentWords.noChange)
    }
    return try maker.edit(document, to: made.document, saying: words)
  }

  private func changed(
    _ document: DraftedDocument, _ words: String, _ rules: DocumentRules, _ facts: DraftFacts
  ) throws(DraftError) -> JSONValue? {
    switch document.kind {
    case .goal:
      guard let goal = document.goal else { return nil }
      return try GoalEdit(words, rules).applied(to: goal)?.json
    case .program:
      guard let program = document.program else { return nil }
      return try ProgramEdit(words, rules, facts.pack).applied(to: program)?.json
    }
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
    goal.primary =
      words("primary") ?? facts.picked(rules.goal["primary"] ?? [])
      ?? rules.template["notSaid"]?.stringValue ?? ""
    // The quote may end where what they do want begins.
    let said = facts.sentence(around: goal.primary)
    if let wanted = GoalEdit.wanted(in: said, rules) {
      goal.primary = wanted
      supports = supports.map { .init(path: $0.path, quote: said) }
    }
    goal.measure = words("measure")
    // The sentence with the date may tell the goal again.
    let date = words("byWhen").map { GoalEdit($0, rules).time ?? $0 }
    goal.byWhen = date ?? GoalEdit(goal.primary, rules).time
    goal.why = words("why")
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
    let days = limits.days(preset: preset)
    let told = facts.saidOfDays(rules).map { facts.sentence(around: $0) }
    let sentences = told.map { Words($0).all }
    let minutes = sentences.lazy.compactMap { rules.minutes(in: $0) }
      .first { DocumentFields.minutes.contains($0) }
    let times = TrainingTimes(told, rules)
    let sessions = days.map { day -> JSONValue in
      [
        "day": .string(day.rawValue), "time": .text(times.time(on: day)),
        "title": template["sessionTitle"] ?? "",
        "minutes": minutes.map { .integer($0) } ?? template["minutes"] ?? 30,
        "exercises": template["exercises"] ?? [],
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
    var used: [[String]] = []
    for (text, words) in zip(told, sentences) where !used.contains(words) {
      guard
        rules.minutes(in: words) != nil || rules.tellsDays(words)
          || TrainingTimes([text], rules).tellsTime
      else { continue }
      used.append(words)
      program.restsOn.append(.init(path: "/sessions", quote: text))
    }
    return limits.kept(program).program.json
  }
}
