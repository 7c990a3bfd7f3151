public import ContextQuality
import FoundationEssentials
import HTTPStreaming
import IncrementalJSON
import Intake
public import LanguageModels
import WireFormats

/// A recorded conversation, which still holds everything that must be redacted.
public struct ConversationRecording: Sendable {
  var steps: [Cassette.Step] = []
  var exchanges: [RecordedExchange] = []
  /// The user's health data that the conversation received.
  public internal(set) var health: Cassette.Health?
  /// Events in the log that come from outside the intake.
  private(set) var otherEvents: [Cassette.OtherEvent] = []
  /// How many events of the log were checked so far.
  private var notedEvents = 0
  /// When the last of the intake's events was.
  private var lastEventAt: Date?
  /// When the first step was.
  var startedAt: Date?
  /// Values of headers that carry credentials.
  private(set) var secrets: Set<String> = []

  /// Facts about the conversation that the traffic does not show.
  public struct Facts: Sendable {
    public var title: String
    public var tags = ["recorded"]
    public var wireFormat: WireFormat
    public var rubricVersion: Int
    /// All but ``Cassette/Settings/startsAt``, which the recording sets.
    public var settings: Cassette.Settings
    public var transcript: [Transcript.Message] = []
    /// Names to replace.
    public var names: [String]
    /// What the program says and sends by itself, where no text is replaced.
    public var fixedTexts: [String]

    public init(
      title: String, wireFormat: WireFormat, rubricVersion: Int, settings: Cassette.Settings,
      names: [String] = [], fixedTexts: [String] = []
    ) {
      self.title = title
      self.wireFormat = wireFormat
      self.rubricVersion = rubricVersion
      self.settings = settings
      self.names = names
      self.fixedTexts = fixedTexts
    }
  }

  /// Answers that promised events and sent none: replaying them would test nothing.
  public var blankStreams: [RequestPurpose] { exchanges.filter(\.isBlankStream).map(\.purpose) }

  /// The total time of pauses and answers so far.
  var secondsTold: Double {
    let answers = exchanges.reduce(0) { $0 + ($1.chunks.last?.at ?? 0) }
    return steps.reduce(0) { $0 + $1.wait } + Double(answers) / 1_000
  }

  mutating func learnSecrets(of request: HTTPRequest) {
    for field in request.headers.fields where !Self.publicFields.contains(field.name.lowercased()) {
      let value = field.value.split(separator: " ").last.map(String.init) ?? field.value
      if value.utf8.count >= 8 { secrets.insert(value) }
    }
    guard let query = request.url.firstIndex(of: "?") else { return }
    for item in request.url[query...].dropFirst().split(separator: "&") {
      let parts = item.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, parts[1].utf8.count >= 8, parts[0] != "api-version" else { continue }
      secrets.insert(parts[1])
    }
  }

  private static let publicFields: Set = [
    "content-type", "accept", "user-agent", "anthropic-version", "anthropic-beta",
  ]

  /// Notes the health data that is known after the last step.
  mutating func note(_ health: HealthNote) {
    if self.health == nil {
      self.health = Cassette.Health(note: health, beforeStep: steps.count - 1)
    }
  }

  /// Notes the log as it is after the last step.
  ///
  /// - Throws: `UnreadableEvent` if an event is not a JSON object.
  mutating func note(_ events: [RecordedEvent]) throws {
    let new = events.filter { $0.position > notedEvents }
    // Anything before the step's own events was there when the step began.
    var step = steps.count - 1
    for recorded in new {
      if recorded.event != nil {
        // How long the user took is in the log. Any other clock counts the program's own work too,
        // and what the engine makes of a quick answer would differ in a replay.
        if step < steps.count, let last = steps.indices.last, case .say = steps[last].act,
          let lastEventAt
        {
          steps[last].wait = max(0, Self.milliseconds(recorded.at, since: lastEventAt))
        }
        lastEventAt = recorded.at
        step = steps.count
      } else if let event = try recorded.json.objectValue {
        otherEvents.append(
          Cassette.OtherEvent(
            version: recorded.envelope.version, event: event, beforeStep: max(0, step)))
      }
      notedEvents = recorded.position
    }
  }

  /// Seconds to the thousandth.
  private static func milliseconds(_ date: Date, since start: Date) -> Double {
    (date.timeIntervalSince(start) * 1_000).rounded() / 1_000
  }

  /// A recorded request that cannot be replayed, because it does not fit its wire format.
  public struct UnreadableRequest: Hashable, Sendable {
    public var purpose: RequestPurpose
    public var reason: String
  }

  /// The exchanges that ``cassette(_:)`` leaves out.
  public func unreadableRequests(_ format: WireFormat) -> [UnreadableRequest] {
    exchanges.compactMap { exchange in
      do throws(FieldError) {
        _ = try RequestContent(parsing: exchange.request, format: format)
        return nil
      } catch {
        return UnreadableRequest(purpose: exchange.purpose, reason: error.description)
      }
    }
  }

  /// The user stopped the answer to the last step.
  mutating func interrupt(exchangesFrom first: Int, shown: String) {
    let open = exchanges.indices.last { $0 >= first && exchanges[$0].isUnfinished }
    if let open { exchanges[open].outcome = .failed(.cancelled) }
    let purpose = (open ?? exchanges.indices.last { $0 >= first }).map { exchanges[$0].purpose }
    steps[steps.count - 1].interrupt =
      shown.isEmpty ? purpose.map { .during($0) } : .afterText(shown)
  }
}

/// A request and its result.
struct RecordedExchange: Sendable {
  enum Outcome: Hashable, Sendable {
    /// Not read to the end: the reader stopped early, or is still reading.
    case open
    case whole
    case failed(HTTPError.Code)
  }

  var purpose: RequestPurpose
  var request: [UInt8]
  /// Nil if no head arrived.
  var status: Int?
  var headers = HTTPHeaders()
  var chunks: [TimedChunk] = []
  var outcome = Outcome.open

  mutating func head(_ response: HTTPResponse) {
    status = response.status
    for field in response.headers.fields {
      let name = field.name.lowercased()
      if Self.isKept(name) { headers.addIfMissing(name, Self.printable(field.value)) }
    }
  }

  /// Headers that are not on this list are left out.
  private static func isKept(_ name: String) -> Bool {
    switch name {
    case "content-type", "date", "retry-after", "retry-after-ms", "x-should-retry", "x-request-id",
      "request-id", "x-generation-id", "apim-request-id":
      true
    default: name.hasPrefix("x-ratelimit-") || name.hasPrefix("anthropic-ratelimit-")
    }
  }

  private static func printable(_ value: String) -> String {
    String(
      String.UnicodeScalarView(
        value.unicodeScalars.map { scalar in
          scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar
        }))
  }

  var bytes: [UInt8] { chunks.flatMap(\.bytes) }

  var isUnfinished: Bool { outcome == .open || outcome == .failed(.cancelled) }

  private var promisesEvents: Bool {
    headers["content-type"]?.lowercased().contains("text/event-stream") == true
  }

  var isBlankStream: Bool {
    guard status == 200, promisesEvents, chunks.allSatisfy(\.bytes.isEmpty) else { return false }
    return outcome == .whole || outcome == .failed(.connectionLost)
  }

  /// Looks at the content if the type does not say; servers often get the type wrong.
  var isEventStream: Bool {
    let start = bytes.drop { $0 == 0x0A || $0 == 0x0D || $0 == 0x20 }.prefix(7)
    if start.first == UInt8(ascii: "{") || start.first == UInt8(ascii: "[") { return false }
    return promisesEvents
      || ["data:", "event:", ":"].contains { start.starts(with: Array($0.utf8)) }
  }
}
