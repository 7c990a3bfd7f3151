import ContextQuality
import IncrementalJSON
import Mustache

/// A pack's fixed texts in another language, from `languages/CODE.json`. What it lacks is said in
/// English.
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

  /// The notice in this language; unchanged if it isn't translated.
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
      translated.personal = (code, template.render(values))
    }
    return translated
  }
}

extension Translation {
  private enum Member: String, CaseIterable {
    case name, review, words, and, fallback, texts, care, choices, notices, screens, times, titles
    case starters, hypotheses
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
    var strings: [String: String] = [:]
    for (name, value) in document.root[member]?.objectValue ?? [:] {
      guard let text = value.stringValue, !text.isEmpty else {
        throw document.wrong("\(member): \(name): expected a text, found \(value.serialized())")
      }
      strings[name] = text
    }
    return strings
  }

  /// Checks names and variables the way the English texts' are checked.
  func check(
    _ document: PackDocument, _ rubric: Rubric, careNames: Set<String>, terms: Set<String>
  ) throws(PackError) {
    let names = TemplateName.allCases.filter { !$0.isPrompt }
    for (name, text) in try Self.strings("texts", document) {
      guard let template = names.first(where: { $0.rawValue == "texts/\(name)" }) else {
        throw document.wrong("texts: \(name): there is no such text")
      }
      try PackReader.checkVariables(text, template.variables, file: document.file, at: name)
      _ = try PromptTemplate(text).parsed("\(document.file): \(name)")
    }
    for name in try Self.strings("care", document).keys where !careNames.contains(name) {
      throw document.wrong("care: \(name): there is no such text")
    }
    for (name, text) in try Self.strings("notices", document) {
      _ = try PromptTemplate(text).parsed("\(document.file): \(name)")
    }
    try checkScreens(document)
    for name in try Self.strings("titles", document).keys {
      let isFacet = Facet(name).map { rubric[$0] != nil } ?? false
      guard isFacet || rubric[component: name] != nil || terms.contains(name) || isShared(document)
      else {
        throw document.wrong(
          "titles: \(name): expected a component or facet of the rubric, or a name from "
            + "understanding.json")
      }
    }
    let units = WaitTime.Unit.allCases.map(\.rawValue)
    for name in try Self.strings("times", document).keys where !units.contains(name) {
      throw document.wrong("times: \(name): expected one of \(units.joined(separator: ", "))")
    }
  }

  /// A shared file also has titles for packs that keep the shared understanding.
  private func isShared(_ document: PackDocument) -> Bool { document.file.hasPrefix("shared/") }

  static func check(
    _ document: PackDocument, hypotheses: Set<String>
  ) throws(PackError) {
    for (name, text) in try strings("hypotheses", document) {
      guard hypotheses.contains(name) else {
        throw document.wrong("hypotheses: \(name): there is no such hypothesis")
      }
      try PackReader.checkVariables(
        text, HypothesisRules.variables, file: document.file, at: name)
      _ = try PromptTemplate(text).parsed("\(document.file): \(name)")
    }
  }

  private func checkScreens(_ document: PackDocument) throws(PackError) {
    for (name, text) in try Self.strings("screens", document) {
      guard let screen = ScreenText(rawValue: name) else {
        throw document.wrong("screens: \(name): there is no such text")
      }
      try PackReader.checkVariables(text, screen.variables, file: document.file, at: name)
      _ = try PromptTemplate(text).parsed("\(document.file): \(name)")
    }
  }
}
