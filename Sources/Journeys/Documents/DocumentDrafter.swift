public import ContextQuality
public import FoundationEssentials
public import Intake
import Rehearsal
import Signals

/// Drafts and edits goal contracts and programs.
public protocol DocumentDrafter: Sendable {
  /// Drafts a document.
  ///
  /// - Parameter show: Called with what there is so far, in order.
  /// - Throws: ``DraftError`` with the words to show; drafting can be tried again.
  func draft(
    _ kind: DocumentKind, from facts: DraftFacts,
    show: @escaping @Sendable (DraftedDocument) -> Void
  ) async throws(DraftError) -> DraftedDocument

  /// Changes a document as somebody asks for in words. Nothing holds until the person applies it.
  func edit(
    _ document: DraftedDocument, saying words: String, facts: DraftFacts
  ) async throws(DraftError) -> DocumentEdit

  /// Writes the profile: the coach's persona, the person's goals and limits, and the coaching plan.
  ///
  /// The default needs no model: it's the rehearsal's, in the person's own words.
  /// - Returns: Nil if the pack has no rehearsal.
  func profile(from facts: DraftFacts) async -> Synthesis?
}

extension DocumentDrafter {
  public func profile(from facts: DraftFacts) async -> Synthesis? {
    await facts.profile(by: .patternRehearsal)
  }
}

/// Why a document couldn't be drafted or edited.
public struct DraftError: Error, Hashable, Sendable {
  /// For the person: what happened, what was kept, what to do.
  public var words: String

  public init(words: String) { self.words = words }
}

/// What a document rests on.
public struct DraftFacts: Sendable {
  /// An answer of the person's own, and what it's about.
  public struct Told: Hashable, Sendable {
    public var facets: [Facet]
    public var text: String
  }
  public var pack: PromptPack
  /// What was said and what the ledger knows.
  public var intake: IntakeState
  /// The journey's questions and answers, in order, as they were shown.
  public var answers: [JourneyScreen.Row]
  /// The person's answers. What was only preset isn't among them.
  public var told: [Told]
  /// The answers by field, in metric units.
  public var values: [String: AnswerValue]
  /// The approved goal, for a program.
  public var goal: DraftedDocument?
  public var units: Units
  /// Such as `Europe/Berlin`.
  public var timeZone: String
  public var now: Date
  var settings = IntakeSettings()
}

extension DraftFacts {
  func profile(by coach: CoachChoice) async -> Synthesis? {
    await coach.synthesis(of: intake, pack: pack, settings: settings, at: now)
  }
}

extension DraftFacts {
  /// Everything in the person's own words.
  var words: [String] {
    intake.turns.map { PlainText.visible($0.text) } + answers.map(\.value)
  }

  /// The sentence that a quote is from: "Mondays at 7, 40 minutes" tells more than "Mondays at 7".
  func sentence(around quote: String) -> String {
    let said = words.first { $0.contains(quote) } ?? quote
    return said.split { ".!?;\n".contains($0) }.map { String($0).trimmed }
      .first { $0.contains(quote) } ?? quote
  }

  /// What the person said about training days. If no day is named there, other clauses that name one: "I work
  /// nine to five, so Tuesday and Thursday evenings".
  func saidOfDays(_ rules: DocumentRules) -> [String] {
    let facets = rules.said["days"] ?? []
    let known = said(facets)
    guard !known.contains(where: { rules.tellsDays(Words($0).all) }),
      !facets.contains(where: intake.withheld.contains)
    else { return known }
    let own = intake.turns.map { PlainText.visible($0.text) } + told.map(\.text)
    let clauses = own.flatMap { text in
      text.split { ".!?;,\n".contains($0) }.map { String($0).trimmed }
    }
    return known
      + clauses.filter { clause in
        let words = Words(clause).all
        return rules.tellsDays(words) && !rules.busy.match(words) && !rules.otherDays.match(words)
      }
  }

  /// The first answer to a question about one of the facets. It needn't be evidence of any, such as a
  /// suggestion that was picked.
  func picked(_ facets: [Facet]) -> String? {
    told.first { answer in
      answer.facets.contains { facets.contains($0) && !intake.withheld.contains($0) }
    }?.text
  }

  /// What was said about any of the facets, without repeats.
  ///
  /// An answer counts whole only where its question was about nothing else.
  func said(_ facets: [Facet]) -> [String] {
    let known = facets.compactMap { facet -> String? in
      intake.withheld.contains(facet) ? nil : intake.ledger.evidence(for: facet)?.text
    }
    let answered = told.filter { !$0.facets.isEmpty && $0.facets.allSatisfy(facets.contains) }
    var texts: [String] = []
    for text in known + answered.map(\.text) where !texts.contains(text) { texts.append(text) }
    return texts
  }
}
