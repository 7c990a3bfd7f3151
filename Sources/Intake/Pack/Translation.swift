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
  private var texts: [String: PromptTemplate] = [:]
  private var care: [String: String] = [:]
  private var choices: [String: String] = [:]
  private var notices: [String: PromptTemplate] = [:]
  private var screens: [ScreenText: PromptTemplate] = [:]
  private var times: [String: String] = [:]
  private var titles: [String: String] = [:]
  private var journeys: [String: String] = [:]
  private var hypotheses: [String: PromptTemplate] = [:]
  private(set) var starters: StarterSet?

  init(code: String) { self.code = code }

  func template(_ name: TemplateName) -> PromptTemplate? { texts[name.rawValue] }
  func careText(_ name: String) -> String? { care[name] }
  func label(_ choice: String) -> String? { choices[choice] }
  func screen(_ text: ScreenText) -> PromptTemplate? { screens[text] }
  func time(_ unit: WaitTime.Unit) -> String? { times[unit.rawValue] }
  func notice(_ code: String) -> PromptTemplate? { notices[code] }
  /// The question about a hypothesis.
  func hypothesis(_ name: String) -> PromptTemplate? { hypotheses[name] }
  /// The title of a component, a facet or a part of the understanding.
  func title(_ name: String) -> String? { titles[name] }
  /// A journey's text, such as `trainer.title`.
  func journey(_ name: String) -> String? { journeys[name] }

  /// The notice in this language; unchanged if it is not translated.
  func translated(_ notice: SessionOutput.Notice) -> SessionOutput.Notice {
    guard let template = try? notices[notice.code]?.parsed(notice.code) else { return notice }
    var values: [String: Any] = notice.values.filter { !$0.value.isEmpty }
    if let wait = WaitTime(notice.values["wait"]), let text = time(wait.unit) {
      values["when"] = text.replacing("{{n}}", with: "\(wait.count)")
    }
    var translated = notice
    translated.text = template.render(values)
    translated.values["again"] = label("again")
    if let code = notice.personal?.code, let template = try? notices[code]?.parsed(code) {
      translated.personal?.text = template.render(values)
    }
    return translated
  }
}

extension Translation {
  private enum Member: String, CaseIterable {
    case name, review, words, and, fallback, texts, care, choices, notices, screens, times, titles
    case starters, hypotheses, journeys
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
    for (name, text) in try Self.strings("texts", document) where isCurrent("texts/\(name)") {
      texts["texts/\(name)"] = PromptTemplate(text)
    }
    for (name, text) in try Self.strings("care", document) where isCurrent("care/\(name)") {
      care[name] = text
    }
    choices.merge(try Self.strings("choices", document)) { $1 }
    for (name, text) in try Self.strings("notices", document) {
      notices[name] = PromptTemplate(text)
    }
    for (name, text) in try Self.strings("screens", document) {
      if let screen = ScreenText(rawValue: name) { screens[screen] = PromptTemplate(text) }
    }
    times.merge(try Self.strings("times", document)) { $1 }
    titles.merge(try Self.strings("titles", document)) { $1 }
    journeys.merge(try Self.strings("journeys", document)) { $1 }
    for (name, text) in try Self.strings("hypotheses", document) {
      hypotheses[name] = PromptTemplate(text)
    }
  }

  mutating func add(starters document: PackDocument, like set: StarterSet?) throws(PackError) {
    guard let object = document.root["starters"], let set else { return }
    starters = try set.translated(object, document)
  }

  private static func strings(
    _ member: String, _ document: PackDocument
  ) throws(PackError) -> [String: String] {
    var faults = PackFaults()
    var strings: [String: String] = [:]
    for (name, value) in document.root[member]?.objectValue ?? [:] {
      if let text = value.stringValue, !text.isEmpty {
        strings[name] = text
      } else {
        faults.add(
          document.wrong(
            "\(member): \(name): expected a text, found \(value.serialized())", at: name,
            in: document.root[member]))
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
    check("texts", document, texts, &faults) { name in
      templates.first { $0.rawValue == "texts/\(name)" }?.variables
    }
    check("care", document, Array(names.care), &faults)
    check("notices", document, nil, &faults)
    check("screens", document, ScreenText.allCases.map(\.rawValue), &faults) {
      ScreenText(rawValue: $0)?.variables
    }
    // A shared file also has titles for packs that keep the shared understanding.
    let isShared = document.file.hasPrefix("shared/")
    let titles =
      names.rubric.components.map(\.name)
      + names.rubric.facets.map(\.facet.description) + names.terms
    check(
      "titles", document, isShared ? nil : titles, &faults,
      unknown: "expected a component or facet of the rubric, or a name from understanding.json")
    check("times", document, WaitTime.Unit.allCases.map(\.rawValue), &faults)
    // A copied pack may have dropped journeys.
    check("journeys", document, nil, &faults)
    check("hypotheses", document, Array(names.hypotheses), &faults) { _ in
      HypothesisRules.variables
    }
  }

  /// - Parameters:
  ///   - known: The names that there are; nil if any will do.
  ///   - variables: Those of a text; nil if it is not a template that is checked.
  private static func check(
    _ member: String, _ document: PackDocument, _ known: [String]?, _ faults: inout PackFaults,
    unknown: String = "there is no such text",
    _ variables: (String) -> Set<String>? = { _ in nil }
  ) {
    let strings = faults.gather(try Self.strings(member, document))
    for (name, text) in (strings ?? [:]).sorted(by: { $0.key < $1.key }) {
      if let known, !known.contains(name) {
        let hint = name.nearest(among: known).map { "; did you mean \($0)?" } ?? ""
        faults.add(
          document.wrong(
            "\(member): \(name): \(unknown)\(hint)", at: name,
            in: document.root[member]))
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
