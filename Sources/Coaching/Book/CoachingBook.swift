import ContextQuality
public import FoundationEssentials
public import HealthRecords
public import IncrementalJSON
public import Intake
public import Plans

/// A conversation's coaching for a client that shows and changes it: the log, goals and limits, reviews,
/// progress and the program.
///
/// It is a value. A change comes as events: store them, then make a new book.
public struct CoachingBook: Sendable {
  public let state: CoachingState
  /// The person's date.
  public let today: Day
  let prompts: PromptPack
  let pack: CoachingPack
  /// As the reader reads it.
  package let text: EntryText
  /// In the conversation's own language.
  let spoken: EntryText
  let intake: IntakeState
  private let days: DayCycle?
  private let now: Date

  /// How a person reads it.
  public struct Reader: Sendable {
    /// Nil goes by the conversation.
    public var units: Units?
    /// Such as `de`; nil is the language that the conversation is in.
    public var language: String?
    public var zone: TimeZone

    public init(units: Units? = nil, language: String? = nil, zone: TimeZone = .gmt) {
      (self.units, self.language, self.zone) = (units, language, zone)
    }
  }

  /// - Throws: `UnreadableEvent` if an event is damaged.
  public init(
    _ prompts: PromptPack, _ pack: CoachingPack, events: [RecordedEvent], for reader: Reader,
    at now: Date
  ) throws(UnreadableEvent) {
    (self.prompts, self.pack, self.now) = (prompts, pack, now)
    days = pack.cycle(events)
    state = try CoachingState(events: events, careNotes: prompts.careNotes) {
      reader.zone.secondsFromGMT(for: $0)
    }
    today = Day(of: now, in: reader.zone)
    intake = prompts.state(after: events)
    let language = prompts.languageCode(for: intake)
    let units = reader.units ?? state.units ?? .metric
    text = EntryText(pack, language: reader.language ?? language, units: units)
    spoken = EntryText(pack, language: language, units: units)
  }
}

// What is shown.
extension CoachingBook {
  /// The entries, the latest first, each with the `line` that shows it and the `words` that it can be
  /// corrected from.
  ///
  /// - Parameter most: Nil for all of them.
  public func log(atMost most: Int? = nil) -> JSONValue {
    let entries = state.log.byDay.reversed().prefix(most ?? .max)
    return [
      "today": .string(today.description), "units": .string(text.units.rawValue),
      "count": JSONValue(state.log.entries.count), "entries": .array(entries.map { shown($0) }),
    ]
  }

  /// An entry with the line that shows it.
  ///
  /// - Parameter asTold: Whether the person just told it, so that it is not converted to other units.
  public func shown(_ entry: LogEntry, asTold: Bool = false) -> JSONValue {
    var members = entry.json.objectValue ?? [:]
    members["line"] = .string(asTold ? text.asTold(entry) : text(entry))
    members["words"] = .string(text.words(for: entry))
    return .object(members)
  }

  /// By day.
  public var entries: [LogEntry] { state.log.byDay }

  /// What the log adds up to, in metric units, with titles and texts in the person's language and units.
  ///
  /// After care about eating, `hidesWeight` is true and there is no weight.
  public var progress: JSONValue {
    var members = state.progress(pack, today: today).json(text).objectValue ?? [:]
    members["units"] = .string(text.units.rawValue)
    members["hidesWeight"] = .bool(state.hidesWeight)
    members["sessionsPerWeek"] = state.sessionsPerWeek(on: today).map { JSONValue($0) } ?? .null
    return .object(members)
  }

  /// The days that take turns since a journey; nil if there are none, and after care about eating.
  package var cycle: DayCycle? { state.hidesWeight ? nil : days }

  /// The goal beside the first one, the limits, and where days take turns, this week's.
  public var goals: JSONValue {
    var members = state.goalsJSON(pack, today: today).objectValue ?? [:]
    members["cycle"] = cycle?.json(.week, at: now)
    return .object(members)
  }

  /// The last review, with the answer to its proposal; null if there was none.
  public var review: JSONValue {
    guard let last = state.reviews.last else { return .null }
    var members = last.review.json.objectValue ?? [:]
    members["open"] = .bool(last.isOpen)
    members["words"] = last.words.map { .string($0) }
    if let answer = last.answer {
      members["answer"] = .members([
        "outcome": answer.outcome.rawValue, "words": answer.words, "sessions": answer.sessions,
      ])
    }
    return .object(members)
  }

  /// The active program; nil without one.
  public func program(_ span: ProgramSpan) -> JSONValue? { state.plan.json(span, at: now) }

  /// All sessions of the active program (RFC 5545); nil without one.
  ///
  /// - Parameter id: Names the events, so that importing a newer version replaces them.
  public func calendar(id: String) -> String? {
    state.plan.schedule.map {
      ProgramCalendar($0, id: id, stamp: state.plan.activatedAt ?? now).text
    }
  }
}
