import ContextQuality
import IncrementalJSON
import Intake
import Signals

/// Reads a question bank, with the file and line of whatever is wrong.
struct BankReader {
  static let folder = "rehearsal/"
  static let file = folder + "questions.txt"
  /// Phrasings each facet needs, so the user is not asked twice in the same words.
  static let fewestPhrasings = 2

  let rubric: Rubric
  let kinds: [CareKind]
  let signals: SignalRules
  /// The pack's folder, for errors.
  let folder: String

  private typealias Malformed = PhrasePattern.Malformed

  /// What every pack can say. A heading of the pack's own files takes the place of all entries with it.
  static let shared = folder + "shared.txt"

  /// - Parameter files: The pack's files, by their path.
  func bank(_ files: [String: String]) throws(PackError) -> QuestionBank {
    var faults = PackFaults()
    var entries: [QuestionBank.Entry] = []
    var lost: Set<Facet> = []
    for (path, text) in files.sorted(by: { $0.key < $1.key })
    where path.hasPrefix(Self.folder) && path.hasSuffix(".txt") && path != Self.shared {
      entries += self.entries(text, path, &faults, &lost)
    }
    let own = Set(entries.map(\.use))
    entries += self.entries(files[Self.shared] ?? "", Self.shared, &faults, &lost)
      .filter { !own.contains($0.use) }
    checkWhole(entries, except: lost, &faults)
    let profile = faults.gather { () throws(PackError) in
      guard let text = files[ProfileMap.path] else {
        throw PackError(file: "\(folder)/\(ProfileMap.path)", reason: "the file is missing")
      }
      return try ProfileMap(json: text, rubric: rubric, folder: folder)
    }
    try faults.raise()
    guard let profile else { throw missing("a profile") }
    return QuestionBank(entries, profile: profile, signals)
  }

  private func entries(
    _ text: String, _ path: String, _ faults: inout PackFaults, _ lost: inout Set<Facet>
  ) -> [QuestionBank.Entry] {
    var entries: [QuestionBank.Entry] = []
    var lists = PhrasePattern.Lists()
    /// Whether the last heading could not be read, so that nobody knows what the lines below it are.
    var isLost = false
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, raw) in lines.enumerated() {
      let line = raw.trimmed
      if line.isEmpty || line.hasPrefix("#") { continue }
      do throws(Malformed) {
        if line.hasPrefix("[") {
          isLost = true
          var entry = try heading(line)
          isLost = false
          entry.line = index + 1
          entries.append(entry)
        } else if line.hasPrefix("@") {
          try lists.define(Array(line.utf8.dropFirst())[...])
        } else if isLost {
          continue
        } else if entries.isEmpty {
          throw Malformed(reason: "expected a heading such as [greet], found \(line)")
        } else {
          try read(line, into: &entries[entries.count - 1], lists)
        }
      } catch {
        faults.add(PackError(file: "\(folder)/\(path)", line: index + 1, reason: error.reason))
        if line.hasPrefix("[") {
          lost.formUnion(meant(by: line))
        } else if !entries.isEmpty {
          entries[entries.count - 1].isDamaged = true
          lost.formUnion(entries[entries.count - 1].facets)
        }
      }
    }
    check(entries, path, &faults)
    return entries
  }

  /// The facets that the words of a malformed heading come near: they are not missing.
  private func meant(by heading: String) -> [Facet] {
    let names = rubric.facets.map(\.facet.description)
    return heading.split { " []".contains($0) }.compactMap { word in
      String(word).nearest(among: names).flatMap { Facet($0) }
    }
  }

  /// `[ask goalClarity.outcome goalClarity.target unless eating-disorder]`
  private func heading(_ line: String) throws(Malformed) -> QuestionBank.Entry {
    guard line.hasSuffix("]") else { throw Malformed(reason: "expected ] at the end of \(line)") }
    let words = line.dropFirst().dropLast().split(separator: " ").map(String.init)
    guard let first = words.first, let use = QuestionBank.Use(rawValue: first) else {
      let uses = QuestionBank.Use.allCases.map(\.rawValue).joined(separator: ", ")
      let hint = words.first?.nearest(among: QuestionBank.Use.allCases.map(\.rawValue))
        .map { "; did you mean [\($0)]?" }
      throw Malformed(reason: "\(words.first ?? "[]"): expected one of \(uses)\(hint ?? "")")
    }
    var entry = QuestionBank.Entry(use: use, rules: signals[.asking])
    var part = ""
    for word in words.dropFirst() {
      switch word {
      case "after", "unless": part = word
      case "first" where part.isEmpty: entry.isFirst = true
      case _ where part == "after": entry.after.append(try care(word))
      case _ where part == "unless": entry.unless.append(try care(word))
      case _ where Self.facetUses.contains(use): entry.facets.append(try facet(word))
      case _ where Self.namedUses.contains(use): entry.name = word
      default: throw Malformed(reason: "\(word): [\(use.rawValue)] expects no such word")
      }
    }
    try checkHeading(entry)
    return entry
  }

  private static let namedUses: Set<QuestionBank.Use> = [.limit, .figure]
  private static let facetUses: Set<QuestionBank.Use> = [
    .ask, .askFirst, .react, .sure, .sureInPassing, .reads, .withholds,
  ]

  private func checkHeading(_ entry: QuestionBank.Entry) throws(Malformed) {
    switch entry.use {
    case .ask where entry.facets.isEmpty, .askFirst where entry.facets.isEmpty,
      .react where entry.facets.count != 1,
      .sure where entry.facets.isEmpty, .sureInPassing where entry.facets.isEmpty,
      .reads where entry.facets.isEmpty, .withholds where entry.facets.isEmpty:
      throw Malformed(
        reason: "[\(entry.use.rawValue)] expects a facet, such as goalClarity.outcome")
    case .figure where entry.name.isEmpty:
      throw Malformed(reason: "[figure] expects what it is about, such as sleep")
    case .limit where !Constraints.lists.contains(where: { $0.name == entry.name }):
      let names = Constraints.lists.map(\.name).joined(separator: ", ")
      throw Malformed(reason: "[limit] expects one of \(names), found \(entry.name)")
    default: break
    }
  }

  private func care(_ word: String) throws(Malformed) -> CareKind {
    guard let kind = kinds.first(where: { $0.rawValue == word }) else {
      let kinds = kinds.map(\.rawValue).joined(separator: ", ")
      throw Malformed(reason: "\(word): expected one of \(kinds)")
    }
    return kind
  }

  private func facet(_ word: String) throws(Malformed) -> Facet {
    guard let facet = Facet(word), rubric[facet] != nil else {
      throw Malformed(
        reason: "\(word): expected a facet of the rubric\(rubric.hint(for: word))")
    }
    return facet
  }

  private func read(
    _ line: String, into entry: inout QuestionBank.Entry, _ lists: PhrasePattern.Lists
  ) throws(Malformed) {
    let place = BankPattern.Place.allCases.first { line.hasPrefix("\($0.rawValue): ") }
    if let place {
      let pattern = Array(line.utf8.dropFirst(place.rawValue.utf8.count + 2))[...]
      let phrase = try PhrasePattern(pattern, lists)
      return entry.patterns.append(BankPattern(place: place, phrase: phrase))
    }
    let style = BankLine.Style.allCases.first { line.hasPrefix("\($0.rawValue): ") }
    let text = style.map { String(line.dropFirst($0.rawValue.count + 2)) } ?? line
    let parsed = BankLine(style: style ?? .usual, parts: try parts(text))
    if [.ask, .askFirst].contains(entry.use), !text.contains("?") {
      throw Malformed(reason: "expected a question with a question mark, found \(text)")
    }
    entry.lines.append(parsed)
  }

  /// `You want to {to goalClarity.outcome}.`
  private func parts(_ text: String) throws(Malformed) -> [BankLine.Part] {
    var parts: [BankLine.Part] = []
    var rest = text[...]
    while let brace = rest.firstIndex(of: "{") {
      guard let end = rest[brace...].firstIndex(of: "}") else {
        throw Malformed(reason: "expected } behind \(rest[brace...].prefix(20))")
      }
      if brace > rest.startIndex { parts.append(.text(String(rest[..<brace]))) }
      parts.append(try place(rest[rest.index(after: brace)..<end]))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
    return parts
  }

  private func place(_ text: Substring) throws(Malformed) -> BankLine.Part {
    let words = text.split(separator: " ").map(String.init)
    let form = words.count == 1 ? .quoted : words.first.flatMap(BankLine.Form.init(rawValue:))
    guard let form, let name = words.last, words.count <= 2, !words.isEmpty else {
      throw Malformed(reason: "{\(text)}: expected {facet}, {to facet} or {if facet}")
    }
    return .words(try facet(name), form)
  }
}

// What a bank as a whole must have.
extension BankReader {
  /// What is read in the user's words rather than said.
  private static let readingUses: Set<QuestionBank.Use> = [
    .noLimit, .limit, .correction, .objection, .sure, .sureInPassing, .reads,
    .withholds,
  ]

  private func check(
    _ entries: [QuestionBank.Entry], _ path: String, _ faults: inout PackFaults
  ) {
    var seen: Set<BankLine> = []
    for entry in entries where !entry.isDamaged {
      let isPatternsOnly = Self.readingUses.contains(entry.use)
      let needsPatterns = isPatternsOnly || [.reply, .figure, .kind, .advice].contains(entry.use)
      func wrong(_ reason: String) -> PackError {
        PackError(
          file: "\(folder)/\(path)", line: entry.line, reason: "[\(entry.use.rawValue)]: \(reason)")
      }
      if entry.patterns.isEmpty == needsPatterns {
        faults.add(
          wrong(needsPatterns ? "expected a line with when:" : "expects no line with when:"))
      }
      if entry.lines.isEmpty != isPatternsOnly {
        faults.add(wrong(isPatternsOnly ? "expects only lines with when:" : "expected a text"))
      }
      for line in entry.lines where entry.use == .ask && !seen.insert(line).inserted {
        faults.add(wrong("the same words stand twice: \(line.tune)"))
      }
    }
  }

  private func missing(_ what: String) -> PackError {
    PackError(file: "\(folder)/\(Self.file)", reason: "expected \(what)")
  }

  private func checkWhole(
    _ entries: [QuestionBank.Entry], except lost: Set<Facet>, _ faults: inout PackFaults
  ) {
    let optional = Self.readingUses.union([
      .askFirst, .react, .reply, .figure, .kind, .advice, .focus, .style, .redFlag, .reactAfterCare,
    ])
    for use in QuestionBank.Use.allCases where !optional.contains(use) {
      if !entries.contains(where: { $0.use == use }) { faults.add(missing("[\(use.rawValue)]")) }
    }
    for definition in rubric.facets where !lost.contains(definition.facet) {
      let facet = definition.facet
      let alone = entries.filter { $0.use == .ask && $0.facets == [facet] && $0.after.isEmpty }
        .flatMap(\.lines)
      if alone.count(where: { $0.style == .usual }) < Self.fewestPhrasings {
        faults.add(missing("at least \(Self.fewestPhrasings) phrasings in [ask \(facet)]"))
      }
      let isCritical = rubric.critical.contains(facet.component)
      for style: BankLine.Style in [.short] + (isCritical ? [.explicit] : []) {
        if !alone.contains(where: { $0.style == style }) {
          faults.add(missing("a line with \(style.rawValue): in [ask \(facet)]"))
        }
      }
    }
  }
}
