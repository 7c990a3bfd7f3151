import ArgumentParser
import FoundationEssentials
import HTTPStreaming
import LanguageModels
import Settings
import Terminal

/// `rapport setup`: where the model is and with which key, checked by a real request.
struct Setup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup",
    abstract: "Store a key for the model, after checking it with a real request.",
    discussion: """
      The key is typed unseen and stored in a file that only you can read.

      Examples:
        rapport setup
        rapport setup --show
        rapport setup --remove
      """)

  @Flag(name: .long, help: "Print what is stored, the key masked.")
  var show = false

  @Flag(name: .long, help: "Remove what is stored.")
  var remove = false

  func validate() throws {
    if show && remove {
      throw ValidationError("--show prints what is stored; --remove removes it. Which one?")
    }
  }

  func run() async throws {
    let terminal = TTY(program: "rapport", environment: ProcessInfo.processInfo.environment)
    defer { terminal.restoreModes() }
    try await reporting(terminal) {
      let context = try CommandContext()
      guard let file = context.files.credentialsFile else {
        throw CommandFailure(.notConfigured, "I don't know where to keep a key: HOME is not set.")
      }
      if show { return print(try file.load(), terminal) }
      if remove {
        let words =
          try file.remove() ? "The stored key is removed.\n" : "There was no stored key.\n"
        return terminal.writeAside(words, as: .notice)
      }
      guard terminal.isInteractive else { throw CommandFailure(.notConfigured, SetupTexts.noKey) }
      _ = try await SetupDialogue(
        terminal: terminal, setup: try ModelSetup(context, keyIsTyped: true)
      ).run()
      terminal.writeAside("`rapport chat` starts the conversation.\n", as: .notice)
    }
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
      terminal.write(
        role + String(repeating: " ", count: max(1, 10 - role.count)) + mask.mask(model) + "\n")
    }
  }
}

/// The conversation that sets a key.
struct SetupDialogue {
  let terminal: any Terminal
  let setup: ModelSetup
  /// Whether somebody without a model can rehearse instead.
  var offersRehearsal = false

  /// Asks until a key works; nil where the person would rather rehearse without one.
  ///
  /// - Throws: An exit code when the person leaves: 130, or 69 where the server was what failed.
  func run() async throws -> Credentials? {
    guard let provider = try await askProvider() else { return nil }
    var credentials = Credentials(
      provider: provider, baseURL: try await askBaseURL(provider), key: Secret(""))
    credentials.key = Secret(try await askKey(provider))
    while true {
      terminal.showStatus("asking \(Self.place(credentials)) …")
      let outcome = try await check(&credentials)
      terminal.clearStatus()
      switch outcome {
      case .good(let found):
        try save(credentials, found)
        return credentials
      case .wrongKey(let words):
        terminal.writeNote("\n" + words, as: .error)
        credentials.key = Secret(try await askKey(provider))
      case .serverFailed(let words):
        terminal.writeNote("\n" + words, as: .error)
        credentials.baseURL = try await askAgain(credentials)
      }
    }
  }

  private enum Outcome {
    case good([String])
    case wrongKey(String)
    case serverFailed(String)
  }

  /// Nothing typed so far is asked for again; only an address can have been the mistake.
  private func askAgain(_ credentials: Credentials) async throws -> String {
    do {
      guard credentials.provider == .compatible else {
        _ = try await line("Enter tries again, Ctrl-C leaves. ")
        return credentials.baseURL
      }
      return try await askBaseURL(.compatible, prefill: credentials.baseURL)
    } catch {
      terminal.writeAside("Nothing is stored. `rapport setup` begins again.\n", as: .notice)
      throw ExitStatus.modelUnreachable.exit
    }
  }

  /// What a person knows the server by.
  private static func place(_ credentials: Credentials) -> String {
    credentials.provider == .compatible
      ? credentials.baseURL : ModelSetup.host(credentials.baseURL)
  }

  private func save(_ credentials: Credentials, _ found: [String]) throws {
    guard let file = setup.context.files.credentialsFile else {
      throw CommandFailure(.notConfigured, "I don't know where to keep a key: HOME is not set.")
    }
    try file.save(credentials)
    terminal.writeNote(
      "That works. \(SetupTexts.offered(found)) \(SetupTexts.chosen(credentials.models)) "
        + "Stored in \(file.path), readable by you alone.",
      as: .notice)
  }

  private func check(_ credentials: inout Credentials) async throws -> Outcome {
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
    case .noModels: return .serverFailed(SetupTexts.noModels(place))
    }
  }

  /// Nil for the rehearsal.
  private func askProvider() async throws -> Provider? {
    terminal.writeNote(SetupTexts.welcome(offersRehearsal), as: .coach)
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
        "Where is it? Enter alone means \(SetupTexts.defaultServer)\n", as: .coach)
    }
    while true {
      let typed = try await line("Address: ", prefill: prefill)
      let address = typed.isEmpty ? SetupTexts.defaultServer : typed
      do {
        _ = try HTTPURL(validating: address)
        return address
      } catch {
        terminal.writeNote("I can't use that address: \(error)", as: .error)
      }
    }
  }

  private func askKey(_ provider: Provider) async throws -> String {
    terminal.writeNote(SetupTexts.keyPrompt(provider), as: .coach)
    while true {
      switch await terminal.readHidden(prompt: "Key: ") {
      case .value(let key):
        let isOptional = provider == .compatible
        if key.isEmpty && isOptional { return "" }
        guard
          let problem = key.isEmpty ? "I didn't get a key" : SettingsLayers.problem(withKey: key)
        else { return key }
        terminal.writeNote(problem + ". Once more, please (Ctrl-C leaves).", as: .error)
      case .interrupted, .endOfInput: throw ExitStatus.interrupted.exit
      case .tooLong(let limit):
        terminal.writeAside("That's longer than \(limit) characters; no key is.\n", as: .error)
      }
    }
  }

  private func line(_ prompt: String, prefill: String = "") async throws -> String {
    guard case .line(let line) = await terminal.readLine(prompt: prompt, prefill: prefill) else {
      throw ExitStatus.interrupted.exit
    }
    return line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
