import ContextQuality
import Foundation
import TestSupport
import Testing

@testable import Intake

/// What the evidence check keeps of correct facets, and of invented ones.
struct QuoteRetentionTests {
  private static let labels = Result { try Fixtures.labels() + Fixtures.registerLabels() }
  private let pack: PromptPack

  init() throws { pack = try PromptPack.embedded() }

  private func check(_ turns: [String], _ claims: [ScorerAnswer.Claim]) -> EvidenceCheck.Result {
    var answer = ScorerAnswer()
    answer.evidence = claims
    let transcript = Transcript(turns.map { Transcript.Message(.user, $0) })
    return EvidenceCheck(pack: pack, transcript: transcript).check(answer)
  }

  /// What each guard refuses of the labels of whole conversations: its price.
  @Test func correctFacetsAreKept() throws {
    var (labels, refused): (Int, [String: Int]) = (0, [:])
    var examples: [String] = []
    for rows in Dictionary(grouping: try Self.labels.get(), by: \.id).values {
      let claims = rows.map {
        ScorerAnswer.Claim(facet: $0.facet, turn: $0.turn, quote: $0.quote)
      }
      let result = check(rows[0].userTurns, claims)
      labels += rows.count
      refused.merge(result.dropped, uniquingKeysWith: +)
      let known = Set(result.evidence.map(\.facet))
      examples += rows.filter { !known.contains($0.facet) }.map { "\($0.facet): \($0.quote)" }
    }
    if ProcessInfo.processInfo.environment["RAPPORT_PRINT_QUALITY"] != nil {
      print("Correct facets refused, of \(labels)")
      for (reason, count) in refused.sorted(by: { $0.key < $1.key }) {
        print("\(count)  \(reason)")
      }
    }
    #expect(labels > 6_000)
    #expect(examples.count * 500 <= labels, "\(refused) \(examples)")
  }

  @Test(arguments: [
    (QuoteAlteration.typographicMarks, 0.97), (.capitalAndStop, 0.97), (.wrapped, 0.97),
    (.mendedSpelling, 0.97), (.cutWord, 0.97), (.exchangedWord, 0.9), (.ellipsis, 0.9),
    (.wrongTurn, 0.9),
  ])
  func quotesAsModelsGiveThemAreKept(alteration: QuoteAlteration, floor: Double) throws {
    var random = SeededGenerator(seed: 16)
    var (altered, kept) = (0, 0)
    var lost: [String] = []
    for label in try Self.labels.get() {
      let original = QuoteAlteration.Quote(label)
      guard let quote = alteration.altered(original, using: &random) else { continue }
      altered += 1
      let result = check(
        quote.turns, [.init(facet: label.facet, turn: quote.turn, quote: quote.quote)])
      if let evidence = result.evidence.first, evidence.turn == label.turn,
        quote.turns[label.turn - 1].contains(evidence.text)
      {
        kept += 1
      } else {
        lost.append("\(quote.quote) | \(label.quote) | \(result.dropped.keys.joined())")
      }
    }
    let share = Double(kept) / Double(max(1, altered))
    if ProcessInfo.processInfo.environment["RAPPORT_PRINT_QUALITY"] != nil {
      print("\(alteration): kept \(kept) of \(altered) (\(String(format: "%.3f", share)))")
    }
    #expect(altered > 300)
    #expect(share >= floor, "\(lost.prefix(40))")
  }

  @Test func noInventedQuoteCounts() throws {
    let labels = try Self.labels.get()
    var random = SeededGenerator(seed: 16)
    var made = 0
    var found: [String] = []
    while made < 1_000 {
      guard let label = labels.randomElement(using: &random),
        let other = labels.filter({ $0.id != label.id }).randomElement(using: &random),
        let kind = InventedQuote.allCases.randomElement(using: &random),
        let quote = kind.made(from: label, other: other, using: &random),
        quote.split(separator: " ").count > 1,
        !label.userTurns.contains(where: { isSaid(quote, in: $0) })
      else { continue }
      made += 1
      let result = check(
        label.userTurns, [.init(facet: label.facet, turn: label.turn, quote: quote)])
      found += result.evidence.map { "\(kind): \(quote) -> \($0.text)" }
    }
    #expect(found.isEmpty, "\(found.count) of \(made): \(found.prefix(30))")
  }

  private func isSaid(_ quote: String, in turn: String) -> Bool {
    let words = { (text: String) in
      text.split { !$0.isLetter && !$0.isNumber && $0 != "'" }.joined(separator: " ")
    }
    return QuoteVerifier.refusal(of: words(quote), in: words(turn)) != .notVerbatim
  }
}
