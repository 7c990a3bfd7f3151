import Coaching
import ContextQuality
import FoundationEssentials
import HTTPTypes
import Hummingbird
import IncrementalJSON
import Intake
import Journeys
import Plans
import SessionStore

/// Stored conversations: list, read, export and forget them.
struct ConversationRoutes: Sendable {
  let conversations: Conversations

  func add(to router: RouterGroup<AppContext>) {
    router.get("conversations") { request, context in
      let (limit, cursor) = (try request.limit, try request.cursor)
      let desk = conversations.desk.serving(context.caller.person)
      let sessions = try await desk.store.sessions()
      let page = ConversationPage(of: sessions, after: cursor, atMost: limit)
      return Response([
        "conversations": .array(page.conversations.map(\.json)),
        "next": page.next.map { .string($0.description) } ?? .null,
      ])
    }
    router.get("conversations/:id") { _, context in
      let stored = try await stored(context)
      return Response(stored.json(conversations.desk.settings))
    }
    router.delete("conversations/:id") { _, context in
      let stored = try await stored(context)
      try await conversations.forget(stored.id, by: context.caller)
      return Response(["forgotten": .string(stored.id.rawValue)])
    }
    router.get("conversations/:id/export") { request, context in
      let stored = try await stored(context)
      let format = try Self.format(request)
      let export = SessionExport(
        session: stored.id, events: stored.events, rubric: conversations.desk.pack.rubric)
      return Self.download(try export.text(format), format, stored.id)
    }
    router.get("conversations/:id/profile") { request, context in
      let stored = try await stored(context)
      guard let synthesis = stored.state.synthesis else {
        guard request.isOptional else { throw Problem.noProfile }
        return Response(JSONValue.null)
      }
      let system = Self.profile(synthesis, stored.events)
      return Response(["minimal": .bool(synthesis.isMinimal), "system": system.json])
    }
    router.get("conversations/:id/insight") { _, context in
      let stored = try await stored(context)
      guard context.caller.isEngineer else { throw Problem.notFound }
      let desk = conversations.desk.serving(context.caller.person)
      let person = try await desk.store.personSettings()
      return Response(stored.insight(desk.settings, in: person.zone))
    }
    router.get("profile") { _, context in
      let desk = conversations.desk.serving(context.caller.person)
      for session in try await desk.store.sessions() {
        let events = try await desk.store.events(of: session.id)
        guard let synthesis = desk.pack.state(after: events).synthesis else { continue }
        return Response([
          "conversation_id": .string(session.id.rawValue),
          "minimal": .bool(synthesis.isMinimal), "system": Self.profile(synthesis, events).json,
        ])
      }
      throw Problem.noProfile
    }
  }

  private func stored(_ context: AppContext) async throws -> StoredConversation {
    let id = try context.conversation
    let desk = try await conversations.owner(of: id, context.caller)
    let events = try await desk.store.events(of: id)
    return StoredConversation(id: id, events: events, state: desk.pack.state(after: events))
  }

  /// As it stands now. A damaged log still shows what the conversation made.
  private static func profile(_ synthesis: Synthesis, _ events: [RecordedEvent]) -> CoachingSystem {
    (try? CoachingState(events: events))?.updating(synthesis.system) ?? synthesis.system
  }

  private static func format(_ request: Request) throws(Problem) -> SessionExport.Format {
    let name = request.uri.queryParameters["format"].map(String.init) ?? "json"
    guard let format = SessionExport.Format(rawValue: name) else {
      throw .badRequest(
        "format is one of "
          + SessionExport.Format.allCases.map(\.rawValue).joined(separator: ", ") + ".",
        field: "format")
    }
    return format
  }

  private static func download(
    _ text: String, _ format: SessionExport.Format, _ id: SessionID
  ) -> Response {
    let (type, ending) =
      switch format {
      case .markdown: ("text/markdown; charset=utf-8", "md")
      case .json: ("application/json; charset=utf-8", "json")
      case .jsonl: ("application/x-ndjson; charset=utf-8", "jsonl")
      }
    return Response(text, type, downloadedAs: "conversation-\(id).\(ending)")
  }
}

extension Problem {
  static let noProfile = Problem(
    .notFound, "no-profile",
    "There's no profile yet. The coach writes one when it understands enough.")
}

/// A conversation as it is stored.
struct StoredConversation: Sendable {
  var id: SessionID
  var events: [RecordedEvent]
  var state: IntakeState

  func json(_ settings: IntakeSettings) -> JSONValue {
    let held = events.heldTurns
    return [
      "conversation_id": .string(id.rawValue), "phase": .string(state.shownPhase.rawValue),
      "turn": JSONValue(state.turns.count), "completed": .bool(state.isCompleted),
      "rehearsal": .bool(events.start?.source == .rehearsal),
      "understanding": JSONValue(state.components(settings).understanding),
      "journey": journey,
      "messages": .array(
        events.compactMap { recorded in
          StoredMessage(recorded, held: held).map {
            $0.json(in: id).adding([("at", .string(recorded.at.iso8601))])
          }
        }),
    ]
  }

  /// The journey that it belongs to, and whether that is over.
  private var journey: JSONValue {
    guard let state = try? JourneyState(events: events), let start = state.start else {
      return .null
    }
    return ["name": .string(start.journey), "completed": .bool(state.isCompleted)]
  }

  private func signals(in zone: TimeZone) -> [JSONValue] {
    state.signals { zone.secondsFromGMT(for: $0) }.map { signal -> JSONValue in
      ["name": .string(signal.kind.rawValue), "evidence": .string(signal.evidence)]
    }
  }

  /// The scores, and the words that carry them, after each turn and now.
  ///
  /// - Parameter zone: Where the person is.
  func insight(_ settings: IntakeSettings, in zone: TimeZone = .gmt) -> JSONValue {
    let components = state.components(settings)
    var (curve, partial) = ([JSONValue](), state.atStart)
    for recorded in events {
      partial.apply(recorded)
      guard case .scored = recorded.event else { continue }
      let now = partial.components(settings)
      curve.append([
        "turn": JSONValue(partial.turns.count), "at": .string(recorded.at.iso8601),
        "overall": JSONValue(now.overall) ?? .null,
        "understanding": JSONValue(now.understanding), "ready": .bool(now.isReadyForCoaching),
        "components": .object(
          JSONObject(now.components.map { ($0.name, JSONValue($0.score) ?? .null) })),
      ])
    }
    return [
      "conversation_id": .string(id.rawValue), "overall": JSONValue(components.overall) ?? .null,
      "ready": .bool(components.isReadyForCoaching),
      "understanding": JSONValue(components.understanding),
      "components": .object(
        JSONObject(components.components.map { ($0.name, JSONValue($0.score) ?? .null) })),
      "facets": .array(
        state.rubric.facets.map { definition in
          let evidence = state.ledger.evidence(for: definition.facet)
          var members: [(String, JSONValue)] = [
            ("facet", .string(definition.facet.description)), ("known", .bool(evidence != nil)),
          ]
          switch evidence?.basis {
          case .quote(let quote, let turn):
            members += [("quote", .string(quote)), ("turn", JSONValue(turn))]
          case .reading(let reading, let source):
            members += [("reading", .string(reading)), ("source", .string(source))]
          case .answer(let answer):
            members += [
              ("answer", .string(answer.text)), ("wording", .string(answer.wording)),
              ("step", .string(answer.step)),
            ]
          case nil: break
          }
          return .object(JSONObject(members))
        }),
      "person": state.understanding.json,
      "signals": .array(signals(in: zone)),
      "curve": .array(curve),
    ]
  }
}

extension SessionSummary {
  fileprivate var json: JSONValue {
    [
      "conversation_id": .string(id.rawValue), "created": .string(created.iso8601),
      "updated": .string(updated.iso8601), "turns": JSONValue(turns),
      "stage": .string(stage.rawValue), "completed": .bool(isCompleted),
      "rehearsal": .bool(isRehearsal), "first_words": .string(firstWords),
    ]
  }
}

extension Date {
  var iso8601: String {
    formatted(
      .iso8601.year().month().day().timeZone(separator: .omitted).time(
        includingFractionalSeconds: true))
  }
}
