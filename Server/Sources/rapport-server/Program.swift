import ArgumentParser
import CAllocator
import FoundationEssentials
import Glibc
import Intake
import Journeys
import Logging
import NIOCore
import RapportServer
import SessionStore
import Settings
import Startup

/// `rapport-server`: the coach behind HTTP.
@main
struct Program: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rapport-server",
    abstract: "Serve the coach to apps and browsers.",
    discussion: """
      Uses the same settings and conversations as `rapport chat`. Prints its address on standard \
      output, and one JSON object per request on standard error.

      Examples:
        rapport-server
        rapport-server --port 0 --store try.db --offline
        rapport-server --base-url http://localhost:11434/v1 --model llama3.1
      """,
    version: ProgramVersion.text(of: "rapport-server"))

  @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
  var host = "127.0.0.1"

  @Option(help: ArgumentHelp("The port; 0 picks a free one.", valueName: "n"))
  var port = 8080

  @Option(
    help: ArgumentHelp(
      "Also answer for this host name, such as a proxy's (repeatable).", valueName: "name"))
  var allowHost: [String] = []

  @Option(
    help: ArgumentHelp(
      "Seconds that replies may take after a signal to stop.", valueName: "seconds"))
  var grace = 10

  @Option(
    help: ArgumentHelp(
      "The file that stores conversations, or a postgres:// URL (see docs/postgres.md).",
      valueName: "file"))
  var store: String?

  @Flag(help: "Rehearse without a model, key or network.")
  var offline = false

  @OptionGroup(title: "Model") var model: ModelOptions
  @OptionGroup(title: "Discovery") var discovery: DiscoveryOptions

  @OptionGroup(title: "Access") var access: AccessOptions
  @OptionGroup(title: "Limits") var limits: LimitFlags

  // For tests of what's due days later.
  @Option(help: ArgumentHelp("Days that the clock is ahead.", valueName: "n", visibility: .hidden))
  var daysAhead = 0

  @Option(help: ArgumentHelp("The lowest level to log.", valueName: "level"))
  var logLevel = LogLevel.info

  func validate() throws {
    if !(0...65_535).contains(port) { throw ValidationError("--port must be between 0 and 65535.") }
    if !(0...3_650).contains(daysAhead) {
      throw ValidationError("--days-ahead must be between 0 and 3650.")
    }
    if !(0...600).contains(grace) { throw ValidationError("--grace must be between 0 and 600.") }
  }

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    OpenFiles.raiseLimit()
    do {
      try await serve()
    } catch let exit as ExitCode {
      throw exit
    } catch {
      let (words, status) = Failures.explanation(of: error)
      Console.warn(words)
      throw ExitCode(status.rawValue)
    }
  }

  /// The prompts, whose journeys are checked now: what is wrong with one is not left to the person who opens it.
  private static func pack(of context: CommandContext) async throws -> PromptPack {
    let pack = try context.promptPack()
    for name in pack.journeyNames { _ = try pack.journey(name) }
    return pack
  }

  private static func prepareProcess(logging level: Logger.Level) {
    // By default there are eight heaps for each core, and each keeps the memory that it once needed. With few,
    // 2,000 streams take up to a tenth less.
    mallopt(M_ARENA_MAX, Int32(ProcessInfo.processInfo.activeProcessorCount) + 1)
    // What one turn frees, the next one needs.
    mallopt(M_TRIM_THRESHOLD, 4 << 20)
    if getenv("NIO_SINGLETON_GROUP_LOOP_COUNT") == nil {
      NIOSingletons.groupLoopCountSuggestion = RapportServer.connectionThreads
    }
    LoggingSystem.bootstrap { label in
      var handler = JSONLogHandler(label: label)
      handler.logLevel = level
      return handler
    }
  }

  private func serve() async throws {
    Self.prepareProcess(logging: logLevel.level)
    let context = try CommandContext(
      flags: model.flags.merging(discovery.flags) { first, _ in first }, readsCredentials: !offline)
    for warning in context.settings.warnings { Console.warn(warning) }
    // Reading the prompts takes about as long as opening the store.
    async let reading = Self.pack(of: context)
    // Every stream may be waiting for the model.
    let setup =
      offline
      ? nil
      : try ModelSetup(
        context, connections: limits.streams, networkThreads: RapportServer.networkThreads,
        say: Console.warn)
    let store = try await context.openAnyStore(store)
    let webhookSecret = try access.webhookSecret()
    var settings = try context.intakeSettings()
    // Reading ahead takes milliseconds of a core for each message, so a server has to be told to.
    if context.settings[.readAhead]?.source == .builtIn { settings.readsAhead = false }
    let ahead = Double(daysAhead) * 86_400
    let now: @Sendable () -> Date = { Date().addingTimeInterval(ahead) }
    let pack = try await reading
    let desk = CoachDesk(
      store: store, pack: pack, settings: settings,
      models: try await setup?.roles(),
      isRehearsing: offline, purchases: webhookSecret == nil ? .stub : .revenueCat,
      accounts: try context.supabaseClient().map {
        AccountDesk($0, store: store, logger: Logger(label: "rapport-server"), now: now)
      },
      now: now)
    var options = ServerOptions(
      host: host, port: port, allowedHosts: allowHost, grace: .seconds(grace))
    options.allowedOrigins = access.allowOrigin
    options.trustedProxies = Set(access.trustedProxy)
    options.limits = limits.options
    options.webhookSecret = webhookSecret
    options.authentication = Authentication(
      accounts: try access.accounts(),
      deviceKey: access.deviceTokens
        ? try await store.serverKey("device-tokens") {
          (0..<32).map { _ in UInt8.random(in: 0...255) }
        }
        : nil)
    let server = try RapportServer(options, desk: desk, logger: Logger(label: "rapport-server"))
    let isRehearsing = desk.models == nil
    // Before the first reply, which lowers its threads' priority.
    setup?.startThreads()
    try await server.run { address in
      Console.say("Listening on \(address)")
      if isRehearsing && !offline {
        Console.say(
          "No model is set up, so only rehearsals are possible. `rapport setup` sets one up.")
      }
    }
    setup?.remember()
  }
}

private enum OpenFiles {
  /// Every connection takes a descriptor, and the usual limit of 1,024 is there for programs that use
  /// `select`.
  static func raiseLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

enum LogLevel: String, ExpressibleByArgument, CaseIterable {
  case debug, info, warning, error

  var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
}

/// Whole lines, unbuffered: a program that started this one reads the address from a pipe.
private enum Console {
  static func say(_ line: String) { put(line, on: 1) }

  static func warn(_ line: String) { put("rapport-server: " + line, on: 2) }

  private static func put(_ line: String, on descriptor: Int32) {
    let bytes = Array((line + "\n").utf8)
    _ = write(descriptor, bytes, bytes.count)
  }
}
