package import HealthRecords
package import IncrementalJSON
import Intake
import Journeys

/// Accepts a model's claims about what was done only as far as the person's own words have them.
package struct EntryCheck {
  let pack: CoachingPack
  let today: Day

  package init(_ pack: CoachingPack, today: Day) { (self.pack, self.today) = (pack, today) }

  private static let mostEntries = 20

  /// How many of the newest entries a model is shown, which it can correct by their numbers.
  private static let mostShown = 12

  /// The date and the newest entries, for a reading request.
  func material(_ log: TrainingLog, _ text: EntryText) -> JSONObject {
    let entries = log.entries.suffix(Self.mostShown).map { entry -> JSONValue in
      [
        "number": JSONValue(entry.number), "day": .string("\(entry.day)"),
        "entry": .string(text.asTold(entry)),
      ]
    }
    return JSONObject([
      ("today", .string("\(pack.weekday(of: today)), \(today)")), ("log", .array(entries)),
    ])
  }

  /// New entries, corrected ones, and those with a figure that can't be right.
  ///
  /// - Parameters:
  ///   - message: What the quotes are from; nil if they are all there is.
  ///   - log: Where entries are corrected.
  ///   - fit: The person's words behind a quote and its turn; nil if they aren't there.
  package func notes(
    _ value: JSONValue, in message: String? = nil, log: TrainingLog = TrainingLog(),
    fit: (String, Int) -> LogEntry.Quote?
  ) -> [LogNote] {
    (value.arrayValue ?? []).prefix(Self.mostEntries).compactMap { claim in
      guard let turn = claim["turn"]?.intValue, let quote = claim["quote"]?.stringValue,
        let words = fit(quote, turn)
      else { return nil }
      if claim["what"] == "unsure" { return .unclear(message ?? words.text, part: words.text) }
      let number = claim["corrects"]?.intValue ?? 0
      if number > 0 {
        return correction(claim, words, of: log.entries.first { $0.number == number })
      }
      guard let entry = entry(claim, words, in: message) else { return nil }
      return pack.bounds.breach(of: entry).map { .implausible(entry, $0) } ?? .new(entry)
    }
  }

  private func correction(
    _ claim: JSONValue, _ quote: LogEntry.Quote, of before: LogEntry?
  ) -> LogNote? {
    guard let before else { return .unmatched(quote.text) }
    let tokens = reader.sentences(of: quote.text).flatMap(\.tokens)
    guard let figures = figures(claim, in: Said(done: tokens, exact: tokens), quote.text) else {
      return nil
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
    (entry.quote, entry.corrections) = (before.quote, (before.corrections ?? []) + [quote])
    return pack.bounds.breach(of: entry).map { .implausible(entry, $0) } ?? .corrected(entry)
  }

  private func entry(
    _ claim: JSONValue, _ quote: LogEntry.Quote, in message: String?
  ) -> LogEntry? {
    guard let what = claim["what"]?.stringValue,
      let said = said(quote.text, in: message, isSkipped: what == "skipped")
    else { return nil }
    let name = claim["activity"]?.stringValue ?? ""
    let activity = pack.activity(named: name)
    guard let figures = figures(claim, in: said, quote.text),
      let day = day(claim["day"]?.stringValue, in: quote.text), day <= today,
      what == "skipped" || !isPlan(quote.text)
    else { return nil }
    let kind: LogEntry.Kind
    switch what {
    case "skipped": kind = .skipped
    case "weighed": kind = .weight
    default: kind = activity?.kind ?? figures.kind
    }
    let id = activity?.id ?? name.lowercased().prefix(40).trimmingSpaces
    var entry = LogEntry(
      day: day, kind: kind,
      activity: kind == .weight ? EntryReader.bodyWeight : id.isEmpty ? EntryReader.anything : id,
      source: .said)
    entry.quote = quote
    figures.fill(&entry)
    entry.effort =
      reader.effort(of: LogTokens.words(of: quote.text))
      ?? claim["effort"]?.stringValue.flatMap { LogEntry.Effort(rawValue: $0) }
    let note = claim["note"]?.stringValue ?? ""
    if !note.isEmpty, (message ?? quote.text).lowercased().contains(note.lowercased()) {
      entry.note = note
    }
    return kind != .weight || entry.kilograms != nil ? entry : nil
  }

  private var reader: EntryReader { EntryReader(pack, units: .metric) }

  /// The day that was claimed; if that is none, the one that the quote names, or else today.
  private func day(_ claim: String?, in quote: String) -> Day? {
    if let claim, let day = Day(claim), day <= today, today - day < 60 { return day }
    let named = reader.sentences(of: quote).lazy.compactMap { reader.namedDay(in: $0, today) }.first
    return named ?? day(claim)
  }

  /// "Tomorrow I'll run 5k" and "I usually run 5k" tell nothing that was done.
  private func isPlan(_ quote: String) -> Bool {
    let said = LogTokens.words(of: quote)
    return pack.words.isNotDone(said) && !pack.words.did.isIn(said)
  }

  /// The words of a quote that tell of one's own training that was done, and of them those that are sure.
  private struct Said {
    var done: [LogTokens.Token] = []
    var exact: [LogTokens.Token] = []
  }

  /// Nil if the quote is about others, or about what wasn't done: "my wife ran 10k", "I did not run 5k".
  private func said(_ quote: String, in message: String?, isSkipped: Bool) -> Said? {
    let text = message.flatMap { $0.contains(quote) ? $0 : nil } ?? quote
    guard let place = text.firstRange(of: quote) else { return nil }
    func quoted(_ sentence: LogTokens?) -> [LogTokens.Token] {
      (sentence?.tokens ?? []).filter { place.overlaps($0.range) }
    }
    var (said, count) = (Said(), 0)
    for sentence in reader.sentences(of: text) {
      let own = reader.withoutOthers(sentence)
      let reached = own.map { reader.fallenShort($0)?.reached ?? $0 }
      let done = isSkipped ? own : reached.flatMap { reader.withoutUndone($0) }
      count += quoted(sentence).count
      said.done += quoted(done)
      said.exact += quoted(done.flatMap { reader.withoutInexact($0) })
    }
    let tells =
      said.done.contains { $0.number != nil } || reader.hasAct(said.done.map(\.text))
    return said.done.count == count || tells ? said : nil
  }

  private struct Figures {
    var sets: Int?
    var repetitions: [Int] = []
    var kilograms: [Double] = []
    var kilometers: Double?
    var seconds: Double?
    var laps: Int?
    var steps: Int?
    var named: Set<Units> = []

    var kind: LogEntry.Kind {
      if kilometers != nil || laps != nil || steps != nil { return .distance }
      return sets != nil || !repetitions.isEmpty || !kilograms.isEmpty ? .strength : .timed
    }

    func fill(_ entry: inout LogEntry) {
      entry.sets = sets
      entry.repetitions = repetitions.first
      entry.kilograms = kilograms.first.map { ($0 * 100).rounded() / 100 }
      entry.kilometers = kilometers.map { ($0 * 1_000).rounded() / 1_000 }
      (entry.seconds, entry.laps, entry.steps) = (seconds, laps, steps)
      entry.units = named.count == 1 ? named.first : nil
      guard repetitions.count > 1, entry.kind == .strength else { return }
      // A load for each set, or one for all.
      let hasEach = kilograms.count == repetitions.count
      let series = repetitions.indices.map { index in
        LogEntry.Series(
          repetitions: repetitions[index],
          kilograms: (hasEach ? kilograms[index] : kilograms.first).map {
            ($0 * 100).rounded() / 100
          })
      }
      let best = LogEntry.Series.best(of: series)
      entry.sets = max(sets ?? 0, series.count)
      (entry.repetitions, entry.kilograms) = (best?.repetitions, best?.kilograms)
      entry.eachSet = Set(series).count > 1 || entry.sets != series.count ? series : nil
    }
  }

  /// Nil if a number isn't in the words. One that wasn't reached is left out.
  private func figures(_ claim: JSONValue, in words: Said, _ quote: String) -> Figures? {
    let tokens = words.exact
    let said = Quantities(tokens[...], pack.words)
    let done = Quantities(words.done[...], pack.words)
    let frame = Amounts.Frame(kind: .distance, units: .metric)
    // "Half an hour" are 30 minutes, too.
    let read = Amounts(tokens[...], frame, pack.words)
    var figures = Figures()
    for figure in claim["figures"]?.arrayValue ?? [] {
      guard let value = figure["value"]?.doubleValue else { return nil }
      let unit = figure["unit"]?.stringValue ?? ""
      let isTold = pack.numbers.tells(figure["said"]?.stringValue ?? "", value, in: quote)
      guard isTold || said.names(value, unit) || Self.meets(value, unit, read) else {
        if tokens.count < words.done.count, done.names(value, unit) { continue }
        return nil
      }
      switch unit {
      case "sets": figures.sets = Int(exactly: value)
      case "repetitions": figures.repetitions += [Int(exactly: value)].compactMap(\.self)
      case "kg": figures.kilograms.append(value)
      case "lb": figures.kilograms.append(value * Amounts.kilogramsPerPound)
      case "km": figures.kilometers = value
      case "mi": figures.kilometers = value * Amounts.kilometersPerMile
      case "m": figures.kilometers = value / 1_000
      case "h": figures.seconds = (figures.seconds ?? 0) + value * 3_600
      case "min": figures.seconds = (figures.seconds ?? 0) + value * 60
      case "s": figures.seconds = (figures.seconds ?? 0) + value
      case "laps": figures.laps = Int(exactly: value)
      case "steps": figures.steps = Int(exactly: value)
      default: return nil
      }
      if ["kg", "km", "m"].contains(unit) { figures.named.insert(.metric) }
      if ["lb", "mi"].contains(unit) { figures.named.insert(.imperial) }
    }
    return figures
  }

  /// Whether a claim is what the rules read in the same words.
  private static func meets(_ value: Double, _ unit: String, _ read: Amounts) -> Bool {
    let seconds = ["h": 3_600.0, "min": 60, "s": 1][unit]
    let kilometers = ["km": 1, "mi": Amounts.kilometersPerMile, "m": 0.001][unit]
    if let seconds, let said = read.seconds { return abs(value * seconds - said) < 0.5 }
    if let kilometers, let said = read.kilometers { return abs(value * kilometers - said) < 0.001 }
    return unit == "steps" && read.steps.map(Double.init) == value
  }

  /// Today if nothing is said; nil for a day to come or long ago.
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

extension CoachingPack {
  /// What the reading request asks for beside evidence.
  var member: ReadingMember {
    let units = [
      "sets", "repetitions", "kg", "lb", "km", "mi", "m", "h", "min", "s", "laps", "steps",
    ]
    func choice(_ values: [String]) -> JSONValue {
      ["type": "string", "enum": .strings(values)]
    }
    func object(_ members: [(String, JSONValue)]) -> JSONValue {
      [
        "type": "object", "properties": .object(JSONObject(members)),
        "required": .strings(members.map(\.0)), "additionalProperties": false,
      ]
    }
    let figure = object([
      ("unit", choice(units)), ("value", ["type": "number"]), ("said", ["type": "string"]),
    ])
    let efforts = ["unsaid"] + LogEntry.Effort.allCases.map(\.rawValue)
    let entry = object([
      ("what", choice(["done", "skipped", "weighed", "unsure"])),
      ("corrects", ["type": "integer"]), ("activity", ["type": "string"]),
      ("day", ["type": "string"]), ("figures", ["type": "array", "items": figure]),
      ("effort", choice(efforts)), ("note", ["type": "string"]), ("turn", ["type": "integer"]),
      ("quote", ["type": "string"]),
    ])
    let names = activities.map { "\($0.id) (\($0.title(in: "en")))" }.joined(separator: ", ")
    return ReadingMember(
      name: "entries", schema: ["type": "array", "items": entry],
      instructions: factWords.instructions.replacing("{{activities}}", with: names))
  }
}
