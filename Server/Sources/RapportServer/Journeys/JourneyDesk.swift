import FoundationEssentials
import HTTPTypes
import IncrementalJSON
import Intake
import Journeys
import Plans
import SessionStore
import Startup
import Sync
import Synchronization

extension CoachDesk {
  /// - Throws: ``Problem`` if the pack has no journey of that name.
  func journey(named name: String) throws -> Journey {
    guard let journey = try pack.journey(name) else { throw Problem.noJourney }
    return journey
  }

  /// What a journey needs from outside, for this desk's person.
  ///
  /// - Parameters:
  ///   - session: The session that the journey runs in.
  ///   - caller: Who asks. An app that signs its people in itself also syncs for them, so nothing of
  ///     theirs is queued here.
  ///   - drafter: Who writes documents. The default sends no request, for an engine that does not wait for
  ///     one.
  func journeyProviders(
    for session: SessionID, by caller: Caller? = nil,
    drafter: any DocumentDrafter = TemplateDrafter(),
    permissions: any PermissionService = BrowserPermissions()
  ) async throws -> JourneyProviders {
    let settings = try await store.personSettings()
    var providers = JourneyProviders(
      drafter: drafter, profiles: store.profiles, permissions: permissions, now: now,
      timeZone: settings.timeZone.flatMap { TimeZone(identifier: $0) } ?? .gmt)
    if let email = caller?.email {
      providers.account = SignedInCaller(
        account: Account(id: store.person.rawValue, email: email))
    } else if let accounts {
      let person = store.person
      providers.account = accounts.service(for: person, in: session)
      providers.sync = JourneyQueue(
        store: store, session: session, pack: pack, now: now,
        queued: { accounts.send(for: person) })
    }
    return providers
  }
}

extension Problem {
  static let noJourney = Problem(
    .notFound, "no-journey", "There's no journey of this name. GET /journeys lists them.")
  static let notInJourney = Problem(
    .notFound, "no-journey", "This conversation isn't part of a journey.")
  static let talking = Problem(
    .conflict, "talking",
    "The coach is talking at this step. Nothing was answered; send the message to POST /chat-stream with "
      + "this conversation_id.",
    field: "answer")
  static let movedOn = Problem(
    .conflict, "moved-on",
    "The journey has moved on since that screen. Nothing was answered; here is the present one.",
    field: "at")
}

/// What the person's browser can do, as it says with each request. It asks the person itself, before it
/// sends the answer.
final class BrowserPermissions: PermissionService {
  private let available: Mutex<Set<Permission>>

  init(_ available: Set<Permission> = []) { self.available = Mutex(available) }

  func use(_ permissions: Set<Permission>) { available.withLock { $0 = permissions } }

  func isAvailable(_ permission: Permission) -> Bool {
    available.withLock { $0.contains(permission) }
  }

  func request(_ permission: Permission) -> Bool { isAvailable(permission) }
}

/// A journey as a client sees it.
struct JourneyView: Sendable {
  var session: SessionID
  /// Where the log stands.
  var position: Int
  var screen: JourneyScreen

  var json: JSONValue {
    ["conversation_id": .string(session.rawValue), "screen": screen.json(at: position)]
  }
}

extension JourneyScreen {
  /// The screen with `at`, which an answer to it names.
  func json(at position: Int) -> JSONValue { json.adding([("at", .string(place(position)))]) }

  fileprivate func place(_ position: Int) -> String { "\(position).\(kind.rawValue)" }
}

/// The journeys that people are in.
///
/// An engine is kept between requests, because it remembers what is not in the log: a document that is being
/// drafted. It is made again as soon as the log has something
/// that it did not write.
final class JourneyDesk: Sendable {
  private struct Kept: Sendable {
    let engine: JourneyEngine
    let log: ChatRequestLog
    let permissions: BrowserPermissions
    let person: PersonID
    var usedAt = ContinuousClock.now
  }

  let conversations: Conversations
  private let kept = Mutex<[SessionID: Kept]>([:])
  private static let patience = Duration.seconds(1_800)

  init(conversations: Conversations) { self.conversations = conversations }

  /// Forgets the engines that nobody has used for a while. The log has everything they need.
  func tick() {
    kept.withLock { kept in
      kept = kept.filter { .now - $0.value.usedAt < Self.patience }
    }
  }
}

// What clients ask for.
extension JourneyDesk {
  /// The pack's journeys, and where the person is in each.
  func list(for caller: Caller) async throws -> JSONValue {
    let desk = conversations.desk.serving(caller.person)
    var latest: [String: (id: SessionID, isCompleted: Bool)] = [:]
    for (id, state) in try await sessions(desk) {
      guard let name = state.start?.journey, latest[name] == nil else { continue }
      latest[name] = (id, state.isCompleted)
    }
    let chosen = try await desk.store.personSettings().language
    let language = DeviceLanguage.code(chosen) ?? caller.language
    return try .array(
      desk.pack.journeyNames.compactMap { name in
        guard let journey = try desk.pack.journey(name) else { return nil }
        let texts = desk.pack.texts(of: journey, in: language)
        var members: [(String, JSONValue)] = [
          ("name", .string(name)), ("title", .string(texts.title)),
          ("summary", texts.summary.map { .string($0) } ?? .null),
          ("version", JSONValue(journey.version)), ("steps", JSONValue(journey.steps.count)),
        ]
        if let latest = latest[name] {
          members += [
            ("conversation_id", .string(latest.id.rawValue)),
            ("completed", .bool(latest.isCompleted)),
          ]
        }
        return .object(JSONObject(members))
      })
  }

  /// Starts a journey, or resumes the person's latest one of that name. While the coach replies in it,
  /// its screen is read without waiting for the reply.
  func start(
    _ name: String, new: Bool, _ permissions: Set<Permission>, by caller: Caller
  ) async throws -> JourneyView {
    let desk = conversations.desk.serving(caller.person)
    let journey = try desk.journey(named: name)
    let begun = new ? nil : try await sessions(desk).first { $0.state.start?.journey == name }?.id
    let id: SessionID
    if let begun { id = begun } else { id = try await desk.store.beginSession(nil, at: desk.now()) }
    return try await alone(with: id, journey, permissions, desk, caller) { [self] in
      try await open(journey, id, permissions, desk, caller, looksElsewhere: true, startsOver: new)
    }
  }

  /// The screen of a session. While the coach replies, it is read without waiting for the reply.
  func screen(
    of id: SessionID, _ permissions: Set<Permission>, by caller: Caller
  ) async throws -> JourneyView {
    let (desk, journey) = try await find(id, caller)
    return try await alone(with: id, journey, permissions, desk, caller) { [self] in
      try await current(id, journey, permissions, desk, caller)
    }
  }

  /// Takes what the person does at a screen.
  ///
  /// - Parameter place: The screen's `at`; nil skips the check.
  /// - Throws: ``Problem``: `moved-on` with the present screen if it is another one.
  func take(
    _ input: JourneyInput, at place: String?, in id: SessionID, _ permissions: Set<Permission>,
    by caller: Caller
  ) async throws -> JourneyView {
    let (desk, journey) = try await find(id, caller)
    try conversations.limits.takeAnswer(caller)
    return try await conversations.alone(with: id) {
      let writer = try await desk.store.acquireWriter(of: id)
      defer { withExtendedLifetime(writer) {} }
      let kept = try await current(id, journey, permissions, desk, caller)
      let before = try await view(kept, id)
      if let place, place != before.screen.place(before.position) {
        throw Problem.movedOn.with("screen", before.screen.json(at: before.position))
      }
      if case .answer = input, await kept.engine.conversation != nil {
        throw Problem.talking.with("screen", before.screen.json(at: before.position))
      }
      _ = try await kept.engine.take(input)
      return try await view(kept, id)
    }
  }

  /// The screens that follow while a document is drafted, until one can be answered.
  func documents(
    in id: SessionID, _ permissions: Set<Permission>, by caller: Caller
  ) async throws -> Run {
    let (desk, journey) = try await find(id, caller)
    return try await conversations.document(for: id) { [self] run in
      let writer = try await desk.store.acquireWriter(of: id)
      defer { withExtendedLifetime(writer) {} }
      let kept = try await current(id, journey, permissions, desk, caller)
      run.open(after: EventID.Base(after: try await kept.log.events()))
      // A step that is taken meanwhile ends this, as it ends suggestions.
      run.completeReply()
      let show: @Sendable (JourneyScreen) -> Void = { screen in
        run.add(screen.json(at: kept.log.position))
      }
      var screen = await kept.engine.screen
      show(screen)
      while screen.isBusy, !Task.isCancelled {
        let next = try await kept.engine.settle(show: show)
        // Nothing is being written; the client asks again.
        if next == screen { break }
        screen = next
        show(screen)
      }
    }
  }
}

// Engines.
extension JourneyDesk {
  /// - Throws: ``Problem`` if the caller has no journey of this id.
  func requireOwn(_ id: SessionID, by caller: Caller) async throws {
    _ = try await find(id, caller)
  }
}

extension JourneyDesk {
  /// The person's sessions that are in a journey of this pack, the latest first.
  private func sessions(
    _ desk: CoachDesk
  ) async throws -> [(id: SessionID, state: JourneyState)] {
    var found: [(SessionID, JourneyState)] = []
    let kind = PlanEvent.Kind.journeyStarted.rawValue
    for id in try await desk.store.sessions(withEvent: kind) {
      let state = try JourneyState(events: try await desk.store.events(of: id))
      if state.start?.pack == desk.pack.name { found.append((id, state)) }
    }
    return found
  }

  private func find(
    _ id: SessionID, _ caller: Caller
  ) async throws -> (desk: CoachDesk, journey: Journey) {
    let desk = try await conversations.owner(of: id, caller)
    let state = try JourneyState(events: try await desk.store.events(of: id))
    guard let start = state.start, start.pack == desk.pack.name else {
      throw Problem.notInJourney
    }
    return (desk, try desk.journey(named: start.journey))
  }

  /// The screen of an engine that nobody else writes with, or what the log shows if somebody does.
  private func alone(
    with id: SessionID, _ journey: Journey, _ permissions: Set<Permission>, _ desk: CoachDesk,
    _ caller: Caller, _ engine: @Sendable () async throws -> Kept
  ) async throws -> JourneyView {
    if conversations.isReplying(in: id) {
      return try await peek(id, journey, permissions, desk, caller)
    }
    do {
      return try await conversations.alone(with: id) {
        let writer = try await desk.store.acquireWriter(of: id)
        defer { withExtendedLifetime(writer) {} }
        return try await view(try await engine(), id)
      }
    } catch let problem as Problem where problem.code == Problem.busy.code {
      return try await peek(id, journey, permissions, desk, caller)
    }
  }

  /// The engine that was kept, or a new one.
  private func current(
    _ id: SessionID, _ journey: Journey, _ permissions: Set<Permission>, _ desk: CoachDesk,
    _ caller: Caller
  ) async throws -> Kept {
    if var known = kept.withLock({ $0[id] }), known.person == desk.store.person {
      let position = known.log.position
      if try await known.log.events().last?.position == position {
        known.permissions.use(permissions)
        known.usedAt = .now
        kept.withLock { [known] in $0[id] = known }
        return known
      }
    }
    return try await open(journey, id, permissions, desk, caller)
  }

  private func open(
    _ journey: Journey, _ id: SessionID, _ permissions: Set<Permission>, _ desk: CoachDesk,
    _ caller: Caller, looksElsewhere: Bool = false, startsOver: Bool = false
  ) async throws -> Kept {
    let browser = BrowserPermissions(permissions)
    let log = ChatRequestLog(
      desk.store.sharedLog(for: id), clientMessageID: nil, timing: conversations.metrics.stored)
    let isRehearsal = try await log.events().start?.source == .rehearsal || desk.isRehearsing
    let drafter: any DocumentDrafter =
      if let models = desk.models, !isRehearsal {
        CountedDrafter(models: models, limits: conversations.limits, caller: caller, desk: desk)
      } else {
        TemplateDrafter()
      }
    var providers = try await desk.journeyProviders(
      for: id, by: caller, drafter: drafter, permissions: browser)
    providers.startsOver = startsOver
    let engine = try await JourneyEngine(
      journey, pack: desk.pack, log: log, settings: desk.settings, providers: providers)
    _ = try await engine.open(looksElsewhere: looksElsewhere)
    let opened = Kept(
      engine: engine, log: log, permissions: browser, person: desk.store.person)
    kept.withLock { $0[id] = opened }
    return opened
  }

  /// A conversation that has nothing left to ask is skipped.
  private func view(_ kept: Kept, _ id: SessionID) async throws -> JourneyView {
    let isTalking = await kept.engine.conversation != nil
    let screen =
      isTalking ? try await kept.engine.conversationAdvanced() : await kept.engine.screen
    return JourneyView(session: id, position: kept.log.position, screen: screen)
  }

  private func peek(
    _ id: SessionID, _ journey: Journey, _ permissions: Set<Permission>, _ desk: CoachDesk,
    _ caller: Caller
  ) async throws -> JourneyView {
    let log = ChatRequestLog(desk.store.sharedLog(for: id), clientMessageID: nil)
    let engine = try await JourneyEngine(
      journey, pack: desk.pack, log: log, settings: desk.settings,
      providers: try await desk.journeyProviders(
        for: id, by: caller, permissions: BrowserPermissions(permissions)))
    return JourneyView(session: id, position: log.position, screen: await engine.screen)
  }
}
