package import ContextQuality
import Signals

/// Accepts only evidence that the user's own words support.
package struct EvidenceCheck {
  package let rubric: Rubric
  package let transcript: Transcript
  private let guarded: EvidenceGuard
  private let words: QuoteWords
  /// Whether to refuse quotes used for more facets than their words support. The offline scorer
  /// quotes whole clauses, and claims only what it has learned they say.
  package var refusesOverload: Bool

  package struct Result: Hashable, Sendable {
    package var evidence: [Evidence] = []
    package var retracted: [Retraction] = []
    package var dropped: [String: Int] = [:]
    /// Counts of accepted quotes that were not verbatim, by what was put right.
    package var snapped: [String: Int] = [:]
    /// The quotes among them; one can differ in several ways.
    var snappedQuotes = 0
    /// Quotes used for more facets than their words support.
    var overusedQuotes: [String] = []
  }

  package init(pack: PromptPack, transcript: Transcript, refusesOverload: Bool = true) {
    (rubric, self.transcript) = (pack.rubric, transcript)
    self.refusesOverload = refusesOverload
    guarded = pack.evidenceGuard
    words = pack.signals.quoteWords
  }

  package func check(_ answer: ScorerAnswer) -> Result {
    var result = Result(dropped: answer.dropped)
    var reader = Reader(fitter: fitter)
    var claims: [(claim: ScorerAnswer.Claim, fit: QuoteFitter.Fit)] = []
    var claimed: [Int: Set<Facet>] = [:]
    for claim in answer.evidence {
      do throws(Refused) {
        let fit = try fit(claim, &reader.fitter)
        claimed[fit.turn, default: []].insert(claim.facet)
        try checkMeaning(claim, fit, &reader)
        claims.append((claim, fit))
      } catch {
        result.dropped[error.reason, default: 0] += 1
      }
    }
    let overloaded = refusesOverload ? overloaded(claims, claimed) : []
    if !overloaded.isEmpty { result.dropped["overused quote"] = overloaded.count }
    result.overusedQuotes = Set(overloaded.map { claims[$0].fit.quote }).sorted()
    for (index, (claim, fit)) in claims.enumerated() where !overloaded.contains(index) {
      let evidence = Evidence(
        facet: claim.facet, quote: fit.quote, turn: fit.turn, mark: claim.mark,
        corrects: claim.of)
      if let same = result.evidence.firstIndex(where: { $0.saysTheSame(as: evidence) }) {
        result.evidence[same] = result.evidence[same].joined(with: evidence)
        continue
      }
      result.count(fit)
      result.evidence.append(evidence)
    }
    for claim in answer.retracted {
      do throws(Refused) {
        let fit = try fit(claim, &reader.fitter)
        result.count(fit)
        result.retracted.append(
          Retraction(facet: claim.facet, quote: fit.quote, turn: fit.turn, of: claim.of))
      } catch {
        result.dropped["retraction: \(error.reason)", default: 0] += 1
      }
    }
    return result
  }

  struct Refused: Error {
    var reason: String
  }

  /// Reads each turn once, no matter how many quotes cite it.
  private struct Reader {
    var fitter: QuoteFitter
    var turns: [Int: EvidenceGuard.Turn] = [:]
  }

  var fitter: QuoteFitter {
    QuoteFitter(transcript, words)
  }

  /// The user's words that the claim quotes.
  func fit(
    _ claim: ScorerAnswer.Claim, _ fitter: inout QuoteFitter
  ) throws(Refused) -> QuoteFitter.Fit {
    guard rubric[claim.facet] != nil else { throw Refused(reason: "unknown facet") }
    do throws(QuoteFitter.Rejection) {
      return try fitter.fit(claim.quote, turn: claim.turn)
    } catch {
      guard transcript.userTurn(claim.turn) != nil else { throw Refused(reason: "no such turn") }
      throw Refused(reason: "quote \(error.rawValue)")
    }
  }

  private func checkMeaning(
    _ claim: ScorerAnswer.Claim, _ fit: QuoteFitter.Fit, _ reader: inout Reader
  ) throws(Refused) {
    let refusal =
      claim.isAboutOther
      ? .somebodyElse : read(fit.turn, &reader.turns)?.refusal(of: fit.quote, facet: claim.facet)
    if let refusal { throw Refused(reason: "no evidence: \(refusal.rawValue)") }
  }

  private func read(
    _ number: Int, _ turns: inout [Int: EvidenceGuard.Turn]
  ) -> EvidenceGuard.Turn? {
    if let turn = turns[number] { return turn }
    turns[number] = transcript.visibleTurn(number).map(guarded.read)
    return turns[number]
  }

  /// - Parameter claimed: The facets claimed of each turn, whatever became of them: a scorer that was
  ///   tricked into finding everything is not believed about the rest.
  private func overloaded(
    _ claims: [(claim: ScorerAnswer.Claim, fit: QuoteFitter.Fit)], _ claimed: [Int: Set<Facet>]
  ) -> Set<Int> {
    var overloaded: Set<Int> = []
    for (turn, indices) in Dictionary(grouping: claims.indices, by: { claims[$0].fit.turn }) {
      guard let text = transcript.visibleTurn(turn) else { continue }
      if EvidenceLoad.isStuffed(claimed[turn] ?? [], in: text) {
        overloaded.formUnion(indices)
        continue
      }
      let offered = indices.map { (facet: claims[$0].claim.facet, quote: claims[$0].fit.quote) }
      overloaded.formUnion(EvidenceLoad.overloaded(offered, in: text).map { indices[$0] })
    }
    return overloaded
  }
}

extension Evidence {
  private var isProtected: Bool { mark?.isProtected == true }

  /// Whether a quote of the same turn for the same facet has the other's words. A doctor's limit and what else
  /// is said beside it are two things.
  fileprivate func saysTheSame(as other: Evidence) -> Bool {
    facet == other.facet && turn == other.turn
      && (text == other.text
        || isProtected == other.isProtected
          && (text.contains(other.text) || other.text.contains(text)))
  }

  /// The longer quote, with what is known of either.
  fileprivate func joined(with other: Evidence) -> Evidence {
    var whole = other.text.utf8.count > text.utf8.count ? other : self
    whole.mark = other.isProtected ? other.mark : mark ?? other.mark
    whole.corrects = corrects ?? other.corrects
    return whole
  }
}

extension EvidenceCheck.Result {
  fileprivate mutating func count(_ fit: QuoteFitter.Fit) {
    if !fit.changes.isEmpty { snappedQuotes += 1 }
    for change in fit.changes { snapped[change.rawValue, default: 0] += 1 }
  }
}
