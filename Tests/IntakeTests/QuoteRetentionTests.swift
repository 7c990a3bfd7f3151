import ContextQuality
import Foundation
import IncrementalJSON
import TestSupport
import Testing

@testable import Intake

/// What the evidence check keeps of correct facets, and of invented ones.
struct QuoteRetentionTests {
  private static let labels = Result { try Fixtures.labels() + Fixtures.registerLabels() }
  /// `RAPPORT_SOAK=1` reads every label and makes 8,000 quotes up.
  private static let isLong = Soak.isOn
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
    for (index, label) in try Self.labels.get().enumerated() where Self.isLong || index % 12 == 0 {
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
    #expect(altered > 100)
    #expect(share >= floor, "\(lost.prefix(40))")
  }

  @Test func noInventedQuoteCounts() throws {
    let invented = try invented(Self.isLong ? 8_000 : 1_500, seed: 16)
    let found = invented.flatMap { label, quote, kind in
      check(label.userTurns, [.init(facet: label.facet, turn: label.turn, quote: quote)]).evidence
        .map { "\(kind): \(quote) -> \($0.text)" }
    }
    #expect(found.isEmpty, "\(found.count) of \(invented.count): \(found.prefix(30))")
  }

  @Test func noGoalRestsOnAnInventedQuote() throws {
    let found = try invented(Self.isLong ? 2_000 : 300, seed: 7).filter { label, quote, _ in
      restsOn(label.userTurns, turn: label.turn, quote: quote) != nil
    }
    #expect(found.isEmpty, "\(found.prefix(30).map(\.quote))")
  }

  @Test(arguments: [
    (QuoteAlteration.wrapped, 0.97), (.mendedSpelling, 0.97), (.exchangedWord, 0.9),
    (.ellipsis, 0.9), (.wrongTurn, 0.9),
  ])
  func aGoalRestsOnAQuoteAsModelsGiveIt(alteration: QuoteAlteration, floor: Double) throws {
    var random = SeededGenerator(seed: 5)
    let all = try Self.labels.get()
    var (altered, kept) = (0, 0)
    while altered < 200 {
      guard let label = all.randomElement(using: &random),
        let quote = alteration.altered(QuoteAlteration.Quote(label), using: &random)
      else { continue }
      altered += 1
      if restsOn(quote.turns, turn: quote.turn, quote: quote.quote) == [label.turn] { kept += 1 }
    }
    #expect(Double(kept) >= floor * Double(altered), "\(kept) of \(altered)")
  }

  private func kept(_ quote: String, of turn: String) -> String? {
    check(
      [turn], [.init(facet: Facet(component: "obstacles", name: "detail"), turn: 1, quote: quote)]
    )
    .evidence.first?.text
  }

  @Test(arguments: [
    (
      "I am able to squat below parallel at the moment",
      "I am unable to squat below parallel at the moment"
    ),
    ("I eat breakfast at home before work", "I rarely eat breakfast at home before work"),
    ("I run along the river every morning", "I used to run along the river every morning"),
    ("we run along the river every morning", "I am not able to run along the river every morning"),
    ("I like swimming in the pool at work", "I dislike swimming in the pool at work"),
    ("I love training with my wife on the bike", "I hate training with my wife on the bike"),
    ("I keep going to the spin class", "I quit going to the spin class"),
    ("I started going to the spin class", "I stopped going to the spin class"),
    ("I found the time to cook at home", "I lost the time to cook at home"),
    ("I want to run in the cold", "I refuse to run in the cold"),
    ("I sleep well when the baby is here", "I sleep badly when the baby is here"),
    ("my asthma is worse in the cold", "my asthma is gone in the cold"),
    ("my right knee hurts on the stairs", "my left knee hurts on the stairs"),
    ("my hip hurts when I climb stairs", "my knee hurts when I climb stairs"),
    ("I go for a weekly walk with her", "I go for a daily walk with her"),
    ("I have a couple of glasses with friends", "I have a couple of pints with friends"),
    ("I like to train in the evening", "I like to train in the morning"),
    ("ich gehe jeden Dienstag ins Schwimmbad", "ich gehe jeden Montag ins Schwimmbad"),
    ("ich habe nur vierzig Minuten am Tag", "ich habe nur dreißig Minuten am Tag"),
    ("ich habe nur vierundzwanzig Minuten am Tag", "ich habe nur dreiundzwanzig Minuten am Tag"),
    ("mein Lauf ist schon im Mai", "mein Lauf ist schon im Juni"),
    ("puedo entrenar los martes por la casa", "puedo entrenar los lunes por la casa"),
    ("puedo entrenar el miércoles con ella", "puedo entrenar el sábado con ella"),
    ("quiero bajar unos treinta kilos este verano", "quiero bajar unos veinte kilos este verano"),
    ("ich habe Zeit für den Sport", "ich habe keinerlei Zeit für den Sport"),
    ("ich trainiere abends mit den Kollegen", "ich trainiere niemals abends mit den Kollegen"),
    ("Y puedo correr por la rodilla mala", "Tampoco puedo correr por la rodilla mala"),
  ])
  func aTurnedMeaningIsNotPutRight(quote: String, turn: String) {
    #expect(kept(quote, of: turn) == nil)
  }

  @Test(arguments: [
    ("I run along the canal every morning", "I run along the river every morning"),
    ("my knee hurts on the stairs", "my left knee hurts on the stairs"),
    ("I started going to that spin class", "I started going to the spin class"),
    ("I start going to the spin class", "I started going to the spin class"),
    ("I sleep well when my baby is here", "I sleep well when the baby is here"),
    ("we run along the river every morning", "I run along the river every morning"),
    ("I run along the river every mornings", "I run along the river every morning"),
  ])
  func anyOtherWordIs(quote: String, turn: String) {
    #expect(kept(quote, of: turn) != nil)
  }

  /// Of two quotes of the same words the longer one stands, and a doctor's limit beside what else it holds.
  @Test func aDoctorsLimitKeepsItsOwnWords() {
    let turn = "There's my bad knee: the surgeon forbids squats because of my bad knee."
    let physical = Facet(component: "obstacles", name: "physical")
    let limit = "the surgeon forbids squats because of my bad knee"
    func quotes(_ claims: [(quote: String, mark: Evidence.Mark?)]) -> [String] {
      check(
        [turn],
        claims.map { quote, mark in
          var claim = ScorerAnswer.Claim(facet: physical, turn: 1, quote: quote)
          claim.mark = mark
          return claim
        }
      ).evidence.map(\.text)
    }
    #expect(quotes([("my bad knee", nil), (limit, .clinician)]) == ["my bad knee", limit])
    #expect(quotes([(limit, .clinician), ("my bad knee", nil)]) == [limit, "my bad knee"])
    #expect(quotes([("my bad knee", nil), (limit, nil)]) == [limit])
    #expect(quotes([(limit, nil), (limit, .clinician)]) == [limit])
  }

  @Test func whatWasPutRightIsCounted() {
    let turns = ["I want to run the city half marathon in May", "my knee hurts on the stairs"]
    let result = check(
      turns,
      [
        .init(
          facet: Facet(component: "goalClarity", name: "outcome"), turn: 1,
          quote: "\u{201C}run the city half-marathon\u{201D}"),
        .init(
          facet: Facet(component: "obstacles", name: "physical"), turn: 1,
          quote: "my knee hurts on the stairs"),
      ])
    #expect(result.snapped == ["marks": 1, "turn": 1])
    #expect(result.evidence.map(\.text) == ["run the city half marathon", turns[1]])
    #expect(result.dropped.isEmpty)
  }

  /// "With" says nothing about what is meant.
  @Test func aWordThatLinksOthersFindsNoQuote() {
    var system = CoachingSystem()
    system.userGoals.primary = "cope with 60h weeks"
    let turns = ["so I can keep up with my kids", "new job, 60h weeks"]
    Grounding(
      transcript: Transcript(turns.map { Transcript.Message(.user, $0) }), readings: [],
      readingRules: pack.readingRules, signals: pack.signals
    ).ground(&system, claims: nil)
    #expect(system.restsOn["/userGoals/primary"] == [2])
  }

  /// The turns that a goal rests on by a quote alone: its own words are nobody's.
  private func restsOn(_ turns: [String], turn: Int, quote: String) -> [Int]? {
    var system = CoachingSystem()
    system.userGoals.primary = "Qxqxqx"
    let claim: JSONValue = [
      "path": "/userGoals/primary", "turn": JSONValue(turn), "quote": .string(quote),
    ]
    Grounding(
      transcript: Transcript(turns.map { Transcript.Message(.user, $0) }), readings: [],
      readingRules: pack.readingRules, signals: pack.signals
    ).ground(&system, claims: .array([claim]))
    return system.restsOn["/userGoals/primary"]
  }

  private func invented(
    _ count: Int, seed: UInt64
  ) throws -> [(label: Fixtures.Label, quote: String, kind: InventedQuote)] {
    let labels = try Self.labels.get()
    var random = SeededGenerator(seed: seed)
    var made: [(label: Fixtures.Label, quote: String, kind: InventedQuote)] = []
    while made.count < count {
      guard let label = labels.randomElement(using: &random),
        let other = labels.randomElement(using: &random), other.id != label.id,
        let kind = InventedQuote.allCases.randomElement(using: &random),
        let quote = kind.made(from: label, other: other, using: &random),
        !label.userTurns.contains(where: { isSaid(quote, in: $0) })
      else { continue }
      made.append((label, quote, kind))
    }
    return made
  }

  private func isSaid(_ quote: String, in turn: String) -> Bool {
    let words = { (text: String) in
      text.split { !$0.isLetter && !$0.isNumber && $0 != "'" }.joined(separator: " ")
    }
    return QuoteFitter.refusal(of: words(quote), in: words(turn)) != .notVerbatim
  }
}
