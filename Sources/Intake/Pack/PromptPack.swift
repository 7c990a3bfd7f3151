public import ContextQuality
import IncrementalJSON
import Mustache
public import Signals
import Synchronization

/// Everything specific to one coaching domain: the rubric, the prompts, the fixed texts and the
/// phrase lists. It is data only. To add a domain, add a folder.
public final class PromptPack: Sendable {
  public let name: String
  public let version: String
  public let rubric: Rubric
  /// The facet that a height or weight fills; nil if the pack does not ask for them.
  public let bodyFacet: Facet?
  /// What tells of injuries, illnesses and medicines; nil if the pack plans nothing that strains.
  public let limitsFacet: Facet?
  /// What prompts call the coach and what it is about, by name.
  private let words: [String: String]
  /// What readings of health data can show.
  package let readingRules: ReadingRules
  /// Whether its coach offers to look at health data.
  package var readsHealth: Bool { readingRules != ReadingRules() }
  public let careNet: CareNet
  /// The kinds of care, and what to remember after each.
  public let careNotes: CareNotes
  /// The shared word lists and rules, plus the pack's additions.
  package let signals: SignalRules
  /// What of it refuses evidence.
  let evidenceGuard: EvidenceGuard
  public let consent: Consent
  /// The words for heights and weights.
  package let measureWords: MeasureWords
  /// Included in every profile.
  public let medicalDisclaimer: String

  /// What it understands of a person, by name.
  package let understandingTerms: UnderstandingTerms
  /// What its coach may suppose and ask about.
  let hypothesisRules: HypothesisRules
  private let templates: [String: PromptTemplate]
  /// Text shared by all conversations.
  private let fixed = FixedTexts()
  private let careTexts: [String: String]
  /// Rehearsal texts, by path. They are read on demand, because conversations with a model do not
  /// need them.
  package let rehearsalFiles: [String: String]
  /// Its journeys, by path, such as `journeys/discovery.json`.
  package let journeyFiles: [String: String]
  /// The schemas, rules and templates of the documents that are drafted, by path.
  package let documentFiles: [String: String]
  /// Its data for coaching, by path, such as `coaching/activities.json`.
  package let coachingFiles: [String: String]
  /// Its changes that should make no difference to a scorer.
  package let judgingFile: String?
  /// The pack's folder, for errors.
  package let folder: String
  /// Suggestions for the first message; nil if the pack has none.
  let starters: StarterSet?
  /// The fixed texts in other languages.
  let translations: Translations
  private let translatedNames: Translation.Names

  /// Reads and checks a pack.
  ///
  /// - Parameters:
  ///   - files: File texts, by path below the pack's folder.
  ///   - folder: The folder's name, for errors.
  /// - Throws: `PackError` with everything that is wrong.
  public convenience init(files: [String: String], folder: String) throws(PackError) {
    var faults = PackFaults()
    try self.init(checking: files, folder: folder, &faults)
    try faults.raise()
  }

  /// Reads what can be read of a pack, so that the rest of it can be checked, too.
  ///
  /// - Throws: `PackError` if there is no rubric, or no care net.
  package convenience init(
    checking files: [String: String], folder: String, _ faults: inout PackFaults
  ) throws(PackError) {
    try self.init(files: files, folder: folder, checksNow: true, &faults)
  }

  /// A pack that checks its templates only on use.
  convenience init(unchecked files: [String: String], folder: String) throws(PackError) {
    var faults = PackFaults()
    try self.init(files: files, folder: folder, checksNow: false, &faults)
    try faults.raise()
  }

  private init(
    files own: [String: String], folder: String, checksNow: Bool, _ faults: inout PackFaults
  ) throws(PackError) {
    // A pack can leave out texts that all domains share.
    let shared = Self.sharedFiles()
    let files = shared.merging(own) { $1 }
    let reader = PackReader(files: files, folder: folder)
    let document = faults.gather(try reader.json("pack.json"))
    let rubric = try Rubric(try reader.json("rubric.json"), &faults)
    let manifest = document.map { PackManifest($0, reader, rubric, &faults) } ?? PackManifest()
    (self.rubric, name, version) = (rubric, manifest.name, manifest.version)
    (bodyFacet, limitsFacet) = (manifest.bodyFacet, manifest.limitsFacet)
    (words, readingRules) = (manifest.words, manifest.readings)
    let measures =
      faults.gather(try reader.measureWords("signals/measures.json")) ?? MeasureWords()
    let ownSignals = faults.gather(
      try SignalRules(shared: shared, own: own, folder: folder, measures: measures))
    let signals =
      if let ownSignals { ownSignals } else {
        try SignalRules(shared: shared, own: [:], folder: folder)
      }
    (measureWords, self.signals) = (measures, signals)
    (evidenceGuard, consent) = (EvidenceGuard(signals), Consent(signals))
    if checksNow { faults.gather(try signals.check(rubric)) }
    let notes = faults.gather(try reader.careNotes("care/notes.json"))
    careNotes = notes ?? .minimum
    let net = faults.gather(
      try reader.careNet(
        "care.txt", with: try document?.carePhrases(), kinds: notes?.kinds ?? [], signals))
    let terms = UnderstandingTerms(shared: shared, own: own, folder: folder, &faults)
    understandingTerms = terms
    hypothesisRules =
      own[HypothesisRules.path] == nil
      ? HypothesisRules() : HypothesisRules(reader, rubric, terms, &faults)
    careTexts = reader.careTexts(
      named: (net?.textNames ?? []).union(CareStep.namesInEveryPack), &faults)
    templates = reader.templates(TemplateName.allCases, parsesNow: checksNow, &faults)
    medicalDisclaimer = faults.gather(try reader.text("texts/medical-disclaimer.md")) ?? ""
    starters = faults.gather(try reader.starters("starters.json", rubric)) ?? nil
    translations = Translations(shared: shared, own: own, folder: folder, starters: starters)
    func below(_ folder: String) -> [String: String] {
      files.filter { $0.key.hasPrefix(folder + "/") }
    }
    (journeyFiles, rehearsalFiles) = (below("journeys"), below("rehearsal"))
    (documentFiles, coachingFiles) = (below("documents"), below("coaching"))
    judgingFile = files["judging/changes.json"]
    translatedNames = Translation.Names(
      rubric: rubric, care: Set(careTexts.keys), terms: Set(terms.terms.map(\.id)),
      hypotheses: Set(hypothesisRules.rules.map(\.name)),
      journeys: journeyFiles.keys.sorted().map {
        String($0.dropFirst("journeys/".count).dropLast(".json".count))
      })
    if checksNow { translations.check(translatedNames, &faults) }
    self.folder = folder
    guard let net else {
      try faults.raise()
      throw reader.empty("care.txt")
    }
    careNet = net
  }

  /// Names what would have no effect or appear in English only: files of unknown names, facets in prompts that
  /// the rubric does not have, and texts that are missing in a language which the pack has.
  package func checkWhole(_ own: [String: String], _ faults: inout PackFaults) {
    translations.checkWhole(translatedNames, &faults)
    checkFacets(own, &faults)
    let known = Self.fileNames(careTexts.keys)
    for path in own.keys.sorted() where !known.contains(path) {
      if Self.freeFiles.contains(where: { path.hasPrefix($0) && path.hasSuffix($1) }) { continue }
      let hint = path.nearest(among: known)
      let folder = path.split(separator: "/").dropLast().first.map(String.init)
      // Notes and recordings may lie beside the pack's files.
      guard hint != nil || folder.map(Self.folders.contains) == true else { continue }
      faults.add(
        PackError(
          file: "\(self.folder)/\(path)",
          reason: "no such file is read" + (hint.map { "; did you mean \($0)?" } ?? "")))
    }
  }

  /// How files begin and end whose names are free.
  private static let freeFiles = [
    ("rehearsal/", ".txt"), ("languages/", ".json"), ("journeys/", ".json"),
    ("coaching/texts.", ".json"), ("coaching/grammar.", ".json"),
  ]

  private static let folders = Set(
    "care coaching documents journeys judging languages prompts rehearsal signals texts"
      .split(separator: " ").map(String.init))

  private static func fileNames(_ care: some Sequence<String>) -> [String] {
    let signals = SignalFile.allCases.map { "signals/shared/\($0.rawValue).txt" }
    return [
      "pack.json", "rubric.json", "care.txt", "hypotheses.json", "starters.json",
      "rehearsal/profile.json", "documents/rules.json",
    ] + sharedFiles().keys.sorted() + signals + care.sorted().map { "care/\($0).md" }
      + TemplateName.allCases.map(\.path)
  }

  /// English texts that are shown or sent unchanged, including templates with their tags. None of
  /// them comes from the user.
  public var fixedTexts: [String] {
    let facets = rubric.facets.flatMap { [$0.title, $0.label, $0.knownWhen, $0.notEnough] }
    let terms = understandingTerms.terms.flatMap { [$0.title, $0.means, $0.speak ?? ""] }
    return templates.values.map(\.source) + Array(careTexts.values) + facets + terms
      + hypothesisRules.rules.map(\.ask.source)
      + rubric.components.flatMap { [$0.title, $0.label] } + words.values + [medicalDisclaimer]
  }

  /// Fills in a template. An empty value counts as missing.
  ///
  /// - Throws: `PackError` if the template is missing or cannot be parsed, or if it is a prompt
  ///   that renders blank. A model must never get a blank prompt.
  func render(
    _ template: TemplateName, _ values: [String: Any], in language: Translation? = nil
  ) throws(PackError) -> String {
    let file = "\(folder)/\(template.path)"
    guard let source = language?.template(template) ?? templates[template.rawValue] else {
      throw PackError(file: file, reason: "the file is missing")
    }
    let values = template.isPrompt ? values.merging(words) { first, _ in first } : values
    let text = Self.tidied(try source.parsed(file).render(TemplateValues(values)))
    if template.needsText, text.allSatisfy(\.isWhitespace) {
      throw PackError(file: file, reason: "the prompt comes out blank")
    }
    return text
  }

  /// The state of a session with this pack after its events.
  public func state(after events: [RecordedEvent] = []) -> IntakeState {
    IntakeState(rubric: rubric, bodyFacet: bodyFacet, careNotes: careNotes, events: events)
  }

  var starterTitles: [Starters.Category: String] { starters?.titles ?? [:] }

  func starterTitle(of category: Starters.Category) -> String {
    starterTitles[category] ?? category.rawValue
  }

  /// Text that depends only on the pack, made on first use.
  func fixedText<Failure: Error>(
    _ name: String, _ make: () throws(Failure) -> String
  ) throws(Failure) -> String {
    try fixed.text(name, make)
  }

  /// The care text with a name, such as `crisis`; if missing, the text of the kind.
  package func careText(_ name: String, kind: CareKind) -> String {
    careTexts[name] ?? careTexts[kind.rawValue] ?? ""
  }

  /// The same in the language of what somebody wrote, the newest last.
  package func careText(_ name: String, kind: CareKind, answering messages: [String]) -> String {
    careText(name, kind: kind, in: careLanguage(answering: messages))
      ?? careText(name, kind: kind)
  }

  /// The language of the words that need care, or else of the messages.
  func careLanguage(
    answering messages: [String], otherwise code: String? = nil
  ) -> Translation? {
    translations.language(
      of: messages, signals, hearing: messages.last.flatMap { careNet.heard(in: $0) },
      otherwise: code)
  }

  /// The care text in another language; nil if it is not translated.
  func careText(_ name: String, kind: CareKind, in language: Translation?) -> String? {
    guard let language else { return nil }
    return language.careText(careTexts[name] == nil ? kind.rawValue : name)
  }

  /// The language that the user writes, or their device's before they have; nil for English, or if there are no
  /// texts in it.
  ///
  /// - Parameter device: The device's before the conversation has begun.
  func translation(
    for state: IntakeState, hearing text: String = "", on device: String? = nil
  ) -> Translation? {
    translations.language(
      of: state.turns.map(\.text) + (text.isEmpty ? [] : [text]), signals,
      otherwise: state.start.map(\.language) ?? device)
  }

  /// The same, for what somebody wrote.
  package func languageCode(of messages: [String], otherwise code: String? = nil) -> String? {
    translations.language(of: messages, signals, otherwise: code)?.code
  }

  /// The code of that language, such as `es`; nil for English.
  package func languageCode(for state: IntakeState) -> String? { translation(for: state)?.code }

  /// A label or title in the person's language; nil for English.
  package func label(_ name: String, for state: IntakeState) -> String? {
    let translation = translation(for: state)
    return translation?.label(name) ?? translation?.title(name)
  }

  /// Collapses runs of blank lines, which empty sections leave behind.
  private static func tidied(_ text: String) -> String {
    var text = text
    return text.withUTF8 { bytes in
      var tidied: [UInt8] = []
      tidied.reserveCapacity(bytes.count)
      for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
          // Between two lines of text, one blank line at most.
          if tidied.last == 0x0A, tidied.dropLast().last != 0x0A { tidied.append(0x0A) }
        } else {
          tidied += line
          tidied.append(0x0A)
        }
      }
      while tidied.last == 0x0A { tidied.removeLast() }
      return String(decoding: tidied, as: UTF8.self)
    }
  }
}

/// A template's values, or those of a row in a list, without the empty ones. Looking for a name in a dictionary
/// would take Mustache through a cast that costs more than the rest of rendering.
private struct TemplateValues: MustacheParent {
  private let values: [String: Any]

  init(_ values: [String: Any]) {
    self.values = values.compactMapValues { value in
      if (value as? String)?.isEmpty == true { return nil }
      return (value as? [[String: Any]]).map { rows in rows.map { TemplateValues($0) } } ?? value
    }
  }

  func child(named name: String) -> Any? { values[name] }
}

private final class FixedTexts: Sendable {
  private let texts = Mutex<[String: String]>([:])

  func text<Failure: Error>(
    _ name: String, _ make: () throws(Failure) -> String
  ) throws(Failure) -> String {
    try texts.withLock { texts throws(Failure) in
      if let text = texts[name] { return text }
      let text = try make()
      texts[name] = text
      return text
    }
  }
}

/// The session started with a different pack.
public struct PackMismatch: Error, Hashable, Sendable {
  public let begun: String
  public let now: String
}

extension PromptPack {
  /// The default pack.
  public static let defaultName = "fitness"

  /// The built-in packs.
  public static let embeddedNames = EmbeddedPrompts.files.map(\.path)
    .filter { $0.hasSuffix("/pack.json") }.map { String($0.dropLast("/pack.json".count)) }.sorted()

  /// A built-in pack, read the first time it is asked for. The program's tests check its files.
  public static func embedded(_ name: String = defaultName) throws(PackError) -> PromptPack {
    if let known = known.withLock({ $0[name] }) { return known }
    let pack = try PromptPack(unchecked: try embeddedFiles(name), folder: name)
    known.withLock { $0[name] = pack }
    return pack
  }

  private static let known = Mutex<[String: PromptPack]>([:])

  /// The built-in pack's rubric alone.
  public static func embeddedRubric(_ name: String = defaultName) throws(PackError) -> Rubric {
    try PackReader(files: try embeddedFiles(name), folder: name).rubric("rubric.json")
  }

  static func embeddedFiles(_ name: String) throws(PackError) -> [String: String] {
    let files = embedded(under: name)
    guard files["pack.json"] != nil else {
      throw PackError(file: name, reason: "no such pack is built in")
    }
    return files
  }

  /// Defaults for files missing from a pack, and the word lists of languages.
  package static func sharedFiles() -> [String: String] { embedded(under: "shared") }

  /// The files that a new pack begins with, except its manifest.
  package static func newFiles() -> [String: String] { embedded(under: "new") }

  private static func embedded(under folder: String) -> [String: String] {
    let prefix = folder + "/"
    let files = EmbeddedPrompts.files.filter { $0.path.hasPrefix(prefix) }
      .map { (String($0.path.dropFirst(prefix.count)), $0.text) }
    return Dictionary(files, uniquingKeysWith: { first, _ in first })
  }
}
