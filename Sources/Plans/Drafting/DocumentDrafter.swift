public import ContextQuality
public import FoundationEssentials
public import Intake
import Rehearsal

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

  /// Reads what somebody says to a document, or to a change of it that waits for their yes. Nothing holds
  /// until the person applies it.
  ///
  /// - Parameter proposed: The change that waits.
  func reply(
    to words: String, at document: DraftedDocument, proposed: DocumentEdit?, facts: DraftFacts
  ) async throws(DraftError) -> DocumentReply

  /// Writes the profile: the coach's persona, the person's goals and limits, and the coaching plan.
  ///
  /// The default needs no model: it is the rehearsal's, in the person's own words.
  /// - Returns: Nil if the pack has no rehearsal.
  func profile(from facts: DraftFacts) async -> Synthesis?
}

extension DocumentDrafter {
  public func profile(from facts: DraftFacts) async -> Synthesis? {
    await facts.profile(by: .patternRehearsal)
  }
}

/// What somebody's words do to a document that they are shown.
public enum DocumentReply: Hashable, Sendable {
  /// They agree to what is shown: the change, or else the document.
  case agrees
  /// They turn it down, and ask for nothing else.
  case rejects
  case change(DocumentEdit)
}

/// Why a document could not be drafted or edited.
public struct DraftError: Error, Hashable, Sendable {
  /// For the person: what happened, what was kept, what to do.
  public var words: String

  public init(words: String) { self.words = words }
}

/// What a document rests on.
public struct DraftFacts: Sendable {
  /// An answer of the person's own, and what it is about.
  public struct Told: Hashable, Sendable {
    public var facets: [Facet]
    public var text: String

    package init(facets: [Facet], text: String) { (self.facets, self.text) = (facets, text) }
  }
  public var pack: PromptPack
  /// What was said and what the ledger knows.
  public var intake: IntakeState
  /// The journey's questions and answers, in order, as they were shown.
  public var answers: [DocumentRow]
  /// The person's answers. What was only preset is not among them.
  public var told: [Told]
  /// The approved goal, for a program.
  public var goal: DraftedDocument?
  public var units: Units
  /// Such as `Europe/Berlin`.
  public var timeZone: String
  public var now: Date
  private let settings: IntakeSettings

  package init(
    pack: PromptPack, intake: IntakeState, answers: [DocumentRow], told: [Told],
    goal: DraftedDocument?, units: Units, timeZone: String, now: Date, settings: IntakeSettings
  ) {
    (self.pack, self.intake, self.answers, self.told) = (pack, intake, answers, told)
    (self.goal, self.units, self.timeZone, self.now) = (goal, units, timeZone, now)
    self.settings = settings
  }
}

extension DraftFacts {
  func profile(by coach: CoachChoice) async -> Synthesis? {
    await coach.synthesis(of: intake, pack: pack, settings: settings, at: now)
  }
}

extension DraftFacts {
  /// What a document goes against by now, in words.
  package func contradictions(of document: DraftedDocument) -> [String] {
    (try? DocumentMaker(document.kind, self))?.limits.problems(of: document) ?? []
  }

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

  /// The first answer to a question about one of the facets. It need not be evidence of any, such as a
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
