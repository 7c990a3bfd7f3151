public import ContextQuality
public import IncrementalJSON
public import LanguageModels

/// A session's output to its host: a terminal, a test or a server.
///
/// A pass of the engine that does not throw ends with exactly one `done`.
public enum SessionOutput: Hashable, Sendable {
  /// Text to append to the coach's reply in progress.
  case delta(String, Purpose)
  /// A coach message, complete or cut. If it streamed, its deltas came before.
  indirect case message(CoachMessage)
  /// What is known after a user turn.
  indirect case scored(ScoreReport)
  /// What is understood of the person so far. It comes while a reading arrives, each time
  /// something is added.
  case understood(Understanding)
  /// A wait that has begun, by its cause.
  indirect case waiting(Wait)
  /// Something the user should know.
  indirect case notice(Notice)
  /// The answers the last message offers.
  case choices([Choice])
  /// The written coaching system.
  indirect case profile(CoachingSystem, isMinimal: Bool)
  indirect case paywall(Paywall)
  /// Suggestions, valid until the user's next message. They may come after `done`.
  indirect case starters(Starters)
  /// A session that waits for the user was reopened; there is no new message.
  indirect case resumed(Resumed)
  case done(Done)

  /// The purpose of a piece of the coach's text.
  public enum Purpose: String, Hashable, Sendable {
    case greeting, question, care, offer, body, summary, confirmation, answer, coaching
  }

  public struct CoachMessage: Hashable, Sendable {
    public var purpose: Purpose
    public var text: String
    /// Whether the text came as deltas before.
    public var wasStreamed: Bool
    /// Why it ends early; nil if it is complete.
    public var cut: CutReason?
  }

  public struct ScoreReport: Hashable, Sendable {
    public var turn: Int
    public var components: ContextComponents
    public var evidence: [Evidence]
    /// What became known with this turn.
    public var new: [Facet]
    public var weakest: String?
    /// Why the turn could not be scored.
    public var failure: ScoringFailure?
    public var dropped: [String: Int]
    /// Quotes that were replaced by the user's words, by what differed.
    public var snapped: [String: Int] = [:]
    /// What the turns do; nil if the reading does not say.
    public var acts: [Act]?
  }

  public enum Wait: Hashable, Sendable {
    case reading
    case writing
    case puttingTogether
    case retry(ModelWait)
  }

  public struct Notice: Hashable, Sendable {
    public enum Level: String, Hashable, Sendable { case info, warning, error }
    /// A stable name for programs, such as `model-unreachable`.
    public var code: String
    public var level: Level
    /// Warm and in the first person.
    public var text: String
    /// Whether the failed step can be retried on request.
    public var canBeAskedAgain: Bool
    /// For engineers.
    public var detail: String?
    /// What it is about, for programs, such as the entries that were noted; nil if the text is all.
    public var about: JSONValue?
    /// What other languages' texts can use, by name.
    package var values: [String: String]
    /// What somebody reads instead who cannot set up the program.
    package var personal: Personal?

    /// A notice with its own code.
    package struct Personal: Hashable, Sendable {
      package var code: String
      package var text: String
    }

    public var personalText: String { personal?.text ?? text }

    public init(
      code: String, level: Level, text: String, canBeAskedAgain: Bool = false,
      detail: String? = nil, about: JSONValue? = nil, values: [String: String] = [:]
    ) {
      self.code = code
      self.level = level
      self.text = text
      self.canBeAskedAgain = canBeAskedAgain
      self.detail = detail
      self.about = about
      self.values = values
    }
  }

  public struct Choice: Hashable, Sendable {
    public var id: String
    public var label: String

    public init(id: String, label: String) { (self.id, self.label) = (id, label) }

    /// The user answers in their own words instead; nothing is sent for the choice itself.
    public static let inOwnWords = "change"
  }

  public struct Paywall: Hashable, Sendable {
    public var title: String
    /// The summary to show above the question.
    public var insight: String
    public var note: String
    public var options: [Choice]
    /// The number of messages held until the conversation resumes.
    public var held: Int
  }

  public struct Resumed: Hashable, Sendable {
    /// User turns so far.
    public var turn: Int
    /// The coach's last message.
    public var lastMessage: String
  }

  public struct Done: Hashable, Sendable {
    public enum Phase: String, Hashable, Sendable {
      case discovery, offer, confirmation, paywall, coaching
    }
    /// User turns so far.
    public var turn: Int
    public var phase: Phase
    /// True at the end of the pass in which the user learns that discovery is complete: with the
    /// first paywall, or with a subscriber's first coaching reply.
    public var discoveryComplete: Bool
    /// The pass stopped early; a notice says why.
    public var failed: Bool

    /// The end of a pass that failed before there was a session.
    public static let notStarted = Done(
      turn: 0, phase: .discovery, discoveryComplete: false, failed: true)
  }
}
