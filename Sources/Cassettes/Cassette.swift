public import ContextQuality
public import LanguageModels
public import WireFormats

/// A recorded conversation: what the user did, what the model's server answered, and what to
/// expect. One JSON file each; `Fixtures/cassette.schema.json` describes the format.
public struct Cassette: Hashable, Sendable {
  /// The only version that can be read and written.
  public static let formatVersion = 1

  public var title: String
  /// For selecting cassettes, such as `correction` or `fault`.
  public var tags: [String]
  public var source = Source.written
  /// The recorded server's wire format.
  public var wireFormat: WireFormat
  public var rubricVersion: Int
  public var settings: Settings
  /// What the conversation gets from the user's health data; nil if it uses none.
  public var health: Health?
  /// Events of other modules, or of a newer build, that were in the log.
  public var otherEvents: [OtherEvent] = []
  /// What the user does, in order.
  public var script: [Step]
  /// Requests to the model and their answers, in order.
  public var exchanges: [Exchange]
  /// What the replay should produce; nil in a cassette that is not complete yet.
  public var expect: Expectations?
  /// What was said, for reading and comparing.
  public var transcript: [Transcript.Message] = []
  /// The first system prompt sent for each purpose, by lines. Drift is measured against it.
  public var prompts: [Prompt] = []

  public init(
    title: String, tags: [String] = [], wireFormat: WireFormat = .openAI, rubricVersion: Int,
    settings: Settings = Settings(), script: [Step] = [], exchanges: [Exchange] = []
  ) {
    self.title = title
    self.tags = tags
    self.wireFormat = wireFormat
    self.rubricVersion = rubricVersion
    self.settings = settings
    self.script = script
    self.exchanges = exchanges
  }

  /// Where the answers come from.
  public enum Source: Hashable, Sendable {
    /// Written by hand, as a good model would answer.
    case written
    /// Recorded from a real server. The date is `yyyy-MM-dd`.
    case recorded(date: String, model: String)
  }

  /// How the session was set up.
  public struct Settings: Hashable, Sendable {
    /// The prompt pack's name and version.
    public var pack = "fitness"
    public var packVersion = "1"
    /// In ten-thousandths; nil uses the rubric's bar.
    public var readyAbove: Int?
    public var maxTurns = 5
    /// Seconds.
    public var timeLimit = 240
    /// `shortfall` or `lowest`.
    public var followUp = "shortfall"
    /// Seconds since 1970.
    public var startsAt = 1_767_600_000
    /// The user has already subscribed.
    public var isSubscribed = false
    public var models = Models()

    public init() {}
  }

  /// The model for each role, as its server spells it.
  public struct Models: Hashable, Sendable {
    public var fast = "recorded"
    public var coach = "recorded"
    public var deep = "recorded"

    public init() {}

    public init(fast: String, coach: String, deep: String) {
      (self.fast, self.coach, self.deep) = (fast, coach, deep)
    }
  }

  /// A system prompt as it was sent.
  public struct Prompt: Hashable, Sendable {
    public var purpose: String
    public var lines: [String]

    public init(purpose: String, lines: [String]) {
      self.purpose = purpose
      self.lines = lines
    }
  }
}

extension Cassette {
  /// Something the user does.
  public struct Step: Hashable, Sendable {
    public enum Act: Hashable, Sendable {
      /// Starts the program, or restarts it after it quit.
      case open
      case say(String)
      /// Asks again for a reply that did not arrive whole.
      case again
    }

    public var act: Act
    /// Seconds to wait before it.
    public var wait: Double
    /// Ctrl-C.
    public var interrupt: Moment?
    /// Kills the process; the next step finds what was stored.
    public var kill: Moment?

    public init(_ act: Act, wait: Double = 0, interrupt: Moment? = nil, kill: Moment? = nil) {
      self.act = act
      self.wait = wait
      self.interrupt = interrupt
      self.kill = kill
    }
  }

  /// A moment of a pass.
  public enum Moment: Hashable, Sendable {
    /// Once the coach's reply shows this.
    case afterText(String)
    /// Once the server has begun to answer a request for this.
    case during(RequestPurpose)
  }

  /// The script with its opening step, which the file can omit.
  public var steps: [Step] {
    script.first?.act == .open ? script : [Step(.open)] + script
  }
}
