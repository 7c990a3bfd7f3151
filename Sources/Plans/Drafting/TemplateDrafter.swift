import ContextQuality
import EncoderScorer
import IncrementalJSON
import Signals

/// Drafts documents without a model: the person's own words in a template, which says that it is one.
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

  public func reply(
    to words: String, at document: DraftedDocument, proposed: DocumentEdit?, facts: DraftFacts
  ) throws(DraftError) -> DocumentReply {
    let (maker, _) = try prepared(document.kind, facts)
    let names = FieldWords(facts.pack)
    guard let edit = FieldEdit(words, of: document.kind, names, today: facts.today) else {
      if let act = Self.act(of: words) { return act }
      throw DraftError(words: FieldEdit.help(document.kind, names))
    }
    let changed = try edit.applied(to: document)
    let made = maker.make(changed, source: document.source, change: words)
    return .change(try maker.edit(document, to: made.document, saying: words))
  }

  /// What the encoder is sure of; nil if that is neither a yes nor a no.
  private static func act(of words: String) -> DocumentReply? {
    guard let reading = reader?.read(words, after: asked, at: .coaching), reading.isDecided,
      !reading.sure.contains("corrects")
    else { return nil }
    return reading.sure.contains("rejects")
      ? .rejects : reading.sure.contains("agrees") ? .agrees : nil
  }

  /// What the words answer, as the encoder knows it.
  private static let asked =
    "I'd make this change to your program. Say yes, no, or how you'd rather have it."
  private static let reader = EncoderModel.builtIn.flatMap { ActReader(model: $0) }

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
    goal.measure = words("measure")
    // The sentence with the date may tell the goal again.
    let date = words("byWhen").map { rules.deadlines.first(in: $0) ?? $0 }
    goal.byWhen = date ?? rules.deadlines.first(in: goal.primary)
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
    let told = facts.said(rules.said["days"] ?? [])
    let times = TrainingTimes(told, rules)
    let sessions = days.map { day -> JSONValue in
      [
        "day": .string(day.rawValue), "time": .optional(times.time(on: day)),
        "title": template["sessionTitle"] ?? "",
        "minutes": limits.length.map { .optional($0.minutes) } ?? template["minutes"] ?? 30,
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
    for text in told.map({ facts.sentence(around: $0) })
    where rules.tellsTimes(text)
      && !program.restsOn.contains(where: { Words($0.quote).all == Words(text).all })
    {
      program.restsOn.append(.init(path: "/sessions", quote: text))
    }
    return limits.kept(program).program.json
  }
}
