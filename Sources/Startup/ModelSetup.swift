package import Cassettes
package import HTTPStreaming
public import Intake
package import LanguageModels
package import Settings

/// Turns settings into models: a connection, and a model for each role.
public struct ModelSetup: Sendable {
  package let context: CommandContext
  package let runtime: ModelRuntime
  package let client: HTTPClient
  /// Records what goes over the wire, if set.
  package let recorder: CassetteRecorder?
  private let remembered: CapabilityFile?

  /// For many people at once.
  ///
  /// - Parameters:
  ///   - connections: The most requests at once; more wait.
  ///   - networkThreads: The threads that share the requests.
  ///   - say: Tells the person who started the program, such as of an address that was completed.
  /// - Throws: `SettingError` or ``CommandFailure`` if a setting cannot be used.
  public init(
    _ context: CommandContext, connections: Int, networkThreads: Int,
    say: @escaping @Sendable (String) -> Void
  ) throws {
    // Words come a few at a time, and there's a buffer for each of the requests.
    try self.init(
      context, keyIsTyped: false, connections: connections, networkThreads: networkThreads,
      receiveBuffer: 2 << 10, say: say)
  }

  /// - Parameter keyIsTyped: The key will be typed, so every source of settings outranks it.
  package init(
    _ context: CommandContext, keyIsTyped: Bool = false, records: Bool = false,
    retries: RetryPolicy = RetryPolicy(), connections: Int = 128,
    networkThreads: Int = 1, receiveBuffer: Int = 8 << 10,
    say: @escaping @Sendable (String) -> Void
  ) throws {
    self.context = context
    let idle = try context.idleTimeout()
    let connection = keyIsTyped ? nil : context.settings.connection().ready
    client = HTTPClient(
      configuration: .init(
        certificateFile: try context.certificateFile(at: connection),
        maximumConnectionsPerHost: connections, keptConnections: connections,
        threads: networkThreads, receiveBuffer: receiveBuffer))
    recorder = records ? CassetteRecorder(client) : nil
    remembered = context.capabilitiesPath.map { CapabilityFile(path: $0) }
    runtime = ModelRuntime(
      transport: recorder ?? client,
      limits: ModelLimits(firstByte: .seconds(idle), idle: .seconds(idle)), retries: retries,
      memory: CapabilityMemory(remembered?.load() ?? .init()) { address in
        say(
          "The model's API is at \(HTTPURL.shown(address)), so I use that address. `rapport setup` stores it."
        )
      })
  }

  /// Where a single conversation can run without a change of threads for each piece of an answer.
  package var networkThread: any TaskExecutor { client.networkThread }

  /// Starts the network's threads now, with the calling thread's priority.
  public func startThreads() { client.startThreads() }

  /// Saves the learned model limits for the next run.
  public func remember() {
    let learnt = runtime.memory.snapshot
    guard let remembered, learnt != remembered.load() else { return }
    remembered.save(learnt)
  }

  /// The models for the connection in the settings; nil if none is set up.
  ///
  /// - Throws: ``CommandFailure`` if the connection's settings cannot be used, or the server offers no
  ///   chat model; `ModelError` if it cannot be reached to choose one.
  public func roles() async throws -> ModelRoles? {
    switch context.settings.connection() {
    case .ready(let connection): try await roles(of: connection)
    case .refused(let refusal): throw CommandFailure(.notConfigured, refusal.description)
    case .noKey: nil
    }
  }

  package func roles(
    of connection: Connection, chosen: Credentials? = nil
  ) async throws -> ModelRoles {
    let names = try await modelNames(connection, chosen)
    for name in Set(names.values) {
      await RoomProbe(endpoint(connection, model: name), runtime: runtime).learn()
    }
    func model(_ role: ModelRole) -> any LanguageModel {
      HTTPModel(endpoint(connection, model: names[role] ?? ""), runtime: runtime)
    }
    return ModelRoles(fast: model(.fast), coach: model(.coach), deep: model(.deep))
  }

  /// The model from the settings, else the one setup chose for this address, else a choice from
  /// the account's own list.
  private func modelNames(
    _ connection: Connection, _ chosen: Credentials?
  ) async throws -> [ModelRole: String] {
    let settings: [ModelRole: Setting] = [
      .fast: .modelFast, .coach: .modelCoach, .deep: .modelDeep,
    ]
    var names = settings.compactMapValues {
      context.settings.model($0, at: connection)?.value
    }
    if let chosen {
      for role in ModelRole.allCases where names[role] == nil {
        names[role] = chosen.models[role.rawValue]
      }
    }
    guard names.count < ModelRole.allCases.count else { return names }
    return names.merging(try await chooseModels(connection)) { set, _ in set }
  }

  /// Lists the provider's models and chooses one for each role.
  package func chooseModels(_ connection: Connection) async throws -> [ModelRole: String] {
    let catalog = ModelCatalog(endpoint(connection, model: ""), runtime: runtime)
    let chosen = DefaultModels.choose(from: try await catalog.models())
    guard chosen.count == ModelRole.allCases.count else {
      throw CommandFailure(.modelUnreachable, Self.noModels(Self.host(connection.baseURL)))
    }
    return chosen
  }

  package func endpoint(_ connection: Connection, model: String) -> ModelEndpoint {
    ModelEndpoint(
      provider: connection.provider.name, format: connection.provider.format,
      baseURL: connection.baseURL, apiKey: connection.key, model: model)
  }

  package static func noModels(_ host: String) -> String {
    "\(host) accepts the key but has no chat model. For Ollama: `ollama pull llama3.1`."
  }

  package static func host(_ baseURL: String) -> String {
    (try? HTTPURL(validating: baseURL))?.host ?? baseURL
  }
}

extension RetryPolicy {
  /// Waits far longer than a person in a chat would.
  package static let patient = RetryPolicy(
    busyAttempts: 20, longestBackoff: .seconds(30), longestWait: .seconds(600))
}

extension Connection {
  package init(_ credentials: Credentials) {
    self.init(
      provider: credentials.provider, baseURL: credentials.baseURL,
      key: credentials.key.revealed.isEmpty ? nil : credentials.key, providerSource: .flag,
      baseURLSource: .flag, keySource: nil)
  }
}
