import ArgumentParser
import Intake
import Settings

extension ArgumentHelp {
  static let pack = ArgumentHelp(
    "A prompt pack: a folder, or the name of a built-in one (default: fitness).", valueName: "pack")
}

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

/// How the model is reached. There is no option for a key: arguments show in process lists.
struct ModelOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "openai, anthropic or compatible (any server with OpenAI's chat completions API).",
      valueName: "name"),
    completion: .providers)
  var provider: String?

  @Option(
    help: ArgumentHelp(
      "The server's base URL, such as http://localhost:11434/v1.", valueName: "url"))
  var baseURL: String?

  @Option(help: "The model to use for all three roles.")
  var model: String?

  @Option(help: ArgumentHelp("The model that reads and scores answers.", valueName: "model"))
  var modelFast: String?

  @Option(help: ArgumentHelp("The model that writes the replies.", valueName: "model"))
  var modelCoach: String?

  @Option(help: ArgumentHelp("The model that writes the summary and coaches.", valueName: "model"))
  var modelDeep: String?

  @Option(
    help: ArgumentHelp("A PEM file of certificate authorities to trust.", valueName: "file"),
    completion: .file(extensions: ["pem", "crt", "cer"]))
  var caFile: String?

  var flags: [Setting: String] {
    [
      .provider: provider, .baseURL: baseURL, .model: model, .modelFast: modelFast,
      .modelCoach: modelCoach, .modelDeep: modelDeep, .certificates: caFile,
    ].compactMapValues(\.self)
  }

  /// The options that were given, as typed.
  var given: [String] { Setting.allCases.filter { flags[$0] != nil }.map(\.flag) }

  /// - Throws: `ValidationError` if a rehearsal was given a model.
  func checkRehearsal() throws {
    guard let option = given.first else { return }
    throw ValidationError(
      "--offline rehearses without a model, but \(option) sets one up. Use one of them.")
  }
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

  @Option(
    help: ArgumentHelp("The coach is ready above this overall score, 0 to 1.", valueName: "score"))
  var threshold: String?

  @Option(help: ArgumentHelp("User turns before the coach offers to wrap up.", valueName: "n"))
  var maxTurns: String?

  @Option(help: ArgumentHelp("Seconds before the coach offers to wrap up.", valueName: "seconds"))
  var timeLimit: String?

  @Option(
    help: ArgumentHelp(
      "Whether the next question may begin while the model still reads your message: on or off.",
      valueName: "state"),
    completion: .list(["on", "off"]))
  var readAhead: String?

  var flags: [Setting: String] {
    [
      .prompts: prompts, .followUp: followUp, .threshold: threshold, .maxTurns: maxTurns,
      .timeLimit: timeLimit, .readAhead: readAhead,
    ].compactMapValues(\.self)
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
