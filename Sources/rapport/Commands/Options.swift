import ArgumentParser
import Settings

/// Where the store is; shared by every command that opens it.
struct StoreOptions: ParsableArguments {
  @Option(name: .long, help: "The file that conversations are kept in.")
  var store: String?
}

/// How the model is reached. There is no option for a key: arguments show in process lists.
struct ModelOptions: ParsableArguments {
  @Option(
    name: .long,
    help: "openai, anthropic or compatible (any server that speaks OpenAI's chat completions).")
  var provider: String?

  @Option(name: .long, help: "The server's address, such as http://localhost:11434/v1.")
  var baseURL: String?

  @Option(name: .long, help: "The model for all three roles.")
  var model: String?

  @Option(name: .long, help: "The model that scores.")
  var modelFast: String?

  @Option(name: .long, help: "The model that talks.")
  var modelCoach: String?

  @Option(name: .long, help: "The model for the summary and for coaching.")
  var modelDeep: String?

  @Option(name: .long, help: "A file with certificate authorities to trust.")
  var caFile: String?

  var flags: [Setting: String] {
    [
      .provider: provider, .baseURL: baseURL, .model: model, .modelFast: modelFast,
      .modelCoach: modelCoach, .modelDeep: modelDeep, .certificates: caFile,
    ].compactMapValues(\.self)
  }

  /// The options that were used, as they are typed.
  var given: [String] {
    let options = [
      ("--provider", provider), ("--base-url", baseURL), ("--model", model),
      ("--model-fast", modelFast), ("--model-coach", modelCoach), ("--model-deep", modelDeep),
      ("--ca-file", caFile),
    ]
    return options.filter { $0.1 != nil }.map(\.0)
  }
}

/// What the coach may look at before it speaks.
struct HealthOptions: ParsableArguments {
  @Option(
    name: .long,
    help:
      "Health data to look at first: Apple's export.zip, export.xml or its folder, or a snapshot as JSON."
  )
  var health: String?

  @Flag(
    name: .long,
    help: "Use no health data, delete what was remembered of them, and never offer it again.")
  var noHealth = false

  func validate() throws {
    if noHealth, health != nil {
      throw ValidationError("--health lets me look at your data; --no-health says no for good.")
    }
  }
}

/// How long a discovery may take, and what the coach is told.
struct IntakeOptions: ParsableArguments {
  @Option(
    name: .long,
    help: "A prompt pack: a folder, or the name of a built-in one (default: fitness).")
  var prompts: String?

  @Option(
    name: .long,
    help:
      "What the next question is about: shortfall (the most missing weight) or lowest (the lowest raw score)."
  )
  var followUp: String?

  @Option(name: .long, help: "Ready means an overall score above this, 0 to 1.")
  var threshold: String?

  @Option(name: .long, help: "Turns after which you are asked whether to go on.")
  var maxTurns: String?

  @Option(name: .long, help: "Seconds after which you are asked whether to go on.")
  var timeLimit: String?

  var flags: [Setting: String] {
    [
      .prompts: prompts, .followUp: followUp, .threshold: threshold, .maxTurns: maxTurns,
      .timeLimit: timeLimit,
    ].compactMapValues(\.self)
  }
}

/// What becomes of a conversation besides being had.
struct RecordOptions: ParsableArguments {
  @Option(
    name: .long,
    help:
      "Record a new conversation in this file, to be played again by `rapport test`. Keys, e-mail addresses and phone numbers stay out of it.",
    completion: .file(extensions: ["json"]))
  var record: String?

  @Option(
    name: .long,
    help: "A name that stays out of the recording as well, as a whole word; may be given again.")
  var redact: [String] = []

  @Flag(name: .long, help: "Replace the recording's file where there is one already.")
  var overwrite = false

  func validate() throws {
    if record == nil, !redact.isEmpty || overwrite {
      throw ValidationError(
        "\(overwrite ? "--overwrite" : "--redact") is about a recording; --record FILE makes one.")
    }
    if let name = redact.first(where: { name in !name.contains { $0.isLetter } }) {
      throw ValidationError(
        "--redact takes a name, such as Marta; \"\(name)\" has no letter in it.")
    }
  }

  /// Nil where nothing is to be recorded.
  func plan() throws -> RecordingPlan? {
    try record.map { try RecordingPlan(path: $0, names: redact, overwrites: overwrite) }
  }
}
