import ContextQuality
public import Intake
import Signals

/// What a change to a conversation's coaching comes to. Store its envelopes, also where the change itself
/// was refused.
public struct CoachingChange: Hashable, Sendable {
  package var events: [CoachingEvent] = []
  /// What changes in the profile.
  package var amendment: Amendment?
  /// The kind of care that the words needed, and where they were typed.
  private var mark: FormAnswer?
  /// The fixed answer to words that need care before anything else; nil for all others.
  public private(set) var care: String?
  /// What the coach says to it; nil for nothing.
  public internal(set) var words: String?

  package init(
    _ events: [CoachingEvent] = [], amendment: Amendment? = nil, words: String? = nil
  ) {
    (self.events, self.amendment, self.words) = (events, amendment, words)
  }

  mutating func need(_ care: CareFinding, _ text: String, at place: Place) {
    mark = FormAnswer(step: place.rawValue, evidence: [], care: care.kind)
    self.care = text
  }

  /// Where words were typed. No step of a journey can have these names.
  enum Place: String {
    case log = "/log"
    case goals = "/goals"
    case review = "/review"
  }

  /// To be stored, in this order. Of words that needed care, only the kind of care is kept, as for a form.
  public var envelopes: [EventEnvelope] {
    (mark.map { [EventEnvelope(IntakeEvent.answered($0))] } ?? [])
      + events.map { EventEnvelope($0) }
      + (amendment.map { [EventEnvelope(IntakeEvent.amended($0))] } ?? [])
  }

  /// Whether the words were answered with care and changed nothing.
  public var isOnlyCare: Bool { care != nil && events.isEmpty && amendment == nil }

  /// The entries that were noted or corrected.
  public var entries: [LogEntry] { events.compactMap(\.entry) }

  /// Whether an entry was not in the log before.
  public func isNew(_ entry: LogEntry) -> Bool { events.contains(.noted(entry)) }
}
