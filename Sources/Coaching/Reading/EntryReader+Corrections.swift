import HealthRecords
import Journeys

// Corrections.
extension EntryReader {
  /// Older entries aren't meant by words that name no activity.
  private static let recentTurns = 6
  private static let recentDays = 2

  /// The entry with the figures or the effort of words that name no activity, such as "65 kg, felt hard";
  /// nil without any, and of a
  /// session that was skipped.
  func retyped(_ entry: LogEntry, as words: String) -> LogEntry? {
    guard entry.kind != .skipped else { return nil }
    let tokens = LogTokens.sentences(of: words).flatMap(\.tokens)
    let amounts = amounts(
      in: tokens[...], entry.kind, pack[activity: entry.activity])
    let effort = entry.isTraining ? effort(of: tokens.map(\.text)) : nil
    guard !(amounts.isEmpty && effort == nil) else { return nil }
    var retyped = entry
    retyped.take(amounts)
    retyped.effort = effort ?? entry.effort
    (retyped.source, retyped.quote) = (entry.source == .health ? .health : .typed, nil)
    retyped.corrections = nil
    return retyped
  }

  /// What a sentence such as "no, it was 65 kg" or "the bench was 45 kg, not 40" changes; nil if it
  /// corrects nothing.
  ///
  /// It changes the latest entry of the activity that it names, or else the latest one whose figures are of
  /// the same kind.
  ///
  /// - Parameter allowsBare: Whether a number alone may correct the latest entry.
  func correction(
    in sentence: LogTokens, _ turn: Int?, _ named: Day?, _ today: Day, _ log: TrainingLog,
    allowsBare: Bool
  ) -> LogNote? {
    guard let cue = cue(in: sentence), !words.isNotDone(sentence.words),
      !words.another.isIn(sentence.words)
    else { return nil }
    let correction = Correction(
      sentence: sentence, turn: turn, day: named, today: today, cue: cue,
      tokens: cue.tokens(of: sentence), allowsBare: allowsBare)
    if let other = renamed(correction, log) { return other }
    let place = places(in: correction.tokens.map(\.text)).first
    guard place != nil || words.weighed.isIn(sentence.words) else {
      return unnamed(correction, log)
    }
    return self.named(correction, place?.activity, log)
  }

  private struct Correction {
    var sentence: LogTokens
    var turn: Int?
    var day: Day?
    var today: Day
    var cue: Cue
    /// Without what was wrong.
    var tokens: [LogTokens.Token]
    var allowsBare: Bool

    /// As one that names what it changes.
    var sure: Correction {
      var correction = self
      correction.cue.isSure = true
      return correction
    }
  }

  /// What makes a sentence a correction.
  private struct Cue {
    /// Whether it can be nothing else, as with "I meant" or "not 40".
    var isSure: Bool
    /// What follows "not", up to the next comma or word like "but".
    var denied: Range<Int>?

    func tokens(of sentence: LogTokens) -> [LogTokens.Token] {
      sentence.tokens.indices.filter { !(denied?.contains($0) ?? false) }.map {
        sentence.tokens[$0]
      }
    }
  }

  private func cue(in sentence: LogTokens) -> Cue? {
    let said = sentence.words
    let tokens = Quantities(sentence.tokens[...], words)
    // "Not 40", with another figure beside it.
    let denied = said.indices.lazy.compactMap { index -> Range<Int>? in
      guard let length = words.not.length(at: index, of: said) else { return nil }
      let figure = index + length
      guard tokens[figure] != nil, !sentence.tokens[figure].followsComma else { return nil }
      return index..<figure
    }.first
    if let denied {
      let rest = said.indices[(denied.upperBound + 1)...]
      let end =
        rest.first { sentence.tokens[$0].followsComma || words.denialEnds.contains(said[$0]) }
        ?? said.count
      let wrong = denied.lowerBound..<end
      let hasOther = said.indices.contains { index in
        !wrong.contains(index) && sentence.tokens[index].number != nil
      }
      if hasOther { return Cue(isSure: true, denied: wrong) }
    }
    let isSlip = words.slip.begins(said)
    if words.fix.isIn(said) || isSlip { return Cue(isSure: true) }
    // "No, 65 kg".
    if let no = words.no.length(at: 0, of: said), no < said.count, let figure = tokens[no] {
      let end = no + figure.length
      let hasUnit = tokens.unit(end) != nil
      if hasUnit && sentence.tokens[no].followsComma || end + (hasUnit ? 1 : 0) == said.count {
        return Cue(isSure: false)
      }
    }
    // "It was 65 kg", "the squats were 65 kg".
    let hasFigure = sentence.tokens.contains { $0.number != nil }
    let wasNamed = places(in: said).contains {
      let next = tokens.word($0.range.upperBound)
      return words.was.contains(next) || !hasFigure && words.felt.contains(next)
    }
    guard words.mayFix.isIn(said) || wasNamed else { return nil }
    return Cue(isSure: words.no.begins(said))
  }

  // Of an activity that is named.
  private func named(
    _ correction: Correction, _ activity: Activity?, _ log: TrainingLog
  ) -> LogNote? {
    let ids = [activity?.id ?? Self.bodyWeight, activity?.distanceIs].compactMap(\.self)
    // "The squats were yesterday".
    let latest = log.byDay.last { ids.contains($0.activity) && $0.kind != .skipped }
    if let latest, isRecent(latest, correction.sure), let moved = moved(correction, latest) {
      return moved
    }
    let target = log.byDay.last { entry in
      ids.contains(entry.activity) && entry.kind != .skipped
        && (correction.day ?? entry.day) == entry.day
    }
    // "Actually, I ran 6 km" corrects today's run, and is a new one otherwise.
    let isNewIfOld = !correction.cue.isSure || words.did.isIn(correction.sentence.words)
    if let target {
      if isNewIfOld, target.day != correction.day ?? correction.today { return nil }
      if isWhole(correction, target) { return nil }
      return applied(correction, to: target)
    }
    let amounts = amounts(
      in: correction.tokens[...], activity?.kind ?? .weight, activity)
    guard !isNewIfOld, !(amounts.isEmpty && amounts.bare.isEmpty), amounts.sets == nil else {
      return nil
    }
    return .unmatched(correction.sentence.text.trimmingSpaces)
  }

  /// "I meant deadlift, not bench": the same figures of another activity.
  private func renamed(_ correction: Correction, _ log: TrainingLog) -> LogNote? {
    let said = correction.sentence.words
    guard correction.cue.isSure || words.mayFix.isIn(said),
      correction.tokens.allSatisfy({ $0.number == nil })
    else { return nil }
    let places = places(in: said)
    let wrong = places.filter { place in
      words.not.phrases.contains { ends(said[..<place.range.lowerBound], with: $0) }
    }
    guard places.count == 2, wrong.count == 1,
      let right = places.first(where: { $0.range != wrong[0].range })?.activity,
      let target = log.entries.last(where: { $0.activity == wrong[0].activity.id }),
      target.kind == right.kind, isRecent(target, correction.sure)
    else { return nil }
    var corrected = target
    corrected.activity = right.id
    return .corrected(signed(corrected, correction))
  }

  /// "Bench was 3x8 at 40 kg" is another entry, unless it says that it corrects.
  private func isWhole(_ correction: Correction, _ target: LogEntry) -> Bool {
    guard !correction.cue.isSure else { return false }
    let amounts = amounts(
      in: correction.tokens[...], target.kind, pack[activity: target.activity])
    return amounts.sets != nil && amounts.repetitions != nil
      || amounts.kilometers != nil && amounts.seconds != nil
  }

  // Without a name.
  private func unnamed(_ correction: Correction, _ log: TrainingLog) -> LogNote? {
    let recent = log.entries.reversed().filter { entry in
      isRecent(entry, correction) && entry.kind != .skipped
    }
    for entry in recent {
      if let note = applied(correction, to: entry, onlyIfFits: true) { return note }
    }
    if let moved = moved(correction, recent.first) { return moved }
    guard correction.cue.isSure, !recent.isEmpty else { return nil }
    let amounts = amounts(in: correction.tokens[...], .distance)
    let loads = self.amounts(in: correction.tokens[...], .strength)
    guard amounts.kilometers != nil || loads.kilograms != nil || loads.repetitions != nil else {
      return nil
    }
    return .unmatched(correction.sentence.text.trimmingSpaces)
  }

  private func isRecent(_ entry: LogEntry, _ correction: Correction) -> Bool {
    guard let turn = correction.turn else { return correction.today - entry.day <= Self.recentDays }
    let last = entry.corrections?.last?.turn ?? entry.quote?.turn
    guard let last else {
      return correction.cue.isSure && correction.today - entry.day < Self.recentDays
    }
    return turn - max(0, last) <= (correction.cue.isSure ? Self.recentTurns : 2)
  }

  /// "That was yesterday": the latest entry, on another day.
  private func moved(_ correction: Correction, _ entry: LogEntry?) -> LogNote? {
    guard let day = correction.day, let entry, day != entry.day,
      !words.did.isIn(correction.sentence.words),
      correction.tokens.allSatisfy({ $0.number == nil }), correction.tokens.count <= 6
    else { return nil }
    var moved = entry
    moved.day = day
    return .corrected(signed(moved, correction))
  }

  /// The entry with the figures of a correction; nil if they are of another kind.
  private func applied(
    _ correction: Correction, to entry: LogEntry, onlyIfFits: Bool = false
  ) -> LogNote? {
    let activity = pack[activity: entry.activity]
    var amounts = amounts(
      in: correction.tokens[...], entry.kind, activity, units: entry.units)
    let takesBare = !onlyIfFits || (correction.allowsBare && correction.tokens.last?.number != nil)
    if amounts.isEmpty, takesBare, let figure = amounts.bare.first, amounts.bare.count == 1 {
      amounts = amounts.taking(bare: figure, for: entry, entry.units ?? units)
    }
    let effort = effort(of: correction.tokens.map(\.text))
    let isEffort = !onlyIfFits && effort != nil && correction.tokens.allSatisfy { $0.number == nil }
    guard !amounts.isEmpty || isEffort, !onlyIfFits || amounts.fit(entry) else { return nil }
    if onlyIfFits, let denied = correction.cue.denied {
      let wrong = Quantities(correction.sentence.tokens[denied], words).values
      guard wrong.contains(where: { entry.says($0) }) else { return nil }
    }
    var corrected = entry
    corrected.take(amounts)
    corrected.effort = effort ?? entry.effort
    if let breach = pack.bounds.breach(of: corrected) {
      return onlyIfFits ? nil : .implausible(corrected, breach)
    }
    guard corrected != entry else { return nil }
    return .corrected(signed(corrected, correction))
  }

  /// With the words that it rests on now, beside those that it rested on.
  private func signed(_ entry: LogEntry, _ correction: Correction) -> LogEntry {
    guard let turn = correction.turn else { return entry }
    var entry = entry
    let quote = LogEntry.Quote(turn: turn, text: correction.sentence.text.trimmingSpaces)
    entry.corrections = (entry.corrections ?? []) + [quote]
    return entry
  }
}

extension Amounts {
  /// Whether an entry has figures of the same kinds.
  fileprivate func fit(_ entry: LogEntry) -> Bool {
    // A body doesn't change by a sixth.
    if entry.kind == .weight, let kilograms, let before = entry.kilograms,
      abs(kilograms - before) > before / 6
    {
      return false
    }
    let fits = [
      kilograms == nil || entry.kilograms != nil, kilometers == nil || entry.kind == .distance,
      seconds == nil || entry.kind == .distance || entry.kind == .timed,
      sets == nil || entry.kind == .strength, repetitions == nil || entry.kind == .strength,
      laps == nil || entry.laps != nil, steps == nil || entry.steps != nil,
    ]
    return fits.allSatisfy(\.self)
  }

  /// A number without a unit is the entry's first figure.
  fileprivate func taking(bare figure: Double, for entry: LogEntry, _ units: Units) -> Amounts {
    var amounts = self
    let isImperial = units == .imperial
    if entry.kilograms != nil {
      amounts.kilograms = figure * (isImperial ? Self.kilogramsPerPound : 1)
    } else if entry.kilometers != nil {
      amounts.kilometers = figure * (isImperial ? Self.kilometersPerMile : 1)
    } else if entry.repetitions != nil {
      amounts.repetitions = Int(exactly: figure)
    } else if entry.laps != nil {
      amounts.laps = Int(exactly: figure)
    } else if entry.steps != nil {
      amounts.steps = Int(exactly: figure)
    } else if entry.seconds != nil {
      amounts.seconds = figure * 60
    }
    return amounts
  }
}

extension LogEntry {
  /// Whether one of its figures is this number, in the unit that it may have been said in.
  fileprivate func says(_ number: Double) -> Bool {
    let figures: [Double?] = [
      sets.map(Double.init), repetitions.map(Double.init), kilograms,
      kilograms.map { $0 / Amounts.kilogramsPerPound }, kilometers,
      kilometers.map { $0 / Amounts.kilometersPerMile }, kilometers.map { $0 * 1_000 },
      seconds, seconds.map { $0 / 60 }, seconds.map { $0 / 3_600 }, laps.map(Double.init),
      steps.map(Double.init),
    ]
    return figures.contains { $0.map { abs($0 - number) < 0.05 } ?? false }
  }
}
