import Cassettes
import Coaching
import FoundationEssentials
import IncrementalJSON
import Intake
import Journeys
import LanguageModels
import Plans
import Rehearsal
import Synchronization

/// A journey in memory with everything outside of it played: accounts whose code is 123456, a clock, a disk
/// that can be full, and the rehearsal as the coach. Documents come from its template, or from a cassette.
final class JourneyStage {
  private let journey: Journey
  private let pack: PromptPack
  private let log: InMemorySessionLog
  private let props: Props
  private let drafter: any DocumentDrafter
  private var engine: JourneyEngine?

  /// - Parameter world: What answers requests for documents; nil takes the template.
  init(_ journey: Journey, pack: PromptPack, recording: JSONObject, world: World?) throws {
    (self.journey, self.pack) = (journey, pack)
    let start = Props.start
    let events = try (recording["events"]?.arrayValue ?? []).enumerated().map { index, event in
      try RecordedEvent(
        position: index + 1, at: start,
        envelope: EventEnvelope(
          kind: event["type"]?.stringValue ?? "", version: 1, json: event.serialized()))
    }
    log = InMemorySessionLog(events)
    props = Props(
      hasAccounts: recording["hasAccounts"]?.boolValue ?? false,
      signedIn: recording["signedIn"]?.stringValue)
    drafter =
      if let world {
        // The profile comes from the rehearsal, as all conversations here do.
        ModelDrafter(
          models: world.models(
            over: ReplayTransport(world.player), baseURL: World.address, limits: ModelLimits()),
          writesProfiles: false)
      } else {
        TemplateDrafter()
      }
  }

  var synced: [String] { props.state.withLock(\.synced).map(\.rawValue) }

  /// As a process finds it that has just been started.
  func open() async throws -> JSONValue {
    let props = props
    let engine = try await JourneyEngine(
      journey, pack: pack, log: log,
      providers: JourneyProviders(
        account: props, drafter: drafter, sync: props, profiles: props,
        permissions: StagePermissions(),
        now: { props.now }, timeZone: TimeZone(identifier: "Europe/Berlin") ?? .gmt))
    self.engine = engine
    return Self.brief(try await settled(engine, engine.open()))
  }

  func act(_ action: JSONValue) async throws -> JSONValue {
    guard let engine else { return .null }
    if action["kill"]?.boolValue == true { return try await open() }
    if let days = action["days"]?.doubleValue {
      props.state.withLock { $0.now += days * 86_400 }
      return try await open()
    }
    if let fails = action["profileFails"]?.boolValue {
      props.state.withLock { $0.profileFails = fails }
      return Self.brief(await engine.screen)
    }
    if let fails = action["syncFails"]?.boolValue {
      props.state.withLock { $0.syncFails = fails }
      return Self.brief(await engine.screen)
    }
    if let talk = action["talk"] { return Self.brief(try await self.talk(talk, engine)) }
    return Self.brief(try await settled(engine, engine.take(Self.input(action))))
  }

  private func settled(
    _ engine: JourneyEngine, _ screen: JourneyScreen
  ) async throws -> JourneyScreen {
    var screen = screen
    while screen.isBusy { screen = try await engine.settle() }
    return screen
  }

  private static func input(_ action: JSONValue) -> JourneyInput {
    if let units = action["units"]?.stringValue.flatMap(Units.init(rawValue:)) {
      return .units(units)
    }
    if action["back"] != nil { return .back }
    if action["info"] != nil { return .info }
    return .answer(action["answer"] ?? true)
  }

  private static let mostTurns = 40

  /// Talks with the rehearsal coach until the journey continues. It repeats the last line.
  private func talk(_ talk: JSONValue, _ engine: JourneyEngine) async throws -> JourneyScreen {
    guard let input = await engine.conversation else { return await engine.screen }
    let props = props
    let intake = try await IntakeEngine(
      log: log, coach: .rehearsal, pack: pack, settings: await engine.intakeSettings(for: input),
      entitlements: InMemoryEntitlement(),
      surroundings: try .coached(by: pack, in: .gmt, cycle: pack.dayCycle),
      now: { props.now })
    try await intake.open(show: { _ in })
    var screen = try await engine.conversationAdvanced()
    let lines = (talk["lines"]?.arrayValue ?? []).compactMap(\.stringValue)
    for turn in 0..<Self.mostTurns where await engine.conversation != nil {
      let state = await intake.state
      if state.shownPhase == .paywall {
        try await intake.continueAfterPaywall(show: { _ in })
      } else {
        let reply: JSONValue? =
          switch state.pending {
          case .offer: talk["offer"]
          case .body: talk["body"]
          case .confirmation: talk["confirmation"]
          case .question, .nothing: nil
          }
        let line = lines.isEmpty ? "" : lines[min(turn, lines.count - 1)]
        try await intake.say(reply?.stringValue ?? line, show: { _ in })
      }
      screen = try await engine.conversationAdvanced()
    }
    return try await settled(engine, screen)
  }

  /// What a person would notice.
  private static func brief(_ screen: JourneyScreen) -> JSONValue {
    let whole = screen.json
    let names = [
      "step", "kind", "section", "title", "rows", "diff", "refusal", "info", "problem", "back",
    ]
    var members = JSONObject(names.compactMap { name in whole[name].map { (name, $0) } })
    if let value = whole["input"]?["text"] ?? whole["input"]?["value"] { members["value"] = value }
    if let options = whole["options"]?.arrayValue {
      members["options"] = .array(options.compactMap { $0["id"] })
    }
    if let state = whole["document"]?["state"] { members["document"] = state }
    return .object(members)
  }
}

/// What is outside of a journey.
private final class Props: AccountService, SyncQueue, ProfileStore {
  struct State {
    var now = Props.start
    var account: Account?
    var synced: [SyncItem.Kind] = []
    var profileFails = false
    var syncFails = false
  }
  private struct Full: Error, CustomStringConvertible { let description = "the disk is full" }

  static let start = Date(timeIntervalSince1970: 1_700_000_000)
  static let code = "123456"
  let isAvailable: Bool
  let state = Mutex(State())

  /// - Parameter email: Of somebody who signed in before.
  init(hasAccounts: Bool, signedIn email: String?) {
    isAvailable = hasAccounts
    if let email { state.withLock { $0.account = Account(id: "person", email: email) } }
  }

  var now: Date { state.withLock(\.now) }

  func current() -> Account? { state.withLock(\.account) }

  func sendCode(to email: String) throws(AccountError) {}

  func verify(_ code: String, for email: String) throws(AccountError) -> Account {
    guard code == Self.code else {
      throw AccountError(code: "wrong-code", words: "That code is wrong or has expired.")
    }
    let account = Account(id: "person", email: email)
    state.withLock { $0.account = account }
    return account
  }

  func enqueue(_ item: SyncItem) throws {
    try state.withLock { state in
      if state.syncFails { throw Full() }
      state.synced.append(item.kind)
    }
  }

  func write(_ row: ProfileRow) throws {
    try state.withLock { state in if state.profileFails { throw Full() } }
  }
}

/// A place that can remind people and has no microphone.
private struct StagePermissions: PermissionService {
  func isAvailable(_ permission: Permission) -> Bool { permission == .notifications }
  func request(_ permission: Permission) -> Bool { permission == .notifications }
}
