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

  /// - Parameter fit: The person's words behind a quote and its turn; nil if they aren't there.
  package func entries(
    _ value: JSONValue, fit: (String, Int) -> LogEntry.Quote?
  ) -> [LogEntry] {
    (value.arrayValue ?? []).prefix(Self.mostEntries).compactMap { claim in
      guard let turn = claim["turn"]?.intValue, let quote = claim["quote"]?.stringValue,
        let words = fit(quote, turn)
      else { return nil }
      return entry(claim, words)
    }
  }

  private func entry(_ claim: JSONValue, _ quote: LogEntry.Quote) -> LogEntry? {
    guard let what = claim["what"]?.stringValue else { return nil }
    let name = claim["activity"]?.stringValue ?? ""
    let activity = pack.activity(named: name)
    let figures = figures(claim, in: quote.text)
    guard let figures, let day = day(claim["day"]?.stringValue) else { return nil }
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
    entry.sets = figures.sets
    entry.repetitions = figures.repetitions
    entry.kilograms = figures.kilograms.map { ($0 * 100).rounded() / 100 }
    entry.kilometers = figures.kilometers.map { ($0 * 1_000).rounded() / 1_000 }
    entry.seconds = figures.seconds
    entry.effort = claim["effort"]?.stringValue.flatMap { LogEntry.Effort(rawValue: $0) }
    let note = claim["note"]?.stringValue ?? ""
    if !note.isEmpty, quote.text.lowercased().contains(note.lowercased()) { entry.note = note }
    guard entry.implausibleMember == nil, kind != .weight || entry.kilograms != nil else {
      return nil
    }
    return entry
  }

  private struct Figures {
    var sets: Int?
    var repetitions: Int?
    var kilograms: Double?
    var kilometers: Double?
    var seconds: Double?

    var kind: LogEntry.Kind {
      if kilometers != nil { return .distance }
      return sets != nil || repetitions != nil || kilograms != nil ? .strength : .timed
    }
  }

  /// Nil if a number isn't in the quote.
  private func figures(_ claim: JSONValue, in quote: String) -> Figures? {
    let said = Set(
      LogTokens.sentences(of: quote).flatMap(\.tokens).compactMap { token in
        token.number ?? pack.words.numbers[token.text]
      })
    var figures = Figures()
    for figure in claim["figures"]?.arrayValue ?? [] {
      guard let value = figure["value"]?.doubleValue, said.contains(value) else { return nil }
      switch figure["unit"]?.stringValue {
      case "sets": figures.sets = Int(exactly: value)
      case "repetitions": figures.repetitions = Int(exactly: value)
      case "kg": figures.kilograms = value
      case "lb": figures.kilograms = value * Amounts.kilogramsPerPound
      case "km": figures.kilometers = value
      case "mi": figures.kilometers = value * Amounts.kilometersPerMile
      case "m": figures.kilometers = value / 1_000
      case "h": figures.seconds = (figures.seconds ?? 0) + value * 3_600
      case "min": figures.seconds = (figures.seconds ?? 0) + value * 60
      case "s": figures.seconds = (figures.seconds ?? 0) + value
      default: return nil
      }
    }
    return figures
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
    let units = ["sets", "repetitions", "kg", "lb", "km", "mi", "m", "h", "min", "s"]
    func choice(_ values: [String]) -> JSONValue {
      ["type": "string", "enum": .strings(values)]
    }
    func object(_ members: [(String, JSONValue)]) -> JSONValue {
      [
        "type": "object", "properties": .object(JSONObject(members)),
        "required": .strings(members.map(\.0)), "additionalProperties": false,
      ]
    }
    let figure = object([("unit", choice(units)), ("value", ["type": "number"])])
    let efforts = ["unsaid"] + LogEntry.Effort.allCases.map(\.rawValue)
    let entry = object([
      ("what", choice(["done", "skipped", "weighed"])), ("activity", ["type": "string"]),
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
