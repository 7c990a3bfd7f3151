package import HealthRecords
package import IncrementalJSON
package import Intake
import Plans

/// Accepts a model's claims about what was done only as far as the person's own words have them.
package struct EntryCheck {
  let pack: CoachingPack
  let today: Day

  package init(_ pack: CoachingPack, today: Day) { (self.pack, self.today) = (pack, today) }

  private static let mostEntries = 20

  /// How many of the newest entries a model is shown, which it can correct by their numbers.
  private static let mostShown = 12

  /// The date, the newest entries and the limits that hold, for a reading request.
  func material(
    _ log: TrainingLog, _ text: EntryText, _ constraints: ConstraintBook = ConstraintBook()
  ) -> JSONObject {
    let entries = log.entries.suffix(Self.mostShown).map { entry -> JSONValue in
      .members([
        "number": entry.number, "day": "\(entry.day)", "entry": text.asTold(entry),
        "note": entry.note,
      ])
    }
    let limits = constraints.numbered.filter { $0.item.status == .active }
      .map { number, item -> JSONValue in
        .members([
          "number": number, "limit": item.constraint.detail,
          "from": item.constraint.beginsAt?.description,
          "until": item.constraint.expiresAt?.description,
        ])
      }
    return JSONObject([
      ("today", .string("\(pack.weekday(of: today)), \(today)")), ("log", .array(entries)),
      ("limits", .array(limits)),
    ])
  }

  /// New entries, corrected ones, and those with a figure that cannot be right.
  ///
  /// - Parameters:
  ///   - message: What the quotes are from; nil if they are all there is.
  ///   - log: Where entries are corrected.
  ///   - fit: The person's words behind a quote and its turn; nil if they are not there.
  package func notes(
    _ value: JSONValue, in message: String? = nil, log: TrainingLog = TrainingLog(),
    fit: (String, Int) -> LogEntry.Quote?
  ) -> [LogNote] {
    (value.arrayValue ?? []).prefix(Self.mostEntries).compactMap { claim in
      guard let turn = claim["turn"]?.intValue, let quote = claim["quote"]?.stringValue,
        let words = fit(quote, turn)
      else { return nil }
      if ["limit", "limit-over", "away"].contains(claim["what"]) { return nil }
      if claim["what"] == "unsure" { return .unclear(words.text) }
      let number = claim["corrects"]?.intValue ?? 0
      if number > 0 || claim["what"] == "removed" {
        return correction(claim, words, in: message, of: log.entries.first { $0.number == number })
      }
      guard let entry = entry(claim, words, in: message) else { return .unclear(words.text) }
      return pack.bounds.breach(of: entry).map { .implausible(entry, $0) } ?? .new(entry)
    }
  }

  private func correction(
    _ claim: JSONValue, _ quote: LogEntry.Quote, in message: String?, of before: LogEntry?
  ) -> LogNote {
    guard let before else { return .unmatched(quote.text) }
    if claim["what"] == "removed" { return .removed(before) }
    guard let figures = figures(claim, in: quote.text, or: before) else {
      return .unclear(quote.text)
    }
    let name = claim["activity"]?.stringValue ?? ""
    let activity = pack.activity(named: name)
    var entry = LogEntry(
      number: before.number, day: claim["day"]?.stringValue.flatMap { Day($0) } ?? before.day,
      kind: claim["what"] == "skipped" ? .skipped : activity?.kind ?? before.kind,
      activity: activity?.id ?? before.activity, source: before.source)
    figures.fill(&entry)
    if let effort = claim["effort"]?.stringValue { entry.effort = .init(rawValue: effort) }
    entry = entry.completed(from: before)
    let told = before.note?.split(separator: "; ") ?? []
    if let note = note(claim, in: message ?? quote.text), !told.contains(note[...]) {
      entry.note = [before.note, note].compactMap(\.self).joined(separator: "; ")
    }
    if entry.says(theSameAs: before) { return .unclear(quote.text) }
    (entry.quote, entry.corrections) = (before.quote, (before.corrections ?? []) + [quote])
    return pack.bounds.breach(of: entry).map { .implausible(entry, $0) } ?? .corrected(entry)
  }

  private func entry(
    _ claim: JSONValue, _ quote: LogEntry.Quote, in message: String?
  ) -> LogEntry? {
    guard let figures = figures(claim, in: quote.text),
      let day = day(claim["day"]?.stringValue)
    else { return nil }
    let name = claim["activity"]?.stringValue ?? ""
    let activity = pack.activity(named: name)
    let kind: LogEntry.Kind
    switch claim["what"] {
    case "skipped"?: kind = .skipped
    case "weighed"?: kind = .weight
    default: kind = activity?.kind ?? figures.kind
    }
    let id = activity?.id ?? name.lowercased().prefix(40).trimmingSpaces
    var entry = LogEntry(
      day: day, kind: kind,
      activity: kind == .weight ? LogEntry.bodyWeight : id.isEmpty ? LogEntry.anything : id,
      source: .said)
    entry.quote = quote
    figures.fill(&entry)
    entry.effort = claim["effort"]?.stringValue.flatMap { LogEntry.Effort(rawValue: $0) }
    entry.note = note(claim, in: message ?? quote.text)
    return kind != .weight || entry.kilograms != nil ? entry : nil
  }

  /// What the person's words add to an entry; nil if they do not have it.
  private func note(_ claim: JSONValue, in words: String) -> String? {
    guard let note = claim["note"]?.stringValue, !note.isEmpty,
      words.lowercased().contains(note.lowercased())
    else { return nil }
    return note
  }

  /// Nil if a number is neither in the quote nor in the entry that it corrects.
  private func figures(
    _ claim: JSONValue, in quote: String, or before: LogEntry? = nil
  ) -> EntryFigures? {
    var figures = EntryFigures()
    let time = (claim["figures"]?.arrayValue ?? []).reduce(0.0) { sum, figure in
      let unit = figure["unit"]?.stringValue.flatMap { EntryFigures.Unit(rawValue: $0) }
      return sum + (figure["value"]?.doubleValue ?? 0) * (unit?.seconds ?? 0)
    }
    let keepsTime = before?.seconds.map { abs($0 - time) < 1 } ?? false
    for figure in claim["figures"]?.arrayValue ?? [] {
      guard let value = figure["value"]?.doubleValue,
        let unit = figure["unit"]?.stringValue.flatMap({ EntryFigures.Unit(rawValue: $0) })
      else { return nil }
      let said = figure["said"]?.stringValue ?? Measure.number(value)
      guard
        before?.has(value, unit) == true || keepsTime && unit.seconds != nil
          || pack.numbers.tells(said, value, in: quote)
          || value == 1 && !unit.isCount && pack.numbers.areNone(in: said, of: quote)
      else { return nil }
      // Half a lap has no place in an entry, and is left to its quote.
      guard figures.take(value, unit) || unit.isCount && Int(exactly: value) == nil else {
        return nil
      }
    }
    return figures
  }

  /// Today if no day is given; nil for a day to come or long ago.
  private func day(_ text: String?) -> Day? {
    switch text {
    case nil, "", "today": return today
    case "yesterday": return today + -1
    case let text?:
      guard let day = Day(text), day <= today, today - day < 60 else { return nil }
      return day
    }
  }
}

extension LogEntry {
  /// Whether nothing differs but the words that it was taken from.
  fileprivate func says(theSameAs other: LogEntry) -> Bool {
    var copy = self
    (copy.quote, copy.corrections, copy.source) = (other.quote, other.corrections, other.source)
    return copy == other
  }

  /// Whether one of its figures is this.
  fileprivate func has(_ value: Double, _ unit: EntryFigures.Unit) -> Bool {
    let mine: Double? =
      switch unit.size {
      case .one:
        (unit == .sets ? sets : unit == .laps ? laps : unit == .steps ? steps : repetitions)
          .map(Double.init)
      case .kilograms(let size): kilograms.map { $0 / size }
      case .kilometers(let size): kilometers.map { $0 / size }
      case .seconds(let size): seconds.map { $0 / size }
      }
    return mine.map { abs($0 - value) <= 0.005 * abs(value) } ?? false
  }
}

// Limits.
extension EntryCheck {
  /// What the person said about limits, as far as the quotes are theirs.
  func limits(_ value: JSONValue, fit: (String, Int) -> LogEntry.Quote?) -> [LimitNews] {
    (value.arrayValue ?? []).prefix(Self.mostEntries).compactMap { claim in
      guard let what = claim["what"]?.stringValue, ["limit", "limit-over", "away"].contains(what),
        let turn = claim["turn"]?.intValue,
        let quote = claim["quote"]?.stringValue.flatMap({ fit($0, turn) })
      else { return nil }
      var news = LimitNews(quote: quote, isOver: what == "limit-over")
      news.isAway = what == "away"
      news.number = claim["corrects"]?.intValue.flatMap { $0 > 0 ? $0 : nil }
      news.about = claim["activity"]?.stringValue ?? ""
      news.from = claim["day"]?.stringValue.flatMap { Day($0) }
      news.lasts = claim["until"] == "always"
      news.until = claim["until"]?.stringValue.flatMap { Day($0) }
      return news.until.map { $0 < today } ?? false ? nil : news
    }
  }
}

extension CoachingPack {
  /// What the reading request asks for beside evidence.
  package var member: ReadingMember {
    let efforts = ["unsaid"] + LogEntry.Effort.allCases.map(\.rawValue)
    let kinds = ["done", "skipped", "weighed", "unsure", "removed", "limit", "limit-over", "away"]
    let text: JSONValue = ["type": "string"]
    let figures = JSONValue.schema(list: [
      ("unit", .schema(choice: EntryFigures.Unit.allCases.map(\.rawValue))),
      ("value", ["type": "number"]), ("said", text),
    ])
    let entries = JSONValue.schema(list: [
      ("what", .schema(choice: kinds)), ("corrects", ["type": "integer"]), ("activity", text),
      ("day", text), ("until", text), ("figures", figures), ("effort", .schema(choice: efforts)),
      ("note", text), ("turn", ["type": "integer"]), ("quote", text),
    ])
    let names = activities.map { "\($0.id) (\($0.title(in: "en")))" }.joined(separator: ", ")
    return ReadingMember(
      name: "entries", schema: entries,
      instructions: factWords.instructions.replacing("{{activities}}", with: names))
  }
}
