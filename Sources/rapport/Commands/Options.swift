import ArgumentParser
import Intake
import SessionStore
import Settings
import Startup

/// Where the store is; shared by every command that opens it.
struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The file that stores conversations.", valueName: "file"),
    completion: .file())
  var store: String?
}

/// A store to read from, which several people may share.
struct SharedStoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The file that stores conversations, or a postgres:// URL.", valueName: "file"),
    completion: .file())
  var store: String?

  @Option(
    help: ArgumentHelp(
      "Whose conversations, in the store of a server with sign-in (default: yours).",
      valueName: "id"))
  var person: String?

  /// The store, for a command that needs no key; nil if missing.
  func existingStore() async throws -> (any ConversationStore)? {
    try await CommandContext(readsCredentials: false).existingAnyStore(self)
  }
}

/// The pack that a stored conversation began with, if it is not built in.
struct PackOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The prompt pack, if the conversation began with one of your own.", valueName: "pack"),
    completion: .packs)
  var prompts: String?

  var flags: [Setting: String] { prompts.map { [.prompts: $0] } ?? [:] }
}

/// The health data the coach may see before it speaks.
struct HealthOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Health data to read first: Apple's export.zip or export.xml, its folder, or a JSON snapshot.",
      valueName: "file"),
    completion: .file(extensions: ["zip", "xml", "json"]))
  var health: String?

  @Flag(help: "Opt out of health data: delete what was remembered and never ask again.")
  var noHealth = false

  func validate() throws {
    if noHealth, health != nil {
      throw ValidationError(
        "--health shares your health data; --no-health opts out. Use one of them.")
    }
  }
}

/// Limits of a discovery, and the prompts to use.
struct IntakeOptions: ParsableArguments {
  @Option(help: .pack, completion: .packs)
  var prompts: String?

  @Option(
    help: ArgumentHelp(
      "How the next topic is chosen: shortfall (largest weighted gap) or lowest (lowest raw score).",
      valueName: "policy"),
    completion: .list(FollowUpPolicy.allCases.map(\.rawValue)))
  var followUp: String?

  @OptionGroup var limits: DiscoveryLimits

  @Option(
    help: ArgumentHelp(
      "Whether the next question may begin while the model still reads your message: on or off.",
      valueName: "state"),
    completion: .list(["on", "off"]))
  var readAhead: String?

  var flags: [Setting: String] {
    [.prompts: prompts, .followUp: followUp, .readAhead: readAhead].compactMapValues(\.self)
      .merging(limits.flags) { $1 }
  }
}

/// Whether and what to log.
struct LogOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Append every request to this file as JSON lines: times, statuses, request ids and tokens, but no key and no words.",
      valueName: "file"),
    completion: .file())
  var log: String?

  @Flag(help: "Also log what is sent and answered.")
  var logContent = false

  func validate() throws {
    if logContent, log == nil {
      throw ValidationError("--log-content applies to a log; add --log FILE.")
    }
  }
}

/// Whether and how to record a conversation.
struct RecordOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Record a new conversation to this file for `rapport test`. Keys, email addresses and phone numbers are left out.",
      valueName: "file"),
    completion: .file(extensions: ["json"]))
  var record: String?

  @Option(
    help: ArgumentHelp(
      "Also leave this name out of the recording (whole words; repeatable).", valueName: "name"))
  var redact: [String] = []

  @Flag(help: "Replace the recording if it already exists.")
  var overwrite = false

  func validate() throws {
    if record == nil, !redact.isEmpty || overwrite {
      throw ValidationError(
        "\(overwrite ? "--overwrite" : "--redact") applies to a recording; add --record FILE.")
    }
    if let name = redact.first(where: { name in !name.contains { $0.isLetter } }) {
      throw ValidationError(
        "--redact takes a name, such as Marta; \"\(name)\" contains no letter.")
    }
  }

  /// Nil if nothing is recorded.
  func plan() throws -> RecordingPlan? {
    try record.map { try RecordingPlan(path: $0, names: redact, overwrites: overwrite) }
  }
}

extension CommandContext {
  func openStore(_ options: StoreOptions) throws -> SessionStore { try openStore(options.store) }

  /// The store as the person named there sees it, a file or a database; nil if missing.
  func existingAnyStore(_ options: SharedStoreOptions) async throws -> (any ConversationStore)? {
    let person = options.person.map { PersonID(rawValue: $0) } ?? .local
    return try await existingAnyStore(options.store)?.belonging(to: person)
  }
}
