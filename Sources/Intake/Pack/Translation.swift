import ContextQuality
import IncrementalJSON
import Mustache

/// A pack's fixed texts in another language, from `languages/CODE.json`. What it lacks appears in English.
struct Translation: Sendable {
  /// Such as `es`.
  let code: String
  /// Small words by which the language is recognized, folded.
  private(set) var words: Set<String> = []
  /// Joins the last two of a list, with its spaces.
  private(set) var and = ""
  /// Said once when a text is missing.
  private(set) var fallback = ""
  /// By member of the file and name. What is filled in is a template, the rest is plain.
  private var templates: [Member: [String: PromptTemplate]] = [:]
  private var plain: [Member: [String: String]] = [:]
  private(set) var starters: StarterSet?

  init(code: String) { self.code = code }

  func template(_ name: TemplateName) -> PromptTemplate? {
    templates[.texts]?[String(name.rawValue.dropFirst("texts/".count))]
  }
  func careText(_ name: String) -> String? { plain[.care]?[name] }
  func label(_ choice: String) -> String? { plain[.choices]?[choice] }
  func screen(_ text: ScreenText) -> PromptTemplate? { templates[.screens]?[text.rawValue] }
  func notice(_ code: String) -> PromptTemplate? { templates[.notices]?[code] }
  func time(_ unit: WaitTime.Unit) -> String? { plain[.times]?[unit.rawValue] }
  /// The question about a hypothesis.
  func hypothesis(_ name: String) -> PromptTemplate? { templates[.hypotheses]?[name] }
  /// The title of a component, a facet or a part of the understanding.
  func title(_ name: String) -> String? { plain[.titles]?[name] }
  /// A journey's text, such as `trainer.title`.
  func journey(_ name: String) -> String? { plain[.journeys]?[name] }

  /// The notice in this language; unchanged if it is not translated.
  func translated(_ notice: SessionOutput.Notice) -> SessionOutput.Notice {
    guard let template = try? self.notice(notice.code)?.parsed(notice.code) else { return notice }
    var values: [String: Any] = notice.values.filter { !$0.value.isEmpty }
    if let wait = WaitTime(notice.values["wait"]), let text = time(wait.unit) {
      values["when"] = text.replacing("{{n}}", with: "\(wait.count)")
    }
    var translated = notice
    translated.text = template.render(values)
    translated.values["again"] = label("again")
    if let code = notice.personal?.code, let template = try? self.notice(code)?.parsed(code) {
      translated.personal?.text = template.render(values)
    }
    return translated
  }
}

extension Translation {
  private enum Member: String, CaseIterable {
    case name, review, words, and, fallback, texts, care, choices, notices, screens, times, titles
    case starters, hypotheses, journeys

    static let ofTemplates: [Member] = [.texts, .notices, .screens, .hypotheses]
    static let ofPlainTexts: [Member] = [.care, .choices, .times, .titles, .journeys]
  }

  /// Adds a file's texts, which replace those added before.
  ///
  /// - Parameter isCurrent: Whether a text, by its path without suffix, is the one that was
  ///   translated. A pack that replaces a shared text must translate it, too.
  mutating func add(
    _ document: PackDocument, isCurrent: (String) -> Bool
  ) throws(PackError) {
    try document.checkKeys(of: document.root, Member.allCases.map(\.rawValue))
    words.formUnion((document.root["words"]?.arrayValue ?? []).compactMap(\.stringValue))
    and = document.root["and"]?.stringValue ?? and
    fallback = document.root["fallback"]?.stringValue ?? fallback
    for member in Member.ofTemplates {
      for (name, text) in try Self.strings(member, document)
      where member != .texts || isCurrent("texts/\(name)") {
        templates[member, default: [:]][name] = PromptTemplate(text)
      }
    }
    for member in Member.ofPlainTexts {
      for (name, text) in try Self.strings(member, document)
      where member != .care || isCurrent("care/\(name)") {
        plain[member, default: [:]][name] = text
      }
    }
  }

  mutating func add(starters document: PackDocument, like set: StarterSet?) throws(PackError) {
    guard let object = document.root["starters"], let set else { return }
    starters = try set.translated(object, document)
  }

  private static func strings(
    _ member: Member, _ document: PackDocument
  ) throws(PackError) -> [String: String] {
    var faults = PackFaults()
    var strings: [String: String] = [:]
    let object = document.root[member.rawValue]
    for (name, value) in object?.objectValue ?? [:] {
      if let text = value.stringValue, !text.isEmpty {
        strings[name] = text
      } else {
        faults.add(
          document.wrong(
            "\(member.rawValue): \(name): expected a text, found \(value.serialized())", at: name,
            in: object))
      }
    }
    try faults.raise()
    return strings
  }

  /// What a file's names must be, and what their texts may use.
  struct Names {
    var rubric: Rubric
    var care: Set<String>
    /// Of the understanding.
    var terms: Set<String>
    var hypotheses: Set<String>
    /// Of the pack's own journeys.
    var journeys: [String]
  }

  /// Checks names and variables the way the English texts' are checked.
  static func check(_ document: PackDocument, _ names: Names, _ faults: inout PackFaults) {
    let templates = TemplateName.allCases.filter { !$0.isPrompt }
    let texts = templates.map { String($0.rawValue.dropFirst("texts/".count)) }
    check(.texts, document, texts, &faults) { name in
      templates.first { $0.rawValue == "texts/\(name)" }?.variables
    }
    check(.care, document, Array(names.care), &faults)
    check(.notices, document, nil, &faults)
    check(.screens, document, ScreenText.allCases.map(\.rawValue), &faults) {
      ScreenText(rawValue: $0)?.variables
    }
    // A shared file also has titles for packs that keep the shared understanding.
    let isShared = document.file.hasPrefix("shared/")
    let titles =
      names.rubric.components.map(\.name)
      + names.rubric.facets.map(\.facet.description) + names.terms
    check(
      .titles, document, isShared ? nil : titles, &faults,
      unknown: "expected a component or facet of the rubric, or a name from understanding.json")
    check(.times, document, WaitTime.Unit.allCases.map(\.rawValue), &faults)
    // A copied pack may have dropped journeys.
    check(.journeys, document, nil, &faults)
    check(.hypotheses, document, Array(names.hypotheses), &faults) { _ in
      HypothesisRules.variables
    }
  }

  /// - Parameters:
  ///   - known: The names that there are; nil if any will do.
  ///   - variables: Those of a text; nil if it is not a template that is checked.
  private static func check(
    _ member: Member, _ document: PackDocument, _ known: [String]?, _ faults: inout PackFaults,
    unknown: String = "there is no such text",
    _ variables: (String) -> Set<String>? = { _ in nil }
  ) {
    let strings = faults.gather(try Self.strings(member, document))
    for (name, text) in (strings ?? [:]).sorted(by: { $0.key < $1.key }) {
      if let known, !known.contains(name) {
        faults.add(
          document.wrong(
            "\(member.rawValue): \(name): \(unknown)\(name.hint(among: known))", at: name,
            in: document.root[member.rawValue]))
        continue
      }
      faults.gather { () throws(PackError) in
        if let variables = variables(name) {
          try PackReader.checkVariables(text, variables, document, at: name)
        }
        _ = try PromptTemplate(text).parsed("\(document.file): \(name)")
      }
    }
  }

  /// What of a pack is not translated, such as `titles: goal.outcome`.
  func missing(_ names: Names, _ starters: StarterSet?) -> [String] {
    let rubric = names.rubric
    let titles =
      rubric.components.map(\.name) + rubric.facets.map(\.facet.description)
      + names.terms.sorted()
    let texts = TemplateName.allCases.filter { !$0.isPrompt && template($0) == nil }
    let categories = (starters?.groups ?? []).map(\.category)
    let translated = Set((self.starters?.groups ?? []).map(\.category))
    return titles.filter { title($0) == nil }.map { "titles: \($0)" }
      + texts.map { "texts: \($0.rawValue.dropFirst("texts/".count))" }
      + names.care.sorted().filter { careText($0) == nil }.map { "care: \($0)" }
      + names.hypotheses.sorted().filter { hypothesis($0) == nil }.map { "hypotheses: \($0)" }
      + names.journeys.map { "\($0).title" }.filter { journey($0) == nil }.map { "journeys: \($0)" }
      + categories.filter { !translated.contains($0) }.map { "starters: \($0.rawValue)" }
  }
}
