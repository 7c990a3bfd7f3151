public import ArgumentParser
public import Settings

/// How the model is reached. There is no option for a key: arguments show in process lists.
public struct ModelOptions: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp(
      "openai, anthropic or compatible (any server with OpenAI's chat completions API).",
      valueName: "name"),
    completion: .providers)
  package var provider: String?

  @Option(
    help: ArgumentHelp(
      "The server's base URL, such as http://localhost:11434/v1.", valueName: "url"))
  package var baseURL: String?

  @Option(help: "The model to use for all three roles.")
  package var model: String?

  @Option(help: ArgumentHelp("The model that reads and scores answers.", valueName: "model"))
  package var modelFast: String?

  @Option(help: ArgumentHelp("The model that writes the replies.", valueName: "model"))
  package var modelCoach: String?

  @Option(help: ArgumentHelp("The model that writes the summary and coaches.", valueName: "model"))
  package var modelDeep: String?

  @Option(
    help: ArgumentHelp("A PEM file of certificate authorities to trust.", valueName: "file"),
    completion: .file(extensions: ["pem", "crt", "cer"]))
  package var caFile: String?

  public init() {}

  public var flags: [Setting: String] {
    [
      .provider: provider, .baseURL: baseURL, .model: model, .modelFast: modelFast,
      .modelCoach: modelCoach, .modelDeep: modelDeep, .certificates: caFile,
    ].compactMapValues(\.self)
  }

  /// The options that were given, as typed.
  package var given: [String] { Setting.allCases.filter { flags[$0] != nil }.map(\.flag) }

  /// - Throws: `ValidationError` if a rehearsal was given a model.
  package func checkRehearsal() throws {
    guard let option = given.first else { return }
    throw ValidationError(
      "--offline rehearses without a model, but \(option) sets one up. Use one of them.")
  }
}
