public import ContextQuality

/// A small deterministic filter for clear phrases, read from a pack's `care.txt`.
///
/// It runs on every message before any model result is used. It cannot judge subtle cases; the
/// scorer marks those.
public struct CareNet: Sendable {
  /// Users below this age, in years, are minors.
  public static let ageOfMajority = 18

  /// A class, because copying a group of phrases costs as much as looking for them.
  private final class Group: Sendable {
    let kind: CareKind
    let name: String
    let countsForAnyone: Bool
    let countsEver: Bool
    let isAboutChild: Bool
    let spansSentences: Bool
    let rule: PhraseRule
    /// Phrases that count when denied, too.
    let evenDenied: PhraseRule

    var isOwnAge: Bool { kind == .minor && !isAboutChild }

    init(_ kind: CareKind, _ name: String, flags: Set<String>, _ entries: [PhraseFile.Entry]) {
      (self.kind, self.name) = (kind, name)
      countsForAnyone = flags.contains("anyone")
      countsEver = flags.contains("ever")
      isAboutChild = flags.contains("child")
      spansSentences = flags.contains("across")
      var (rule, evenDenied) = (PhraseRule(), PhraseRule())
      for entry in entries {
        if entry.mark == .evenDenied { evenDenied.add(entry) } else { rule.add(entry) }
      }
      (self.rule, self.evenDenied) = (rule, evenDenied)
    }
  }

  /// Most urgent first.
  private let kinds: [CareKind]
  private var groups: [Group] = []
  private var context: CareContext
  /// Words that tell the language of a text, by its code.
  private var languages: [(code: String, rule: PhraseRule)] = []
  private(set) var ownAge = OwnAge()

  /// The response texts for matches.
  package var textNames: Set<String> { Set(groups.map(\.name) + kinds.map(\.rawValue)) }

  /// The groups without phrases. A minor's age needs none.
  package var unheard: [String] {
    groups.filter { $0.rule.isEmpty && $0.evenDenied.isEmpty && $0.kind != .minor }.map {
      "[\($0.kind.rawValue) \($0.name)]"
    }
  }

  /// - Parameters:
  ///   - files: Texts with their names, for errors. Each can use the lists of those before it.
  ///   - kinds: The kinds allowed in headings, most urgent first.
  ///   - rules: Rules for who a sentence is about and its denials.
  public init(
    files: [(text: String, name: String)], kinds: [CareKind], rules: SignalRules
  ) throws(PackError) {
    self.kinds = kinds
    context = CareContext(rules)
    var lists = PhrasePattern.Lists()
    var faults = PackFaults()
    for file in files {
      faults.gather(try read(PhraseFile(file.text, name: file.name), &lists))
    }
    try faults.raise()
    let urgency = Dictionary(kinds.enumerated().map { ($1, $0) }) { first, _ in first }
    groups.sort { urgency[$0.kind, default: 0] < urgency[$1.kind, default: 0] }
  }

  private mutating func read(
    _ file: PhraseFile, _ lists: inout PhrasePattern.Lists
  ) throws(PackError) {
    try file.define(in: &lists)
    let sections = try file.sections(lists)
    if sections.isEmpty { throw PackError(file: file.name, reason: "expected [kind text-name]") }
    var faults = PackFaults()
    for section in sections {
      switch section.heading {
      case ["past"]: context.past.add(section.entries)
      case ["present"]: context.present.add(section.entries)
      case ["company"]: context.company.add(section.entries)
      case ["named"]: context.named.add(section.entries)
      case ["opening"]: context.opening.add(section.entries)
      case ["age"]: ownAge.rule.add(section.entries)
      case let heading where heading.first == "language":
        if heading.count == 2 {
          add(section.entries, in: heading[1])
        } else {
          faults.add(
            file.error(section.line, "expected [language code], such as [language es]"))
        }
      default:
        let group = faults.gather(try Self.group(section, file, kinds))
        if let group { groups.append(group) }
      }
    }
    try faults.raise()
  }

  private mutating func add(_ entries: [PhraseFile.Entry], in code: String) {
    let place = languages.firstIndex { $0.code == code } ?? languages.count
    if place == languages.count { languages.append((code, PhraseRule())) }
    languages[place].rule.add(entries)
  }

  private static func group(
    _ section: PhraseFile.Section, _ file: PhraseFile, _ kinds: [CareKind]
  ) throws(PackError) -> Group {
    let words = section.heading
    guard words.count >= 2, let kind = kinds.first(where: { $0.rawValue == words[0] }) else {
      let kinds = kinds.map(\.rawValue).joined(separator: ", ")
      throw file.error(section.line, "expected [kind text-name], kind one of \(kinds)")
    }
    let flags = Set(words.dropFirst(2))
    if let flag = words.dropFirst(2).first(where: { !Self.flags.contains($0) }) {
      throw file.error(
        section.line, "expected a flag anyone, ever, child or across, found \(flag)")
    }
    return Group(kind, words[1], flags: flags, section.entries)
  }
  private static let flags: Set<String> = ["anyone", "ever", "child", "across"]

  /// The most urgent match in a message; nil if none.
  public func classify(_ text: String) -> CareFinding? { hear(text)?.finding }

  /// A match and its words.
  private func hear(_ text: String) -> (finding: CareFinding, words: PhrasePattern.Text)? {
    let words = Words(text)
    let sentences = words.sentences
    let isUnderAge = statedAge(in: text).map { $0 < Self.ageOfMajority } ?? false
    let single = zip(sentences, words.pauses).map { PhrasePattern.Text($0, pauses: $1) }
    let pairs = zip(single, single.dropFirst()).map { $0 + $1 }
    for group in groups {
      let caught =
        single.first { catches(group, $0) }
        ?? (group.spansSentences ? pairs.first { catches(group, $0) } : nil)
        ?? (isUnderAge && group.isOwnAge ? PhrasePattern.Text(sentences.flatMap(\.self)) : nil)
      guard let caught else { continue }
      let finding = CareFinding(
        kind: group.kind, name: group.name, concernsUser: !group.isAboutChild)
      return (finding, caught)
    }
    return nil
  }

  /// The sentence of a message that matches, and the language that its words show.
  package func heard(in text: String) -> (words: String, language: String?)? {
    guard let words = hear(text)?.words else { return nil }
    let counts = languages.filter { !$0.rule.exceptions.matches(words) }
      .map { (code: $0.code, count: $0.rule.ranges(in: words).count) }
    let most = counts.map(\.count).max() ?? 0
    let best = counts.filter { $0.count == most }
    return (
      words.words.joined(separator: " "), best.count == 1 && most > 0 ? best[0].code : nil
    )
  }

  private func catches(_ group: Group, _ sentence: PhrasePattern.Text) -> Bool {
    guard !group.rule.ranges(in: sentence).isEmpty || group.evenDenied.matches(sentence) else {
      return false
    }
    let counts = { !context.denial.breaksOff(in: $0, of: sentence) }
    let text = group.rule.withoutIdioms(sentence, where: counts)
    let ranges = group.rule.ranges(in: text).map { ($0, false) }
    let evenDenied = group.evenDenied.ranges(in: text).map { ($0, true) }
    let isCaught = (ranges + evenDenied).contains { match, isEvenDenied in
      (group.countsForAnyone || !context.isAboutSomebodyElse(match, in: text))
        && (isEvenDenied || !isDenied(match, group, in: text, of: sentence))
        && (group.countsEver || !context.isOver(text, match))
    }
    return isCaught && !group.rule.exceptions.ranges(in: text).contains(where: counts)
  }

  /// Whether a denial before a match reaches it, or one within it that the phrase does without.
  private func isDenied(
    _ match: Range<Int>, _ group: Group, in text: PhrasePattern.Text,
    of sentence: PhrasePattern.Text
  ) -> Bool {
    if context.denial.reaches(match.lowerBound, in: sentence) { return true }
    guard let negation = context.denial.negation(in: match, of: sentence) else { return false }
    var words = text.words
    words[negation] = ""
    let rest = PhrasePattern.Text(words, pauses: text.pauses)
    return group.rule.ranges(in: rest).contains(match)
  }
}
