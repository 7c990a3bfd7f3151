import ContextQuality
import FoundationEssentials
import Intake
import Signals

/// Chooses phrasings. The same session gets the same text, and no wording is used twice.
struct Phrasing {
  let words: [Facet: UserWords]
  /// Those of them that can be taken up in passing: a mistake there would be heard at once.
  let passing: [Facet: UserWords]
  private let said: [String]
  private let seed: String

  init(_ state: IntakeState, _ bank: QuestionBank) {
    words = Dictionary(
      state.rubric.facets.compactMap { definition in
        state.heard(definition.facet).flatMap { evidence in
          // A reading is none of their words.
          if evidence.isReading { return nil }
          let said = state.words(of: evidence, bank.quoting)
          let isNone =
            bank.profile.canBeNone.contains(definition.facet) && bank.saysThereIsNone(said.text)
          // Words that put others right are about what those were about.
          let isSure = [said.text, evidence.corrects].compactMap(\.self).contains {
            bank.isSure(definition.facet, $0)
          }
          return isNone || !isSure ? nil : (definition.facet, said)
        }
      }, uniquingKeysWith: { first, _ in first })
    passing = words.filter {
      $1.readsWellInPassing && bank.isSure($0, $1.text, .sureInPassing)
        && !state.isHeardAsAnother($0)
    }
    said = state.transcript.messages.filter { $0.speaker == .coach }.map(\.text)
    let second = state.startedAt.map { Int64($0.timeIntervalSince1970) } ?? 0
    seed = "\(second)/\(state.turns.count)"
  }

  /// A line with available words, preferably one not said before.
  func choose(_ lines: [BankLine], for purpose: String) -> String? {
    if let text = chooseNew(lines, for: purpose) { return text }
    // Everything was said once; the line said longest ago repeats least.
    return lines.compactMap { line in
      line.filled(with: words).map { ($0, said.lastIndex { $0.contains(line.tune) } ?? -1) }
    }.min { $0.1 < $1.1 }?.0
  }

  /// The first of the lines that can be filled in and was not said before, else the first.
  func preferred(_ lines: [BankLine]) -> String? {
    let fillable = lines.filter { $0.filled(with: words) != nil }
    let new = fillable.first { line in !said.contains { $0.contains(line.tune) } }
    return (new ?? fillable.first)?.filled(with: words)
  }

  /// A line not said before; nil if none.
  func chooseNew(_ lines: [BankLine], for purpose: String) -> String? {
    let new = lines.filter { line in !said.contains { $0.contains(line.tune) } }
      .compactMap { $0.filled(with: words) }
    guard !new.isEmpty else { return nil }
    return new[Int(Self.hash("\(seed)/\(purpose)") % UInt64(new.count))]
  }

  /// Whether what a line says in the user's words can be taken up in passing.
  func isLight(_ line: BankLine) -> Bool { line.facets.allSatisfy { passing[$0] != nil } }

  /// Each entry's first line with available words that this text has not used.
  func sentences(_ entries: [QuestionBank.Entry]) -> [String] {
    var used: [UserWords] = []
    return entries.compactMap { entry in
      for line in entry.lines {
        let quotes = line.facets.compactMap { words[$0] }
        let isRepetition = quotes.contains { quote in
          used.contains { UserWords.repeats(quote.text, $0.text) }
        }
        guard !isRepetition, let text = line.filled(with: words) else { continue }
        used += quotes
        return text
      }
      return nil
    }
  }

  /// FNV-1a and a last mixing: the same on every machine.
  private static func hash(_ text: String) -> UInt64 {
    var hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    return hash ^ (hash >> 33)
  }
}

extension IntakeState {
  /// The words that a facet rests on, without those that were put beside them.
  func heard(_ facet: Facet) -> Evidence? {
    let beside = wordsBeside(facet)
    return beside.isEmpty
      ? ledger.evidence(for: facet)
      : ledger.pieces(for: facet).dropLast(beside.count).last?.evidence
  }

  /// The sentences of later messages that put a part of a facet's words right.
  func wordsBeside(_ facet: Facet) -> [Evidence] {
    let pieces = ledger.pieces(for: facet).map(\.evidence)
    let first = pieces.lastIndex { $0.corrects != nil || $0.answer != nil } ?? 0
    guard first < pieces.count, pieces[first].answer == nil else { return [] }
    return pieces.dropFirst(first + 1).filter { $0.turn > pieces[first].turn }
  }

  /// Whether the same words were taken for something of another component as well.
  func isHeardAsAnother(_ facet: Facet) -> Bool {
    guard let mine = ledger.evidence(for: facet) else { return false }
    return ledger.standing.contains {
      $0.evidence.facet.component != facet.component
        && $0.evidence.turn == mine.turn && $0.evidence.text == mine.text
    }
  }

  /// Whether there is little doubt that the facet is what its words say.
  func isSurelyHeard(_ facet: Facet, _ rules: RuleSet) -> Bool {
    guard let evidence = ledger.evidence(for: facet) else { return false }
    return !isHeardAsAnother(facet) && !words(of: evidence, rules).saysNotKnowing
  }

  /// A quote extended to be readable. What puts something right stands alone, without "I meant".
  func words(of evidence: Evidence, _ rules: RuleSet) -> UserWords {
    guard evidence.answer == nil, evidence.corrects == nil,
      let turn = transcript.userTurn(evidence.turn)
    else {
      return UserWords(evidence.text, rules)
    }
    return UserWords(evidence.text, in: turn, rules)
  }
}
