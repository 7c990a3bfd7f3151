import Foundation
import Intake
import LanguageModels
import Logging
import Rehearsal
import SessionStore
import Synchronization

@testable import RapportServer

/// A temporary folder that holds one store.
final class TestFolder: Sendable {
  let path: String

  init() throws {
    var template = Array(
      (FileManager.default.temporaryDirectory.path + "/rapport-server-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var store: String { path + "/rapport.db" }
}

/// The server in this process, on a free port.
final class TestServer: Sendable {
  static let pack = Result { try PromptPack.embedded() }

  let client: Client
  let store: SessionStore
  let accounts: AccountDesk?
  private let task: Task<Void, any Error>
  private let folder: TestFolder

  /// - Parameter models: Nil rehearses.
  init(
    _ folder: TestFolder, pack: PromptPack? = nil, models: ModelRoles? = nil,
    options: ServerOptions = .forTests,
    purchases: Purchases = .stub, project: TestProject? = nil, logger: Logger = .silent,
    now: @escaping @Sendable () -> Date = { Date() }
  ) async throws {
    self.folder = folder
    store = try SessionStore(path: folder.store)
    var settings = IntakeSettings()
    settings.timeLimit = .seconds(86_400)
    accounts = try project?.accounts(store, logger, now)
    let desk = CoachDesk(
      store: store, pack: try pack ?? Self.pack.get(), settings: settings, models: models,
      isRehearsing: models == nil, purchases: purchases,
      accounts: accounts, now: now)
    let server = try RapportServer(options, desk: desk, logger: logger)
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    task = Task {
      defer { port.finish() }
      try await server.run(until: []) { address in
        if let number = address.split(separator: ":").last.flatMap({ Int($0) }) {
          port.yield(number)
        }
      }
    }
    guard let number = await ports.first(where: { _ in true }) else {
      try await task.value
      throw CancellationError()
    }
    client = Client(port: number)
  }

  deinit { task.cancel() }

  func stop() async {
    task.cancel()
    _ = await task.result
  }

  /// What the store holds of a conversation, as a client should show it.
  func stored(_ conversation: String) throws -> [ClientView.Message] {
    try store.events(of: SessionID(rawValue: conversation)).compactMap { StoredMessage($0) }.map {
      .init(role: $0.isFromCoach ? "coach" : "user", text: $0.text)
    }
  }
}

extension Logger {
  static let silent = {
    var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    logger.logLevel = .error
    return logger
  }()
}

/// Keeps the warnings that are logged.
final class WarningLog: Sendable {
  private let kept = Mutex<[LogEvent]>([])

  var lines: [LogEvent] { kept.withLock(\.self) }

  var logger: Logger {
    var logger = Logger(label: "test") { _ in Handler(log: self) }
    logger.logLevel = .warning
    return logger
  }

  private struct Handler: LogHandler {
    let log: WarningLog
    var logLevel = Logger.Level.warning
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { log.kept.withLock { $0.append(event) } }
  }
}

extension ServerOptions {
  /// On a busy machine, a head may take long.
  static let forTests = {
    var options = ServerOptions(port: 0, grace: .seconds(5))
    (options.headerTime, options.bodyTime) = (.seconds(600), .seconds(600))
    return options
  }()
}
