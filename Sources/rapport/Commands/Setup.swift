import ArgumentParser
import Commands
import FoundationEssentials
import HTTPStreaming
import LanguageModels
import Settings
import Startup
import Terminal

/// `rapport setup`: stores the address and key of a model after a real request has proved them.
struct Setup: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup",
    abstract: "Check a model's key with a real request, then store it.",
    usage: "rapport setup [<options>]",
    discussion: """
      The key stays hidden while you type and is stored in a file that only you can read.

      Examples:
        rapport setup
        rapport setup --show
        rapport setup --remove
        rapport setup --provider openai --key-stdin < key.txt
        echo | rapport setup --provider compatible --key-stdin \\
          --base-url http://localhost:11434/v1
      """)

  @Flag(help: "Print what is stored, with the key masked.")
  var show = false

  @Flag(help: "Remove what is stored.")
  var remove = false

  @Flag(help: "Read the key from standard input instead of asking (needs --provider).")
  var keyStdin = false

  @OptionGroup(title: "Model") var modelOptions: ModelOptions

  func validate() throws {
    if keyStdin, show || remove {
      throw ValidationError("--key-stdin stores a key; leave out --show and --remove.")
    }
    if keyStdin, modelOptions.provider == nil {
      throw ValidationError("--key-stdin needs --provider: openai, anthropic or compatible.")
    }
    if !keyStdin, let option = modelOptions.given.first {
      throw ValidationError("\(option) needs --key-stdin; without it, setup asks.")
    }
    if show && remove {
      throw ValidationError("--show prints what is stored; --remove removes it. Use one of them.")
    }
  }

  func run(on terminal: TTY) async throws {
    let context = try CommandContext()
    let file = try context.credentialsFile()
    if show { return print(try file.load(), terminal) }
    if remove {
      let words =
        try file.remove() ? "Removed the stored key.\n" : "No key was stored.\n"
      return terminal.writeAside(words, as: .notice)
    }
    if keyStdin {
      return try await UnattendedSetup(options: modelOptions, terminal: terminal).run()
    }
    guard terminal.isInteractive else {
      throw CommandFailure(.notConfigured, SetupTexts.noTerminal)
    }
    _ = try await SetupDialogue(
      terminal: terminal, setup: try ModelSetup(context, terminal, keyIsTyped: true)
    ).run()
    terminal.writeAside("Start the conversation with `rapport chat`.\n", as: .notice)
  }

  private func print(_ credentials: Credentials?, _ terminal: any Terminal) {
    guard let credentials else {
      return terminal.writeAside("No key is stored.\n", as: .dim)
    }
    let key = credentials.key.revealed.isEmpty ? "(none)" : "\(credentials.key)"
    terminal.write("provider  \(credentials.provider.rawValue)\n")
    let mask = SecretMask([credentials.key])
    terminal.write("base URL  \(mask.mask(HTTPURL.shown(credentials.baseURL)))\n")
    terminal.write("key       \(key)\n")
    for (role, model) in credentials.models.sorted(by: { $0.key < $1.key }) {
      terminal.write(role.padded(to: 10, gap: 1) + mask.mask(model) + "\n")
    }
  }
}

extension CommandContext {
  fileprivate func credentialsFile() throws -> CredentialsFile {
    if let file = files.credentialsFile { return file }
    throw CommandFailure(.notConfigured, "I don't know where to store a key: HOME is not set.")
  }
}

/// The dialog that sets up a model.
struct SetupDialogue {
  let terminal: any Terminal
  let setup: ModelSetup
  /// Whether to offer a rehearsal to someone without a model.
  var offersRehearsal = false

  /// Asks until a model can be reached; nil if the person would rather rehearse without one.
  ///
  /// The address of a server is tried before anybody is asked for a key, which it may not need.
  ///
  /// - Throws: An exit code when the person leaves: 130, or 69 if the server was the problem.
  func run() async throws -> Credentials? {
    guard let provider = try await askProvider() else { return nil }
    var credentials = Credentials(
      provider: provider, baseURL: try await askBaseURL(provider), key: Secret(""))
    var needsKey = provider != .compatible
    while true {
      if needsKey { try await askKey(&credentials) }
      needsKey = false
      terminal.showStatus("checking with \(Self.place(credentials)) …")
      let outcome = try await check(&credentials)
      terminal.clearStatus()
      switch outcome {
      case .good(let found):
        credentials.models = try await chooseModels(found, credentials.models)
        try save(credentials)
        return credentials
      case .wrongKey(let words):
        let isTyped = credentials.provider != .compatible || !credentials.key.revealed.isEmpty
        if isTyped { terminal.writeNote("\n" + words, as: .error) }
        needsKey = true
      case .serverFailed(let words):
        terminal.writeNote("\n" + words, as: .error)
        credentials.baseURL = try await askAgain(credentials)
      }
    }
  }

  enum Outcome {
    case good([String])
    case wrongKey(String)
    case serverFailed(String)
  }

  /// Keeps what was typed so far; only the address can have been wrong.
  private func askAgain(_ credentials: Credentials) async throws -> String {
    do {
      guard credentials.provider == .compatible else {
        _ = try await line("Press Enter to try again, or Ctrl-C to leave. ")
        return credentials.baseURL
      }
      return try await askBaseURL(.compatible, prefill: credentials.baseURL)
    } catch {
      terminal.writeAside("Nothing was stored. Run `rapport setup` to start over.\n", as: .notice)
      throw ExitStatus.modelUnreachable.exit
    }
  }

  private static func place(_ credentials: Credentials) -> String {
    SetupTexts.place(credentials.provider, credentials.baseURL)
  }

  func save(_ credentials: Credentials) throws {
    let file = try setup.context.credentialsFile()
    for line in missing(credentials) { terminal.writeNote(line, as: .notice) }
    try file.save(credentials)
    setup.remember()
    terminal.writeNote(
      "That works. \(SetupTexts.chosen(credentials.models)) "
        + "Stored in \(file.path), readable only by you.",
      as: .notice)
  }

  /// What the models cannot do, and what is done about it.
  private func missing(_ credentials: Credentials) -> [String] {
    let connection = Connection(credentials)
    return Set(credentials.models.values).sorted().flatMap { model in
      SetupTexts.missing(
        setup.runtime.memory[setup.endpoint(connection, model: model)], model: model)
    }
  }

  func check(_ credentials: inout Credentials) async throws -> Outcome {
    let outcome = try await checkAsTyped(&credentials)
    if let address = setup.runtime.memory.address(insteadOf: credentials.baseURL) {
      setup.runtime.memory.moved(from: credentials.baseURL, to: address)
      credentials.baseURL = address
    }
    return outcome
  }

  private func checkAsTyped(_ credentials: inout Credentials) async throws -> Outcome {
    let place = Self.place(credentials)
    let endpoint = setup.endpoint(Connection(credentials), model: "")
    switch await KeyCheck(endpoint, runtime: setup.runtime).outcome() {
    case .ok(let models):
      credentials.models = Dictionary(
        uniqueKeysWithValues: DefaultModels.choose(from: models).map { ($0.key.rawValue, $0.value) }
      )
      return .good(models)
    case .wrongKey(let error): return .wrongKey(SetupTexts.words(for: error, at: place))
    case .noNetwork(let error), .noCredit(let error), .other(let error):
      return .serverFailed(SetupTexts.words(for: error, at: place))
    case .noModels: return .serverFailed(ModelSetup.noModels(place))
    }
  }

  /// Nil for a rehearsal.
  private func askProvider() async throws -> Provider? {
    var isNew = false
    if case .noKey = setup.context.settings.connection() { isNew = true }
    terminal.writeNote(
      SetupTexts.welcome(isNew: isNew, offersRehearsal: offersRehearsal), as: .coach)
    let choices = offersRehearsal ? "1, 2, 3 or 4" : "1, 2 or 3"
    while true {
      switch try await line("\(choices): ").lowercased() {
      case "1", "openai": return .openAI
      case "2", "anthropic": return .anthropic
      case "3", "other", "compatible": return .compatible
      case "4", "none", "offline", "rehearsal", "rehearse":
        if offersRehearsal { return nil }
      default: break
      }
      terminal.writeAside("Please type \(choices).\n", as: .notice)
    }
  }

  private func askBaseURL(_ provider: Provider, prefill: String = "") async throws -> String {
    if let url = provider.defaultBaseURL { return url }
    if prefill.isEmpty {
      terminal.writeAside(
        "What's its address? Press Enter for \(NoModel.localServer)\n", as: .coach)
    }
    var offered = prefill
    while true {
      let typed = try await line("Address: ", prefill: offered)
      let address = typed.isEmpty ? NoModel.localServer : typed
      do throws(HTTPURLError) {
        _ = try HTTPURL(validating: address)
        return address
      } catch {
        // Without a scheme, only a server on this machine is meant to have http.
        let local = "http://" + address
        if error.reason == .noScheme, (try? HTTPURL(validating: local)) != nil { return local }
        terminal.writeNote("I can't use that address: \(error).", as: .error)
        offered = address
      }
    }
  }

  /// An address that is typed here is taken for one, so that nothing hides it from then on.
  private func askKey(_ credentials: inout Credentials) async throws {
    terminal.writeNote(SetupTexts.keyPrompt(credentials.provider), as: .coach)
    while true {
      switch await terminal.readHidden(prompt: "Key: ") {
      case .value(let key):
        if let address = SetupTexts.address(typedAsKey: key) {
          terminal.writeNote("That's an address, so I'll try it as a server's.", as: .notice)
          credentials = Credentials(provider: .compatible, baseURL: address, key: Secret(""))
          return
        }
        guard
          let problem = key.isEmpty
            ? "I didn't get a key" : SettingsLayers.problem(withKey: key).map({ "Your key \($0)" })
        else {
          credentials.key = Secret(key)
          return
        }
        terminal.writeNote(problem + ". Paste it again.", as: .error)
      case .interrupted, .endOfInput: throw ExitStatus.interrupted.exit
      case .tooLong(let limit):
        terminal.writeAside(
          "That's longer than \(limit) characters, so it can't be a key.\n", as: .error)
      }
    }
  }

  func line(_ prompt: String, prefill: String = "") async throws -> String {
    guard case .line(let line) = await terminal.readLine(prompt: prompt, prefill: prefill) else {
      throw ExitStatus.interrupted.exit
    }
    return line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
