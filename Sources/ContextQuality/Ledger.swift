/// The facets known about the user, and those that were known until the user took them back.
///
/// A known facet stays known until the user takes it back. Nothing else removes an entry, so the
/// score doesn't drift when a model changes its mind.
public struct Ledger: Hashable, Sendable {
  /// One stretch during which a facet was known.
  public struct Entry: Hashable, Sendable {
    public var evidence: Evidence
    /// The first user turn in which it was no longer known; nil if still known.
    public var until: Int?
    /// The words that took it back.
    public var retractionQuote: String?

    public func isKnown(after turn: Int) -> Bool {
      evidence.turn <= turn && turn < (until ?? .max)
    }
  }

  /// In the order they became known.
  public private(set) var entries: [Entry] = []

  public init() {}

  /// Makes a facet known, or replaces its quote if a later turn repeats it.
  ///
  /// Evidence from a turn before the stored one changes nothing. A facet that is already known
  /// keeps its first turn; only the quote is updated. The user's words, an answer or a newer reading
  /// replace a reading, and a later answer replaces an earlier one.
  public mutating func record(_ evidence: Evidence) {
    guard let index = entries.lastIndex(where: { $0.evidence.facet == evidence.facet }),
      entries[index].until == nil
    else {
      if let last = entries.last(where: { $0.evidence.facet == evidence.facet }),
        let until = last.until, evidence.turn < until
      {
        return  // Older than the taking back: the user has already withdrawn these words.
      }
      entries.append(Entry(evidence: evidence, until: nil, retractionQuote: nil))
      return
    }
    let current = entries[index].evidence
    if current.isReading, evidence.isReading || evidence.answer != nil {
      entries[index].evidence = evidence
    } else if let answer = evidence.answer, current.answer?.turn == answer.turn {
      entries[index].evidence = evidence
    } else if evidence.turn > entries[index].evidence.turn {
      entries[index].until = evidence.turn
      entries.append(Entry(evidence: evidence, until: nil, retractionQuote: nil))
    }
  }

  /// Makes a facet unknown from the turn that retracts it.
  ///
  /// New evidence in the same turn is a correction: record it after the retraction.
  public mutating func retract(_ retraction: Retraction) {
    guard
      let index = entries.lastIndex(where: {
        $0.evidence.facet == retraction.facet && $0.until == nil
          && $0.evidence.turn < retraction.turn
      })
    else { return }
    entries[index].until = retraction.turn
    entries[index].retractionQuote = retraction.quote
  }

  /// Replaces what a form's step told. What the user had said before an answer that is gone counts
  /// again.
  public mutating func replaceAnswers(of step: String, with answers: [Evidence]) {
    for index in entries.indices.reversed() where entries[index].evidence.answer?.step == step {
      guard entries[index].until == nil else { continue }
      let gone = entries.remove(at: index).evidence
      let earlier = entries[..<index].lastIndex { $0.evidence.facet == gone.facet }
      if let earlier, entries[earlier].until == gone.turn, entries[earlier].retractionQuote == nil {
        entries[earlier].until = nil
      }
    }
    for answer in answers { record(answer) }
  }

  /// Removes the current readings, as if they had never been recorded.
  public mutating func withdrawReadings() {
    entries.removeAll { $0.evidence.isReading && $0.until == nil }
  }

  /// Replaces the current readings. Readings that are not in the new list are removed.
  public mutating func replaceReadings(with readings: [Evidence]) {
    let facets = Set(readings.map(\.facet))
    entries.removeAll {
      $0.evidence.isReading && $0.until == nil && !facets.contains($0.evidence.facet)
    }
    for reading in readings { record(reading) }
  }

  /// Applies evidence and retractions from any number of turns, in turn order. Within a turn,
  /// retractions come first.
  ///
  /// If one turn has two quotes for a facet, the first wins.
  public mutating func apply(_ evidence: [Evidence], retracted: [Retraction]) {
    let turns = Set(evidence.map(\.turn)).union(retracted.map(\.turn))
    for turn in turns.sorted() {
      for retraction in retracted where retraction.turn == turn { retract(retraction) }
      for evidence in evidence where evidence.turn == turn { record(evidence) }
    }
  }

  /// The known facets.
  public var known: Set<Facet> {
    Set(entries.lazy.filter { $0.until == nil }.map(\.evidence.facet))
  }

  /// The facets known after the given user turn; 0 is before the first turn.
  public func known(after turn: Int) -> Set<Facet> {
    Set(entries.lazy.filter { $0.isKnown(after: turn) }.map(\.evidence.facet))
  }

  /// The current evidence for a facet.
  public func evidence(for facet: Facet) -> Evidence? {
    entries.last { $0.evidence.facet == facet && $0.until == nil }?.evidence
  }
}

extension Ledger {
  /// A period during which a facet was known. Corrections don't end it.
  public struct Stretch: Hashable, Sendable {
    /// What made it known.
    public let evidence: Evidence
    /// The first user turn in which it was no longer known; nil if still known.
    public let until: Int?
  }

  /// The latest stretch during which the facet was known; nil if it never was.
  ///
  /// - Parameter isReading: True: only readings. False: only words.
  public func latestStretch(of facet: Facet, isReading: Bool? = nil) -> Stretch? {
    let entries = entries.filter {
      $0.evidence.facet == facet && (isReading ?? $0.evidence.isReading) == $0.evidence.isReading
    }
    guard let last = entries.last else { return nil }
    var first = last
    for entry in entries.dropLast().reversed() where entry.until == first.evidence.turn {
      first = entry
    }
    return Stretch(evidence: first.evidence, until: last.until)
  }
}
