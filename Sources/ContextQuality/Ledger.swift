package import IncrementalJSON

/// The facets known about the user, and those that were known until the user took them back.
///
/// A facet can rest on several pieces of evidence, and is known while one of them stands. A piece stands until
/// the user corrects it or takes it back. Nothing else removes one, so the score does not drift when a model
/// changes its mind.
public struct Ledger: Hashable, Sendable {
  /// A piece of evidence, and how long it stood.
  public struct Entry: Hashable, Sendable {
    public var evidence: Evidence
    /// The first user turn in which it no longer stood; nil if it still does.
    public var until: Int?
    /// The words that took it back.
    public var retractionQuote: String?
    /// The turn that may have ended a limit or a medical fact. It stands until a later turn says so again.
    public var doubtedIn: Int?

    init(_ evidence: Evidence) { self.evidence = evidence }

    public func isKnown(after turn: Int) -> Bool {
      evidence.turn <= turn && turn < (until ?? .max)
    }

    /// Whether a quote means this piece: the same words, more of them, or fewer.
    fileprivate func isNamed(by words: String) -> Bool {
      let (mine, named) = (FoldedText(evidence.text).text, FoldedText(words).text)
      if mine == named { return true }
      let (short, long) = mine.utf8.count < named.utf8.count ? (mine, named) : (named, mine)
      return short.utf8.count >= Self.leastBytes && long.contains(short)
    }

    /// "No" names nothing.
    private static let leastBytes = 4

    fileprivate var isProtected: Bool { evidence.mark?.isProtected == true }

    /// Whether a quote of the same turn has this piece's words. A doctor's limit and what else is said beside it are
    /// two things.
    fileprivate func isRepeated(by other: Evidence) -> Bool {
      FoldedText(evidence.text).text == FoldedText(other.text).text
        || isProtected == (other.mark?.isProtected == true) && isNamed(by: other.text)
    }

    /// Whether words that name this piece mean all of it. Of a medical limit, they hold at least three
    /// quarters: "no kneeling" is not all of "no kneeling and no jumping".
    fileprivate func isMeantWhole(by words: String) -> Bool {
      !isProtected
        || 4 * FoldedText(words).text.utf8.count >= 3 * FoldedText(evidence.text).text.utf8.count
    }
  }

  /// In the order they became known.
  public private(set) var entries: [Entry] = []

  public init() {}

  /// Adds a piece of evidence. Only what it corrects, or a reading that it replaces, stops standing.
  ///
  /// The user's words, an answer or a newer reading replace a reading, and an answer replaces an earlier one of
  /// its step.
  public mutating func add(_ evidence: Evidence) {
    guard !isWithdrawn(evidence) else { return }
    var evidence = evidence
    if evidence.mark == .meant {
      let named = places(of: evidence.facet).filter {
        entries[$0].evidence.mark == .likely && entries[$0].isNamed(by: evidence.corrects ?? "")
      }
      for index in named { entries[index].evidence.mark = nil }
      guard named.isEmpty else { return }
      // It confirms nothing that is known, so it stands for itself.
      (evidence.mark, evidence.corrects) = (nil, nil)
    }
    for index in places(of: evidence.facet) {
      let current = entries[index].evidence
      if current.isReading {
        guard evidence.isReading || evidence.answer != nil else {
          entries[index].until = evidence.turn
          continue
        }
        entries[index].evidence = evidence
        return
      }
      if evidence.isReading { return }
      if let step = evidence.answer?.step, step == current.answer?.step {
        entries[index].evidence = evidence
        return
      }
      if current.turn == evidence.turn, entries[index].isRepeated(by: evidence) {
        let marks = [current.mark, evidence.mark].compactMap(\.self)
        entries[index].evidence.mark = marks.first(where: \.isProtected) ?? marks.first
        return
      }
      if let corrected = evidence.corrects, current.turn < evidence.turn,
        entries[index].isNamed(by: corrected)
      {
        if entries[index].isMeantWhole(by: corrected) {
          entries[index].until = evidence.turn
        } else {
          entries[index].doubtedIn = evidence.turn
        }
        // A doctor's limit in other words is still a doctor's limit.
        if evidence.mark == nil, current.mark?.isProtected == true { evidence.mark = current.mark }
      } else if FoldedText(current.text).text == FoldedText(evidence.text).text {
        // Said again, it holds, and is meant.
        entries[index].doubtedIn = nil
        if current.mark == .likely { entries[index].evidence.mark = evidence.mark }
        return
      }
    }
    entries.append(Entry(evidence))
  }

  /// Makes a facet known, or replaces its quote if a later turn repeats it.
  ///
  /// The rule for scorers and sessions that know of one piece a facet. Evidence from a turn before the stored
  /// one changes nothing.
  public mutating func record(_ evidence: Evidence) {
    guard let index = places(of: evidence.facet).last else {
      if !isWithdrawn(evidence) { entries.append(Entry(evidence)) }
      return
    }
    let current = entries[index].evidence
    if current.isReading, evidence.isReading || evidence.answer != nil {
      entries[index].evidence = evidence
    } else if let answer = evidence.answer, current.answer?.turn == answer.turn {
      entries[index].evidence = evidence
    } else if evidence.turn > entries[index].evidence.turn {
      entries[index].until = evidence.turn
      entries.append(Entry(evidence))
    }
  }

  private func places(of facet: Facet) -> [Int] {
    entries.indices.filter { entries[$0].evidence.facet == facet && entries[$0].until == nil }
  }

  private func told(_ facet: Facet) -> [Int] {
    places(of: facet).filter { entries[$0].evidence.mark != .provisional }
  }

  /// Whether the user has already withdrawn these words: they are older than the taking back.
  private func isWithdrawn(_ evidence: Evidence) -> Bool {
    let last = entries.last { $0.evidence.facet == evidence.facet }
    return last?.until.map { evidence.turn < $0 } ?? false
  }

  /// Ends the pieces that a turn takes back.
  ///
  /// A limit or a medical fact ends only if it is named, and only when a second turn says so: before, it is
  /// in doubt, for the coach to ask. New evidence in the same turn is a correction: add it after the
  /// retraction. Of a doctor's limit, once is enough if the retraction is plain.
  public mutating func retract(_ retraction: Retraction) {
    let earlier = places(of: retraction.facet).filter {
      entries[$0].evidence.turn < retraction.turn
    }
    var named = earlier.filter { index in
      retraction.of.map { entries[index].isNamed(by: $0) } ?? false
    }
    // "I hate rowing" is that, and not "I hate rowing machines in hotels".
    let exact = named.filter { index in
      FoldedText(entries[index].evidence.text).text == FoldedText(retraction.of ?? "").text
    }
    if !exact.isEmpty { named = exact }
    // Words that name nothing mean the only piece there is.
    let unnamed = retraction.of == nil || earlier.count == 1 ? earlier : []
    for index in named.isEmpty ? unnamed : named {
      if entries[index].isProtected {
        guard !named.isEmpty, let words = retraction.of else { continue }
        // If a part of it is over, the rest holds, and the coach asks.
        let isRepeated = entries[index].doubtedIn.map { doubt in
          doubt < retraction.turn && retraction.turn - doubt <= Self.turnsOfDoubt
        }
        let isPlain = retraction.isPlain == true && entries[index].evidence.mark == .clinician
        guard isPlain || isRepeated == true, entries[index].isMeantWhole(by: words) else {
          entries[index].doubtedIn = retraction.turn
          continue
        }
      }
      entries[index].until = retraction.turn
      entries[index].retractionQuote = retraction.quote
    }
  }

  /// A limit that was in doubt so many turns ago is asked about again.
  public static let turnsOfDoubt = 3

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
    for answer in answers { add(answer) }
  }

  /// Removes what was read at a glance in these turns.
  public mutating func withdrawGlances(of turns: [Int]) {
    entries.removeAll {
      $0.evidence.mark == .provisional && turns.contains($0.evidence.turn)
    }
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
  /// - Parameter addsUp: Whether evidence adds to what stands, rather than replacing it. If not and one turn
  ///   has two quotes for a facet, the first wins.
  public mutating func apply(
    _ evidence: [Evidence], retracted: [Retraction], addsUp: Bool = true
  ) {
    let turns = Set(evidence.map(\.turn)).union(retracted.map(\.turn))
    for turn in turns.sorted() {
      for retraction in retracted where retraction.turn == turn { retract(retraction) }
      for evidence in evidence where evidence.turn == turn {
        if addsUp { add(evidence) } else { record(evidence) }
      }
    }
  }

  /// The pieces that stand.
  package var standing: [Entry] { entries.filter { $0.until == nil } }

  /// The known facets.
  public var known: Set<Facet> {
    Set(entries.lazy.filter { $0.until == nil }.map(\.evidence.facet))
  }

  /// The known facets that rest on more than a glance.
  public var sure: Set<Facet> { known.filter { !told($0).isEmpty } }

  /// The facets known after the given user turn; 0 is before the first turn.
  public func known(after turn: Int) -> Set<Facet> {
    Set(entries.lazy.filter { $0.isKnown(after: turn) }.map(\.evidence.facet))
  }

  /// The newest standing evidence for a facet. What was only read at a glance is none.
  public func evidence(for facet: Facet) -> Evidence? {
    told(facet).reversed().map { entries[$0].evidence }.max { $0.turn < $1.turn }
  }

  /// The pieces that stand for a facet, in the order of their turns.
  ///
  /// - Parameter glances: Whether what was only read at a glance is among them.
  public func pieces(for facet: Facet, glances: Bool = false) -> [Entry] {
    (glances ? places(of: facet) : told(facet)).map { entries[$0] }.sorted {
      $0.evidence.turn < $1.evidence.turn
    }
  }
}

extension Ledger {
  /// A period during which a facet was known. Corrections and additions do not end it.
  public struct Stretch: Hashable, Sendable {
    /// What made it known.
    public let evidence: Evidence
    /// The newest of its evidence, of what stands if anything does.
    public let newest: Evidence
    /// The first user turn in which it was no longer known; nil if still known.
    public let until: Int?
    /// All of it, in the order of the turns.
    public let pieces: [Entry]
  }

  /// The latest stretch during which the facet was known; nil if it never was.
  ///
  /// - Parameter isReading: True: only readings. False: only words.
  public func latestStretch(of facet: Facet, isReading: Bool? = nil) -> Stretch? {
    let entries = entries.filter {
      $0.evidence.facet == facet && (isReading ?? $0.evidence.isReading) == $0.evidence.isReading
    }.sorted { $0.evidence.turn < $1.evidence.turn }
    var pieces: [Entry] = []
    var until: Int? = 0
    for entry in entries {
      if let end = until, end < entry.evidence.turn { (pieces, until) = ([], 0) }
      pieces.append(entry)
      until = until.flatMap { end in entry.until.map { max(end, $0) } }
    }
    guard let first = pieces.first else { return nil }
    let newest = pieces.last { $0.until == nil } ?? pieces.last ?? first
    return Stretch(
      evidence: first.evidence, newest: newest.evidence, until: until, pieces: pieces)
  }
}

extension Ledger.Entry {
  /// `{"turn","quote"[,"until"][,"mark"]}`.
  package var json: JSONValue {
    .members([
      ("turn", JSONValue(evidence.turn)), ("quote", .string(evidence.text)),
      ("until", until.map { JSONValue($0) }), ("mark", evidence.mark.map { .string($0.rawValue) }),
    ])
  }
}

extension Ledger.Stretch {
  /// What it rests on; nil if that is one plain quote.
  package var piecesJSON: JSONValue? {
    guard pieces.count > 1 || newest.mark != nil else { return nil }
    return .array(pieces.map(\.json))
  }
}
