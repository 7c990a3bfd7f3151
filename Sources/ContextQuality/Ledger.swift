/// What is known about the user, facet by facet, and what was known before it was taken back.
///
/// A facet once known stays known until the user takes it back: nothing else removes an entry,
/// so a conversation's score cannot wander because a model changed its mind.
public struct Ledger: Hashable, Sendable {
  /// One stretch during which a facet was known.
  public struct Entry: Hashable, Sendable {
    public var evidence: Evidence
    /// The first user turn from which it was no longer known; nil while it still is.
    public var until: Int?
    /// The words that took it back.
    public var retractionQuote: String?

    public func isKnown(after turn: Int) -> Bool {
      evidence.turn <= turn && turn < (until ?? .max)
    }
  }

  /// In the order in which they became known.
  public private(set) var entries: [Entry] = []

  public init() {}

  /// Makes a facet known, or replaces its quote where a later turn says it anew.
  ///
  /// Evidence from a turn before the one already held changes nothing. A facet that was known
  /// before keeps the turn from which it was known; only the words are the newer ones. A reading
  /// gives way to the user's words and to a newer reading.
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
    if evidence.isReading, entries[index].evidence.isReading {
      entries[index].evidence = evidence
    } else if evidence.turn > entries[index].evidence.turn {
      entries[index].until = evidence.turn
      entries.append(Entry(evidence: evidence, until: nil, retractionQuote: nil))
    }
  }

  /// Makes a facet unknown from the turn that takes it back.
  ///
  /// New evidence in that same turn counts as a correction: record it after the retraction.
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

  /// Forgets the readings that are known now, as if there had never been any.
  public mutating func withdrawReadings() {
    entries.removeAll { $0.evidence.isReading && $0.until == nil }
  }

  /// Puts new readings in the place of those that are known now: what is not read any more is
  /// forgotten.
  public mutating func replaceReadings(with readings: [Evidence]) {
    let facets = Set(readings.map(\.facet))
    entries.removeAll {
      $0.evidence.isReading && $0.until == nil && !facets.contains($0.evidence.facet)
    }
    for reading in readings { record(reading) }
  }

  /// Takes in what was found in any number of turns: turn by turn, and in each what it takes back
  /// before what it says.
  ///
  /// Of two quotes for one facet in one turn the first stays.
  public mutating func apply(_ evidence: [Evidence], retracted: [Retraction]) {
    let turns = Set(evidence.map(\.turn)).union(retracted.map(\.turn))
    for turn in turns.sorted() {
      for retraction in retracted where retraction.turn == turn { retract(retraction) }
      for evidence in evidence where evidence.turn == turn { record(evidence) }
    }
  }

  /// What is known now.
  public var known: Set<Facet> {
    Set(entries.lazy.filter { $0.until == nil }.map(\.evidence.facet))
  }

  /// What was known once the given user turn had been read; 0 is before the first.
  public func known(after turn: Int) -> Set<Facet> {
    Set(entries.lazy.filter { $0.isKnown(after: turn) }.map(\.evidence.facet))
  }

  /// The evidence that a facet rests on now.
  public func evidence(for facet: Facet) -> Evidence? {
    entries.last { $0.evidence.facet == facet && $0.until == nil }?.evidence
  }
}

extension Ledger {
  /// A time during which a facet was known; corrections in between do not end it.
  public struct Stretch: Hashable, Sendable {
    /// The words that made it known.
    public let evidence: Evidence
    /// The first user turn from which it was no longer known; nil while it still is.
    public let until: Int?
  }

  /// The latest stretch during which the facet was known; nil if it never was.
  ///
  /// - Parameter isReading: Looks at readings alone, or at words alone.
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
