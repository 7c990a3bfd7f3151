public import ContextQuality
import FoundationEssentials
import IncrementalJSON
public import Intake
import Journeys
import Plans

/// A session in an export format. Pure: events in, text out.
public struct SessionExport: Sendable {
  public enum Format: String, CaseIterable, Sendable {
    /// A conversation for reading.
    case markdown
    /// Every event, with its position and time.
    case json
    /// One line: the messages, and the facets with their quotes.
    case jsonl
  }

  public let session: SessionID
  public let events: [RecordedEvent]
  private let state: IntakeState

  public init(session: SessionID, events: [RecordedEvent], rubric: Rubric) {
    self.session = session
    self.events = events
    state = IntakeState(rubric: rubric, events: events)
  }

  /// - Throws: `UnreadableEvent` if an event of another module is not a JSON object.
  public func text(_ format: Format) throws -> String {
    switch format {
    case .markdown: markdown
    case .json: try json
    case .jsonl: try transcriptLine
    }
  }

  private var markdown: String {
    let started = events.first.map { Self.time($0.at) } ?? ""
    let body = paragraphs.joined(separator: "\n\n")
    return "# Conversation \(session)\n\nStarted \(started)\n\n\(body)\n"
  }

  /// The messages and what happened between them, in Markdown.
  public var paragraphs: [String] { events.compactMap(Self.paragraph) }

  private static func paragraph(_ recorded: RecordedEvent) -> String? {
    func coach(_ reply: CoachReply) -> String {
      "**Coach:** \(reply.text)" + (reply.cut.map { " … *(cut off: \($0.rawValue))*" } ?? "")
    }
    switch recorded.event {
    case nil:
      if let event = try? recorded.event(as: JourneyEvent.self) { return paragraph(event) }
      if case .started(let start)? = try? recorded.event(as: PlanEvent.self) {
        return "*(The journey \(start.journey) begins.)*"
      }
      guard recorded.isFromNewerBuild else { return nil }
      let (kind, version) = (recorded.envelope.kind, recorded.envelope.version)
      return "*(Only a newer version can read what's here: \(kind), version \(version).)*"
    case .greeted(let reply), .summarised(let reply), .coached(let reply): return coach(reply)
    case .asked(let question): return coach(question.reply)
    case .replied(let aside): return coach(aside.reply)
    case .cared(let answer): return coach(CoachReply(text: answer.text))
    case .offered(let offer): return coach(CoachReply(text: offer.text))
    case .bodyAsked(let question): return coach(CoachReply(text: question.text))
    case .userSaid(let turn): return turn.releasesHeld ? nil : "**You:** \(turn.text)"
    case .messageHeld(let message):
      return message.turn == nil ? "**You** *(kept until you continue)*: \(message.text)" : nil
    case .discoveryCompleted: return "---"
    case .amended(let amendment):
      let change = [amendment.old, amendment.new].map { $0.map { "“\($0)”" } ?? "nothing" }
      return "*(Changed in the profile: \(change.joined(separator: " → ")).)*"
    case .healthNoted(let note): return "*(Health data up to \(note.through) was read.)*"
    case .healthWithdrawn: return "*(From here on, no health data is used.)*"
    case .started, .scored, .bodyNoted, .synthesised, .paywallShown, .paywallDeclined, .entitled,
      .answered, .supposed, .settled:
      return nil
    }
  }

  private static func paragraph(_ event: JourneyEvent) -> String? {
    switch event {
    case .answered(let answer): "**You** *(\(answer.wording))*: \(answer.label)"
    case .cared(let care): "**Coach:** \(care.text)"
    case .completed: "---"
    default: nil
    }
  }

  private var json: String {
    get throws {
      let items = try events.map(Self.item)
      let document: JSONValue = ["session": .string(session.rawValue), "events": .array(items)]
      return document.serialized(pretty: true) + "\n"
    }
  }

  private static func item(_ recorded: RecordedEvent) throws -> JSONValue {
    [
      "position": JSONValue(recorded.position), "at": .string(time(recorded.at)),
      "version": JSONValue(recorded.envelope.version), "event": try recorded.json,
    ]
  }

  /// `{"id","messages":[{"role","content"}],"facets":{"component.facet":{"turn","quote"[,"until"][,"pieces"]}},
  /// "scoredTurns":[…]}`, then `"readings":{"component.facet":{"reading","source"}}` if health data
  /// made facets known (no scorer can find them in the words), and `"otherEvents"` as in the JSON
  /// export if other modules, or a newer build, wrote any.
  private var transcriptLine: String {
    get throws {
      let messages = state.transcript.messages.map { message -> JSONValue in
        .members(["role": message.speaker == .user ? "user" : "assistant", "content": message.text])
      }
      var members: [(String, JSONValue)] = [
        ("id", .string(session.rawValue)), ("messages", .array(messages)),
        ("facets", .object(JSONObject(facets))), ("scoredTurns", .array(scoredTurns)),
      ]
      if !readings.isEmpty { members.append(("readings", .object(JSONObject(readings)))) }
      if !answers.isEmpty { members.append(("answers", .object(JSONObject(answers)))) }
      let others = try events.filter { $0.event == nil }.map(Self.item)
      if !others.isEmpty { members.append(("otherEvents", .array(others))) }
      return JSONValue.object(JSONObject(members)).serialized() + "\n"
    }
  }

  /// The user turns that a scorer read: not a "let's go" or an "idk", and nothing after the
  /// discovery.
  private var scoredTurns: [JSONValue] {
    let turns = events.flatMap { recorded -> [Int] in
      if case .scored(let scoring) = recorded.event { scoring.readTurns } else { [] }
    }
    return Set(turns).sorted().map { JSONValue($0) }
  }

  private var facets: [(String, JSONValue)] {
    state.rubric.facets.compactMap { definition in
      guard let stretch = state.ledger.latestStretch(of: definition.facet, isReading: false),
        stretch.evidence.answer == nil
      else { return nil }
      var members: [(String, JSONValue)] = [
        ("turn", JSONValue(stretch.evidence.turn)), ("quote", .string(stretch.newest.text)),
      ]
      if let until = stretch.until { members.append(("until", JSONValue(until))) }
      if let pieces = stretch.piecesJSON { members.append(("pieces", pieces)) }
      return (definition.facet.description, .object(JSONObject(members)))
    }
  }

  private var answers: [(String, JSONValue)] {
    state.rubric.facets.compactMap { definition in
      state.ledger.evidence(for: definition.facet)?.answer.map { answer in
        (
          definition.facet.description,
          .members(["step": answer.step, "answer": answer.text, "wording": answer.wording])
        )
      }
    }
  }

  private var readings: [(String, JSONValue)] {
    state.rubric.facets.compactMap { definition in
      guard let entry = state.ledger.latestStretch(of: definition.facet, isReading: true),
        case .reading(let reading, let source) = entry.evidence.basis
      else { return nil }
      return (
        definition.facet.description, ["reading": .string(reading), "source": .string(source)]
      )
    }
  }

  private static func time(_ date: Date) -> String {
    date.formatted(
      .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(
        separator: .omitted))
  }
}
