public import ContextQuality
import IncrementalJSON

/// A small deterministic net of unmistakable phrases, read from a pack's `care.txt`.
///
/// It runs on every message before any model is believed. It is no judge of anything subtle: the
/// scorer's own mark is for that.
public struct CareNet: Sendable {
  /// Below this age somebody is treated as a minor, in years.
  public static let ageOfMajority = 18

  private struct Group: Sendable {
    var kind: CareKind
    var name: String
    var countsForAnyone = false
    var countsEver = false
    var isAboutChild = false
    var spansSentences = false
    var patterns: [Pattern] = []
    var exceptions: [PhrasePattern] = []
    var idioms: [PhrasePattern] = []
  }

  private struct Pattern: Sendable {
    var phrase: PhrasePattern
    var toleratesNegation: Bool
  }

  private enum Section {
    case group, past, present
  }

  /// The most urgent first.
  private let kinds: [CareKind]
  private var groups: [Group] = []
  private var context = CareContext()

  /// The texts that answer what the net catches.
  package var textNames: Set<String> { Set(groups.map(\.name) + kinds.map(\.rawValue)) }

  /// What no phrase leads to; nil where each group has one. A minor's age is read without any.
  package var unheard: String? {
    if groups.isEmpty { return "[kind text-name]" }
    return groups.first { $0.patterns.isEmpty && $0.kind != .minor }.map {
      "[\($0.kind.rawValue) \($0.name)]"
    }
  }

  /// - Parameter file: The file's name, for errors.
  /// - Parameter kinds: What the headings may name, the most urgent first.
  public init(text: String, file: String, kinds: [CareKind]) throws(PackError) {
    self.kinds = kinds
    var lists = PhrasePattern.Lists()
    var section: Section?
    let lines = Array(text.utf8).split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      do throws(PhrasePattern.Malformed) {
        try read(Self.trimmed(line), &section, &lists)
      } catch {
        throw PackError(file: file, line: index + 1, reason: error.reason)
      }
    }
    let urgency = Dictionary(uniqueKeysWithValues: kinds.enumerated().map { ($1, $0) })
    groups.sort { urgency[$0.kind, default: 0] < urgency[$1.kind, default: 0] }
  }

  private mutating func read(
    _ line: UTF8Line, _ section: inout Section?, _ lists: inout PhrasePattern.Lists
  ) throws(PhrasePattern.Malformed) {
    let isComment = line.starts(with: "# ".utf8) || line.elementsEqual("#".utf8)
    guard let mark = line.first, !isComment else { return }
    switch mark {
    case UInt8(ascii: "["): section = try open(String(decoding: line, as: UTF8.self))
    case UInt8(ascii: "@") where section == nil: try lists.define(line.dropFirst())
    default:
      switch section {
      case .past: context.past.append(try PhrasePattern(line, lists))
      case .present: context.present.append(try PhrasePattern(line, lists))
      case .group: try add(line, mark, lists)
      case nil: throw PhrasePattern.Malformed(reason: "expected a [kind text-name] heading first")
      }
    }
  }

  private static func trimmed(_ line: UTF8Line) -> UTF8Line {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    var rest = line.drop(while: isSpace)
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    return rest
  }

  private mutating func add(
    _ line: UTF8Line, _ mark: UInt8, _ lists: PhrasePattern.Lists
  ) throws(PhrasePattern.Malformed) {
    let last = groups.count - 1
    switch mark {
    case UInt8(ascii: "-"):
      groups[last].exceptions.append(try PhrasePattern(line.dropFirst(), lists))
    case UInt8(ascii: "!"): groups[last].idioms.append(try PhrasePattern(line.dropFirst(), lists))
    default:
      let toleratesNegation = mark == UInt8(ascii: "=")
      let phrase = try PhrasePattern(toleratesNegation ? line.dropFirst() : line, lists)
      groups[last].patterns.append(Pattern(phrase: phrase, toleratesNegation: toleratesNegation))
    }
  }

  private mutating func open(_ line: String) throws(PhrasePattern.Malformed) -> Section {
    if line == "[past]" { return .past }
    if line == "[present]" { return .present }
    groups.append(try heading(line))
    return .group
  }

  private func heading(_ line: String) throws(PhrasePattern.Malformed) -> Group {
    let words = line.dropFirst().prefix { $0 != "]" }.split(separator: " ").map(String.init)
    guard words.count >= 2, let kind = kinds.first(where: { $0.rawValue == words[0] }),
      line.hasSuffix("]")
    else {
      let kinds = kinds.map(\.rawValue).joined(separator: ", ")
      throw PhrasePattern.Malformed(reason: "expected [kind text-name], kind one of \(kinds)")
    }
    var group = Group(kind: kind, name: words[1])
    for flag in words.dropFirst(2) {
      switch flag {
      case "anyone": group.countsForAnyone = true
      case "ever": group.countsEver = true
      case "child": group.isAboutChild = true
      case "across": group.spansSentences = true
      default:
        throw PhrasePattern.Malformed(
          reason: "expected a flag anyone, ever, child or across, found \(flag)")
      }
    }
    return group
  }

  /// The most urgent thing in a message; nil for an ordinary one.
  public func classify(_ text: String) -> CareFinding? {
    let sentences = Words(text).sentences
    let isUnderAge = Self.isUnderAge(Self.clauses(text))
    let single = sentences.map { PhrasePattern.Text($0) }
    let pairs = zip(sentences, sentences.dropFirst()).map { PhrasePattern.Text($0 + $1) }
    for group in groups {
      let isCaught =
        single.contains { catches(group, $0) }
        || group.spansSentences && pairs.contains { catches(group, $0) }
        || group.kind == .minor && !group.isAboutChild && isUnderAge
      if isCaught {
        return CareFinding(kind: group.kind, name: group.name, concernsUser: !group.isAboutChild)
      }
    }
    return nil
  }

  private func catches(_ group: Group, _ sentence: PhrasePattern.Text) -> Bool {
    // Leaving idioms out takes matches away and adds none.
    guard group.patterns.contains(where: { $0.phrase.matches(in: sentence) }) else { return false }
    let text = Self.withoutIdioms(sentence, group.idioms)
    let isCaught = group.patterns.contains { pattern in
      pattern.phrase.matches(in: text).contains { match in
        (group.countsForAnyone || !CareContext.isAboutSomebodyElse(text.words[..<match.upperBound]))
          && (pattern.toleratesNegation
            || !CareContext.isNegated(sentence.words[..<match.lowerBound]))
          && (group.countsEver || !context.isOver(text, match))
      }
    }
    return isCaught && !group.exceptions.contains { $0.matches(in: text) }
  }

  /// Idioms leave a gap that no word of a phrase can match.
  private static func withoutIdioms(
    _ text: PhrasePattern.Text, _ idioms: [PhrasePattern]
  ) -> PhrasePattern.Text {
    let matches = idioms.flatMap { $0.matches(in: text) as [Range<Int>] }
    guard !matches.isEmpty else { return text }
    var rest = text.words
    for match in matches {
      for index in match { rest[index] = "" }
    }
    return PhrasePattern.Text(rest)
  }
}
