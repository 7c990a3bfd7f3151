public import ContextQuality

/// Refuses user quotes that clearly are not evidence.
///
/// The scorer judges the rubric's rules 4 (other people), 5 (questions and hypotheticals) and 9
/// (instructions to the scorer). This catches clear cases that a misled scorer would let through.
/// `signals/evidence.txt` lists them.
public struct EvidenceGuard: Sendable {
  public enum Refusal: String, Hashable, Sendable, Codable {
    case instruction = "an instruction to the scorer"
    case markup = "markup or code"
    case hypothetical = "a hypothetical"
    case somebodyElse = "about somebody else"
    case aboutTheCoach = "about the coach's words"
  }

  /// The rules of `evidence.txt`; sentence rules precede clause rules.
  package enum Rule: String, CaseIterable {
    case role, hypothetical, question, request
    case aboutTheCoach = "about-the-coach"
    case somebodyElse = "somebody-else"
    case somebodyElsesWish = "somebody-elses-wish"
    case somebodyElsesHabit = "somebody-elses-habit"
    case markup, instruction

    var refusal: Refusal {
      switch self {
      case .role, .markup: .markup
      case .hypothetical, .question, .request: .hypothetical
      case .aboutTheCoach: .aboutTheCoach
      case .somebodyElse, .somebodyElsesWish, .somebodyElsesHabit: .somebodyElse
      case .instruction: .instruction
      }
    }
  }

  fileprivate struct Judge: Sendable {
    var entry: RuleSet.Entry
    var rule: Rule
  }

  /// In rule order.
  private let judges: [Judge]
  /// Finds the clauses of a question that are none.
  private let stating: PhraseRule

  public init(_ rules: SignalRules) {
    let entries = rules[.evidence].entries
    stating = rules[.evidence][Self.stating]
    judges = Rule.allCases.flatMap { rule in
      entries.filter { $0.name == rule.rawValue }.map { Judge(entry: $0, rule: rule) }
    }
  }

  package static let stating = "stating"

  /// A user turn, read once for all quotes from it.
  public struct Turn: Sendable {
    package let folded: FoldedText
    fileprivate var spoilt: [Piece] = []

    /// Nil if the quote is acceptable.
    ///
    /// A rule for clauses rules out its clause, a rule for questions the clauses that ask, and any
    /// other rule its sentence.
    public func refusal(of quote: String, facet: Facet) -> Refusal? {
      guard !spoilt.isEmpty else { return nil }
      let needle = FoldedText(quote)
      for piece in spoilt where piece.folded.overlaps(needle) {
        if let judge = piece.found.first(where: { $0.entry.applies(to: facet) }) {
          return judge.rule.refusal
        }
      }
      return nil
    }
  }

  /// A sentence or clause and its refusals.
  fileprivate struct Piece: Sendable {
    let folded: FoldedText
    let found: [Judge]
  }

  public func read(_ text: String) -> Turn {
    var turn = Turn(folded: FoldedText(text))
    let sentences = Self.pieces(text, endedBy: ".!?;\n").flatMap(sentence)
    let clauses = Self.pieces(text, endedBy: ".!?;,\n").compactMap { piece($0, .clause) }
    turn.spoilt = sentences + clauses
    return turn
  }

  /// The rules that match in a text.
  package func rules(in text: String) -> [Rule] {
    read(text).spoilt.flatMap { $0.found.map(\.rule) }
  }

  private func sentence(_ original: String) -> [Piece] {
    guard let whole = piece(original, .sentence) else { return [] }
    let asking = whole.found.filter(\.entry.isQuestion)
    guard !asking.isEmpty else { return [whole] }
    let clauses = Self.pieces(original, endedBy: ",").filter { !stating.matches(Words($0).all) }
      .map { Piece(folded: FoldedText($0), found: asking) }
    let others = whole.found.filter { !$0.entry.isQuestion }
    return [Piece(folded: whole.folded, found: others)] + clauses.filter { !$0.folded.isEmpty }
  }

  private func piece(_ original: String, _ scope: RuleSet.Entry.Scope) -> Piece? {
    let folded = FoldedText(original)
    guard !folded.isEmpty else { return nil }
    let literal = folded.text
    let plain = literal.hasBytes(of: "-") ? literal.replacing("-", with: " ") : literal
    let words = PhrasePattern.Text(Words(plain).all)
    let asks = literal.last == "?"
    var found = judges.filter { judge in
      judge.entry.scope == scope && (asks || !judge.entry.isQuestion)
        && judge.entry.rule.matches(words, literal: literal)
    }
    if scope == .clause, literal.split(separator: " ").contains(where: Self.isEncoded) {
      found.append(Judge(entry: .init(name: Rule.markup.rawValue), rule: .markup))
    }
    return found.isEmpty ? nil : Piece(folded: folded, found: found)
  }

  /// Cuts after end marks, but not after a point or comma inside a number or name.
  private static func pieces(_ turn: String, endedBy marks: String) -> [String] {
    let ends = Set(marks.unicodeScalars)
    let scalars = Array(turn.unicodeScalars)
    var pieces: [String] = []
    var piece = String.UnicodeScalarView()
    for (index, scalar) in scalars.enumerated() {
      piece.append(scalar)
      let isLast = index + 1 == scalars.count
      guard isLast || ends.contains(scalar) else { continue }
      if isLast || scalar == "\n" || scalars[index + 1].properties.isWhitespace {
        pieces.append(String(piece))
        piece = String.UnicodeScalarView()
      }
    }
    return pieces
  }

  /// A long run of base64 is not a word.
  private static func isEncoded(_ word: Substring) -> Bool {
    let bytes = Array(word.utf8)
    guard bytes.count >= 24 else { return false }
    let isAlphabet = bytes.allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2B || $0 == 0x2F
        || $0 == 0x3D
    }
    return isAlphabet && bytes.contains { (0x30...0x39).contains($0) || $0 == 0x3D }
  }
}

extension FoldedText {
  /// Whether one contains the other, or a quote crosses the start or end of a piece.
  fileprivate func overlaps(_ quote: FoldedText) -> Bool {
    if contains(quote) || quote.contains(self) { return true }
    let most = min(quote.scalars.count, scalars.count)
    guard most >= Self.shortestOverlap else { return false }
    return (Self.shortestOverlap...most).contains { length in
      scalars.suffix(length).elementsEqual(quote.scalars.prefix(length))
        || scalars.prefix(length).elementsEqual(quote.scalars.suffix(length))
    }
  }

  private static let shortestOverlap = 4
}
