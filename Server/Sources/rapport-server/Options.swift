import ArgumentParser
import Settings
import Startup

/// How the model is reached. There is no option for a key: arguments show in process lists.
struct ModelOptions: ParsableArguments {
  @Option(
    name: .long,
    help: "openai, anthropic or compatible (any server with OpenAI's chat completions API).")
  var provider: String?

  @Option(name: .long, help: "The server's base URL, such as http://localhost:11434/v1.")
  var baseURL: String?

  @Option(name: .long, help: "The model to use for all three roles.")
  var model: String?

  @Option(name: .long, help: "The model that reads and scores answers.")
  var modelFast: String?

  @Option(name: .long, help: "The model that writes the replies.")
  var modelCoach: String?

  @Option(name: .long, help: "The model that writes the summary and coaches.")
  var modelDeep: String?

  @Option(name: .long, help: "A PEM file of certificate authorities to trust.")
  var caFile: String?

  var flags: [Setting: String] {
    [
      .provider: provider, .baseURL: baseURL, .model: model, .modelFast: modelFast,
      .modelCoach: modelCoach, .modelDeep: modelDeep, .certificates: caFile,
    ].compactMapValues(\.self)
  }
}

/// Limits of a discovery, and the prompts to use.
struct DiscoveryOptions: ParsableArguments {
  @Option(
    name: .long,
    help: "A prompt pack: a folder, or the name of a built-in one (default: fitness).")
  var prompts: String?

  @Option(name: .long, help: "The coach is ready above this overall score, 0 to 1.")
  var threshold: String?

  @Option(name: .long, help: "User turns before the coach offers to wrap up.")
  var maxTurns: String?

  @Option(name: .long, help: "Seconds before the coach offers to wrap up.")
  var timeLimit: String?

  var flags: [Setting: String] {
    [
      .prompts: prompts, .threshold: threshold, .maxTurns: maxTurns, .timeLimit: timeLimit,
    ].compactMapValues(\.self)
  }
}
