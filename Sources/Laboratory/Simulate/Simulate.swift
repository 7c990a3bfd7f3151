public import ArgumentParser
import Commands
import FoundationEssentials
import Settings
import Simulation
import Startup
import Terminal

/// `rapport simulate`: plays made-up people against the coach, and measures what it finds out.
struct Simulate: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Play made-up people against the coach and measure what it finds out.",
    discussion: """
      Each person has facts that the coach doesn't know, and tells them in their own way. The coach \
      is the real engine: rehearsing, or with --model the model. With several policies, prompt \
      packs or models, each is compared with the first. With --beside, the same people also talk to a \
      coach that is a single prompt, on the same model, and both columns are read by their words.

      Examples:
        rapport simulate --runs 5
        rapport simulate --policy shortfall --policy random --policy weight
        rapport simulate --persona Odalys --runs 1 --verbose
        rapport simulate --use measuring --prompts fitness --prompts my-pack
        rapport simulate --format html -o simulation.html
        rapport simulate --month Tomasz
        rapport simulate --beside prompt.txt --model gpt-5 --persona-model gpt-5
      """)

  @Option(
    help: ArgumentHelp(
      "A folder of personas, or one file (default: the forty that are built in).",
      valueName: "file"),
    completion: .file()
  )
  var personas: String?

  @Option(
    help: ArgumentHelp("Only people whose name contains this (repeatable).", valueName: "text"))
  var persona: [String] = []

  @Option(
    help: "Only people for tuning, or only those for measuring (default: all).",
    completion: .list(Persona.Use.allCases.map(\.rawValue)))
  var use: Persona.Use?

  @Option(
    help: ArgumentHelp(
      "Print a month of one person instead: the first conversation, then visits with dates.",
      valueName: "name"))
  var month: String?

  @Option(help: ArgumentHelp("Conversations with each person.", valueName: "n"))
  var runs = 5

  @Option(help: ArgumentHelp("The first run's seed; the next ones follow.", valueName: "n"))
  var seed = 1

  @Option(
    help: ArgumentHelp(
      "How the next topic is chosen (repeatable): shortfall, lowest, or, to compare with, random, form (one topic after the other) or weight (the heaviest first).",
      valueName: "policy"),
    completion: .list(SimulatedPolicy.allCases.map(\.rawValue)))
  var policy: [SimulatedPolicy] = []

  @Option(
    help: ArgumentHelp(
      "A prompt pack, or several to compare (repeatable): a folder, or the name of a built-in one.",
      valueName: "pack"),
    completion: .packs)
  var prompts: [String] = []

  @Option(
    help: ArgumentHelp(
      "Compare with a coach that is only the prompt in this file. Needs --model, which is behind both coaches, and --persona-model.",
      valueName: "file"),
    completion: .file())
  var beside: String?

  @Flag(help: "Print one JSON object per conversation, and one for the figures.")
  var json = false

  @Option(help: "table, or html (one shareable page).")
  var format: SimulationFormat = .table

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write the page to this file (default: standard output).", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var output: String?

  @Flag(name: .shortAndLong, help: "Print each conversation, word for word.")
  var verbose = false

  @Option(
    name: [.customShort("j", allowingJoined: true), .long],
    help: ArgumentHelp(
      "Conversations at the same time (default: all cores; with a model, 4).", valueName: "n"))
  var jobs: Int?

  @Flag(help: "Disable color.")
  var noColor = false

  @OptionGroup(title: "Model") var models: SimulatedModelOptions

  func validate() throws {
    if !(1...1_000).contains(runs) {
      throw ValidationError("--runs must be between 1 and 1000.")
    }
    if let jobs, !(1...1_024).contains(jobs) {
      throw ValidationError("--jobs must be between 1 and 1024.")
    }
    if json, format == .html || verbose {
      throw ValidationError("--json already prints everything; leave out --format and --verbose.")
    }
    if output != nil, format != .html { throw ValidationError("-o needs --format html.") }
    if verbose, format == .html {
      throw ValidationError("The page has the conversations; leave out --verbose.")
    }
    if beside != nil { try validateBeside() }
    if month != nil,
      json || verbose || format == .html || policy.count > 1 || prompts.count > 1
        || models.model.count > 1
    {
      throw ValidationError(
        "--month prints one transcript: leave out --json, --format and --verbose, and give one"
          + " policy, pack and model.")
    }
    let compared = [policy.count > 1, prompts.count > 1, models.model.count > 1].count(
      where: \.self)
    if compared > 1 {
      throw ValidationError(
        "Change one thing at a time: several policies, several packs, or several models.")
    }
  }

  private func validateBeside() throws {
    if models.model.isEmpty {
      throw ValidationError("--beside needs --model: the model behind both coaches.")
    }
    if models.personaModel == nil {
      throw ValidationError(
        "--beside needs --persona-model: the model that plays the people and reads what each coach"
          + " asks them. It can be the same as --model.")
    }
    if policy.count > 1 || prompts.count > 1 || models.model.count > 1 || month != nil {
      throw ValidationError(
        "--beside compares one prompt with one coach: give one policy, pack and model, and no"
          + " --month.")
    }
  }

  func run(on terminal: TTY) async throws {
    try await SimulatePass(options: self, terminal: terminal).run()
  }
}

enum SimulationFormat: String, ExpressibleByArgument, CaseIterable { case table, html }

extension Persona.Use: ExpressibleByArgument {}
extension SimulatedPolicy: ExpressibleByArgument {}

/// The models that coach, if any.
struct SimulatedModelOptions: ParsableArguments {
  @Option(help: "The model that coaches, or several to compare (repeatable; default: no model).")
  var model: [String] = []

  @Option(
    help: ArgumentHelp(
      "A model that puts what people say in other words, and with --beside reads what the coaches ask (default: none).",
      valueName: "model"))
  var personaModel: String?

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

  @Option(
    help: ArgumentHelp("A PEM file of certificate authorities to trust.", valueName: "file"),
    completion: .file(extensions: ["pem", "crt", "cer"]))
  var caFile: String?

  func flags(model: String) -> [Setting: String] {
    [
      .provider: provider, .baseURL: baseURL, .model: model, .modelFast: model,
      .modelCoach: model, .modelDeep: model, .certificates: caFile,
    ].compactMapValues(\.self)
  }
}
