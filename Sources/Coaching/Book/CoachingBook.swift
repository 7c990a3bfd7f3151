import ContextQuality
public import FoundationEssentials
public import HealthRecords
public import IncrementalJSON
public import Intake
public import Journeys
import Signals

/// A conversation's coaching for a client that shows and changes it: the log, goals and limits, reviews,
/// progress and the program.
///
/// It's a value. A change comes as events: store them, then make a new book.
public struct CoachingBook: Sendable {
  public let state: CoachingState
  /// The person's date.
  public let today: Day
  private let prompts: PromptPack
  private let pack: CoachingPack
  private let text: EntryText
  /// In the conversation's own language.
  private let spoken: EntryText
  private let now: Date
  private let isCoaching: Bool

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
    state = try CoachingState(events: events, careNotes: prompts.careNotes)
    today = Day(of: now, in: reader.zone)
    let intake = prompts.state(after: events)
    isCoaching = intake.isCoaching
    let language = prompts.languageCode(for: intake)
    let units = reader.units ?? state.units ?? .metric
    text = EntryText(pack, language: reader.language ?? language, units: units)
    spoken = EntryText(pack, language: language, units: units)
  }

  private var reader: EntryReader { EntryReader(pack, units: text.units) }
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
      "count": JSONValue(state.log.entries.count), "entries": .array(entries.map(shown)),
    ]
  }

  /// An entry with the line that shows it.
  public func shown(_ entry: LogEntry) -> JSONValue {
    var members = entry.json.objectValue ?? [:]
    members["line"] = .string(text(entry))
    members["words"] = .string(text.words(for: entry))
    return .object(members)
  }

  /// By day.
  public var entries: [LogEntry] { state.log.byDay }

  /// What the log adds up to, in metric units, with titles and texts in the person's language and units.
  ///
  /// After care about eating, `hidesWeight` is true and there is no weight.
  public var progress: JSONValue {
    var progress = state.progress(pack, today: today)
    if state.hidesWeight { progress.weight = nil }
    var members = progress.json(text).objectValue ?? [:]
    members["units"] = .string(text.units.rawValue)
    members["hidesWeight"] = .bool(state.hidesWeight)
    members["sessionsPerWeek"] = state.sessionsPerWeek.map { JSONValue($0) } ?? .null
    return .object(members)
  }

  /// The goal beside the first one, and the limits.
  public var goals: JSONValue { state.goalsJSON }

  /// The last review, with the answer to its proposal; null if there was none.
  public var review: JSONValue {
    guard let last = state.reviews.last else { return .null }
    var members = last.review.json.objectValue ?? [:]
    members["open"] = .bool(last.isOpen)
    if let answer = last.answer {
      members["answer"] = .members([
        ("outcome", .string(answer.outcome.rawValue)),
        ("words", answer.words.map { .string($0) }),
        ("sessions", answer.sessions.map { JSONValue($0) }),
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

/// Why a change can't be made. Nothing was stored.
public enum CoachingRefusal: Error, Hashable, Sendable {
  case noEntry(String)
  /// No activity with a figure in the words.
  case noAmount
  case severalEntries(Int)
  case badDate
  /// A day that is still to come.
  case notYet
  /// Words that need care and can't be noted; the fixed answer to them.
  case care(String)
  case tooLong(limit: Int)
  case noLimit(String)
  case blank
  /// The discovery isn't over.
  case notCoaching
}

// What is changed.
extension CoachingBook {
  static let longestWords = 2_000

  /// The fixed answer to words that need care before anything else; nil for all others.
  public func care(for words: String) -> String? {
    prompts.careNet.classify(words).map { prompts.careText($0.name, kind: $0.kind) }
  }

  /// - Parameter date: `yyyy-MM-dd`; nil is today, or the day that the words name.
  public func adding(
    _ words: String, on date: String? = nil
  ) throws(CoachingRefusal) -> [CoachingEvent] {
    let number = state.log.lastNumber
    return try read(words, on: date).enumerated().map { index, entry in
      var entry = entry
      entry.number = number + index + 1
      return .noted(entry)
    }
  }

  /// - Parameter date: `yyyy-MM-dd`; nil is the day that it had, or the one that the words name.
  public func correcting(
    _ number: String, _ words: String, on date: String? = nil
  ) throws(CoachingRefusal) -> [CoachingEvent] {
    let before = try entry(number)
    let read = try read(words, on: date)
    guard read.count == 1, var entry = read.first else { throw .severalEntries(read.count) }
    entry.number = before.number
    if date == nil, entry.day == today { entry.day = before.day }
    return [.corrected(entry)]
  }

  public func removing(_ number: String) throws(CoachingRefusal) -> [CoachingEvent] {
    [.removed(entry: try entry(number).number)]
  }

  /// Changes the goal; the first one stays on record.
  public func changing(goal: String) throws(CoachingRefusal) -> [CoachingEvent] {
    let goal = try checked(goal)
    if let care = care(for: goal) { throw .care(care) }
    return [.goalChanged(GoalChange(goal: goal))]
  }

  /// Archives a limit, or keeps planning around it.
  ///
  /// - Parameter until: The last day, `yyyy-MM-dd`; nil leaves it as it was.
  public func settling(
    limit: String, holds: Bool, until: String? = nil
  ) throws(CoachingRefusal) -> [CoachingEvent] {
    guard state.constraints[limit] != nil else { throw .noLimit(limit) }
    return [
      .constraintSettled(
        ConstraintAnswer(
          constraint: limit, outcome: holds ? .holds : .archived, expiresAt: try day(until)))
    ]
  }

  /// A look back now, and the message in which the coach says it.
  public func reviewing() throws(CoachingRefusal) -> [EventEnvelope] {
    guard isCoaching else { throw .notCoaching }
    let review = Reviewer(state, pack, spoken, today: today).review(.asked)
    return [
      EventEnvelope(CoachingEvent.reviewed(review)),
      EventEnvelope(IntakeEvent.coached(CoachReply(text: review.text))),
    ]
  }

  private func entry(_ number: String) throws(CoachingRefusal) -> LogEntry {
    guard let entry = Int(number).flatMap({ state.log[$0] }) else { throw .noEntry(number) }
    return entry
  }

  private func day(_ text: String?) throws(CoachingRefusal) -> Day? {
    guard let text else { return nil }
    guard let day = Day(text) else { throw .badDate }
    return day
  }

  private func checked(_ words: String) throws(CoachingRefusal) -> String {
    let visible = PlainText.visible(words)
    if PlainText.isBlank(visible) { throw .blank }
    guard visible.utf8.count <= Self.longestWords else { throw .tooLong(limit: Self.longestWords) }
    return visible
  }

  private func read(_ words: String, on date: String?) throws(CoachingRefusal) -> [LogEntry] {
    let day = try day(date)
    var entries = reader.entries(in: try checked(words), turn: nil, today: today)
    guard !entries.isEmpty else { throw care(for: words).map { .care($0) } ?? .noAmount }
    if let day, day > today { throw .notYet }
    if let day { for index in entries.indices { entries[index].day = day } }
    return entries
  }
}
