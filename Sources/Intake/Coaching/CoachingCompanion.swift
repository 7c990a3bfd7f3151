public import ContextQuality
public import FoundationEssentials
public import IncrementalJSON
import Signals

/// A module that coaches together with the intake: it adds a member to the reading request, folds
/// its own events, and adds lines to the coaching prompt.
///
/// The engine gives it every event of the session, in order. It is a value, so it can be copied.
public protocol CoachingCompanion: Sendable {
  /// What the reading request asks for in addition; nil for nothing.
  func member(at now: Date) -> ReadingMember?

  /// Folds an event; other modules' kinds are ignored.
  mutating func apply(_ event: RecordedEvent)

  /// What follows from a reading after the discovery. The engine stores the events in the same
  /// write as the reading, and then shows the notices.
  func read(_ answer: ReadingAnswer) -> CompanionReading

  /// What the coach should have at hand.
  func facts(on now: Date) -> CoachingFacts

  /// What to say to somebody who comes back; nil for nothing.
  func opening(at now: Date) -> CompanionWords?

  /// A line for somebody who sends one message only, and so gets no opening; nil for nothing.
  func due(at now: Date) -> SessionOutput.Notice?

  /// What to say after the coach's reply; nil for nothing.
  func following(at now: Date) -> CompanionWords?

  /// Whether it asked something that nobody answered yet.
  var awaitsAnswer: Bool { get }

  /// The answers that its question offers, if that is what was said last. Each label is read like any
  /// other message.
  var choices: [SessionOutput.Choice] { get }
}

extension CoachingCompanion {
  public func opening(at now: Date) -> CompanionWords? { nil }
  public func due(at now: Date) -> SessionOutput.Notice? { nil }
  public func following(at now: Date) -> CompanionWords? { nil }
  public var awaitsAnswer: Bool { false }
  public var choices: [SessionOutput.Choice] { [] }
}

/// A separate message, with the events that are stored in the same write.
public struct CompanionWords: Sendable {
  public var text: String
  public var events: [EventEnvelope]

  public init(text: String, events: [EventEnvelope]) { (self.text, self.events) = (text, events) }
}

/// A member of the reading request's answer that another module reads.
public struct ReadingMember: Hashable, Sendable {
  /// The member's name at the top of the answer, such as `entries`.
  public var name: String
  /// Its JSON Schema, in the subset that strict structured output accepts.
  public var schema: JSONValue
  /// What a model is told about it. It stays the same from reading to reading.
  public var instructions: String
  /// What the request's document has for it besides the conversation, such as today's date.
  public var material: JSONObject

  public init(
    name: String, schema: JSONValue, instructions: String, material: JSONObject = JSONObject()
  ) {
    (self.name, self.schema, self.instructions) = (name, schema, instructions)
    self.material = material
  }
}

/// What a reading says, for the module that added a member to it.
public struct ReadingAnswer: Sendable {
  /// The member's value, unchecked; nil if no model read, or if the answer does not have it.
  public var value: JSONValue?
  /// The user turns that were read.
  public var turns: [Int]
  public var transcript: Transcript
  /// Whether no model is involved, so that the module has to read by its own rules.
  public var isRehearsal: Bool
  /// What the turns do; nil if the reading does not say.
  public var acts: [Act]?
  /// The medical limits that the turns may have ended, which the person is to be asked about.
  public var inDoubt: [Evidence] = []
  /// The time of the reading.
  public var at: Date
  let words: QuoteWords

  /// The user's words behind a quote as a model gives it, and their turn, by the rules for evidence;
  /// nil if they are not there.
  public func fit(_ quote: String, turn: Int) -> (quote: String, turn: Int)? {
    var fitter = QuoteFitter(transcript, words)
    // "5k" is short, and complete.
    let fit = try? fitter.fit(quote, turn: turn, isStatement: true)
    return fit.map { ($0.quote, $0.turn) }
  }
}

/// What a companion makes of a reading.
public struct CompanionReading: Sendable {
  public var events: [EventEnvelope]
  public var notices: [SessionOutput.Notice]

  public init(events: [EventEnvelope] = [], notices: [SessionOutput.Notice] = []) {
    (self.events, self.notices) = (events, notices)
  }
}

/// What a companion adds to the coaching prompt, one line each, most important first.
public struct CoachingFacts: Hashable, Sendable {
  /// Goals and constraints as they are now, where they differ from the written profile.
  public var changes: [String]
  /// This week's program.
  public var programme: [String]
  /// What was done last, newest first.
  public var entries: [String]
  /// The person's current state as far as the log tells it.
  public var currentState: [String]
  /// Whether the last message told something that was noted.
  public var wasNoted: Bool
  /// The profile's limits that no longer hold, by their words.
  public var over: Set<String> = []
  /// Whether the person has trained since the profile was written.
  public var hasBegun = false

  public init(
    changes: [String] = [], programme: [String] = [], entries: [String] = [],
    currentState: [String] = [], wasNoted: Bool = false
  ) {
    self.wasNoted = wasNoted
    (self.changes, self.programme, self.entries) = (changes, programme, entries)
    self.currentState = currentState
  }
}

/// What a conversation needs of the world around it.
public struct Surroundings: Sendable {
  /// The seconds that the person's clock is ahead of UTC at a time.
  public var secondsFromGMT: @Sendable (Date) -> Int
  /// What coaches together with the intake; nil for nothing.
  public var companion: (any CoachingCompanion)?
  /// Reads drafts, and messages ahead of the model; nil if only the coach reads.
  public var reader: QuickReader?

  public init(
    secondsFromGMT: @escaping @Sendable (Date) -> Int = { _ in 0 },
    companion: (any CoachingCompanion)? = nil, reader: QuickReader? = nil
  ) {
    self.secondsFromGMT = secondsFromGMT
    self.companion = companion
    self.reader = reader
  }

  /// The same surroundings with another quick reader.
  public func reading(with reader: QuickReader?) -> Surroundings {
    var next = self
    next.reader = reader
    return next
  }
}
