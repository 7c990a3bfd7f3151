import ArgumentParser
import BatchScoring
import ContextQuality
import FoundationEssentials
import Glibc
import HTTPStreaming
import HealthRecords
import Intake
import LanguageModels
import Rehearsal
import SessionStore
import Settings
import Terminal

/// What a command needs from its environment, resolved once at startup.
struct CommandContext {
  let environment: [String: String]
  let files: SettingsFiles
  let settings: SettingsLayers

  /// - Parameter readsCredentials: False if the command needs no key; none is read then.
  init(flags: [Setting: String] = [:], readsCredentials: Bool = true) throws {
    environment = ProcessInfo.processInfo.environment
    files = SettingsFiles(environment: environment)
    do {
      settings = try files.load(flags: flags, readsCredentials: readsCredentials)
    } catch {
      throw CommandFailure(.notConfigured, "\(error)")
    }
  }

  func warn(_ terminal: any Terminal) {
    for warning in settings.warnings { terminal.writeNote(warning, as: .notice) }
  }

  /// Defaults that are only known at run time.
  var defaults: [Setting: String] {
    var defaults: [Setting: String] = [.prompts: PromptPack.embeddedName]
    defaults[.store] = try? StoreLocation.path(environment: environment)
    for role: Setting in [.modelFast, .modelCoach, .modelDeep] {
      defaults[role] = "(chosen from the server's models)"
    }
    return defaults
  }

  /// Next to the default store; nil if there is no home folder.
  var capabilitiesPath: String? {
    guard let store = try? StoreLocation.path(environment: environment) else { return nil }
    return store.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/") + "/models.json"
  }

  /// Opens the store, creating it if missing.
  func openStore(_ options: StoreOptions) throws -> SessionStore {
    try SessionStore(path: tightened(try storePath(options.store)))
  }

  /// Opens the store only if it exists; nil if missing.
  func existingStore(_ options: StoreOptions) throws -> SessionStore? {
    try SessionStore.existing(at: tightened(try storePath(options.store)))
  }

  private func tightened(_ path: String) -> String {
    if path == (try? StoreLocation.path(environment: environment)) {
      StoreLocation.tightenFolder(of: path)
    }
    return path
  }

  func storePath(_ option: String?) throws -> String {
    let chosen = option.map { ($0, SettingSource.flag) } ?? settings[.store]
    guard let (value, source) = chosen else {
      return try StoreLocation.path(environment: environment)
    }
    let isFile = !value.isEmpty && value != ":memory:" && !value.hasPrefix("file:")
    guard isFile else {
      throw SettingError(
        setting: Setting.store.rawValue, source: source,
        expected: "a file path", found: value)
    }
    return try settings.path(value, .store, source)
  }

  func promptPack() throws -> PromptPack {
    guard let name = try settings.path(.prompts) else { return try PromptPack.embedded() }
    do throws(PackError) {
      return try PackFolder.pack(name)
    } catch {
      throw CommandFailure(.badData, "\(error)")
    }
  }
}

extension CommandContext {
  /// The pack that a session was begun with, also if another one is set.
  ///
  /// - Throws: `CommandFailure` if it's neither set nor built in.
  func promptPack(of events: [RecordedEvent]) throws -> PromptPack {
    let pack = try promptPack()
    let starts = events.lazy.compactMap { recorded -> SessionStart? in
      if case .started(let start) = recorded.event { start } else { nil }
    }
    guard let begun = starts.first?.pack, begun != pack.name else { return pack }
    guard PromptPack.embeddedNames.contains(begun) else {
      throw CommandFailure(
        .usage,
        "This conversation began with the prompts \u{201C}\(begun)\u{201D}, which aren't built in. Name "
          + "their folder in RAPPORT_PROMPTS.")
    }
    return try PromptPack.embedded(begun)
  }
}

/// Ends a command before it starts work, with a message and an exit code.
struct CommandFailure: Error {
  let status: ExitStatus
  let words: String

  init(_ status: ExitStatus, _ words: String) {
    self.status = status
    self.words = words
  }
}

/// Packs by folder, and the built-in ones by name.
enum PackFolder {
  /// - Parameter name: A folder, or the name of a built-in pack if there's no such folder.
  static func pack(_ name: String) throws(PackError) -> PromptPack {
    let isFolder = FileManager.default.fileExists(atPath: name)
    if !isFolder, PromptPack.embeddedNames.contains(name) { return try PromptPack.embedded(name) }
    let pack = try PromptPack(files: try files(name), folder: name)
    try pack.checkRehearsal()
    return pack
  }

  static func files(_ folder: String) throws(PackError) -> [String: String] {
    guard let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder) else {
      let names = PromptPack.embeddedNames.joined(separator: ", ")
      throw PackError(file: folder, reason: "no such folder; the built-in packs are \(names)")
    }
    var files: [String: String] = [:]
    for path in paths {
      let full = folder + "/" + path
      var isFolder = false
      guard FileManager.default.fileExists(atPath: full, isDirectory: &isFolder), !isFolder else {
        continue
      }
      do throws(RegularFile.Failure) {
        files[path] = String(validating: try RegularFile.bytes(full), as: UTF8.self)
      } catch {
        throw PackError(file: full, reason: error.reason)
      }
      guard files[path] != nil else {
        throw PackError(file: full, reason: "can't be read as UTF-8 text")
      }
    }
    return files
  }
}

/// Runs a command's body. Reports an error on standard error and exits with its code.
///
/// - Parameter asJSON: Also reports on standard output, as the outputs of a failed pass.
func reporting(
  _ terminal: TTY, asJSON: Bool = false, _ body: () async throws -> Void
) async throws {
  do {
    try await body()
    if let reason = terminal.writeFailure {
      // A reader that has seen enough, such as `head`, needs no message.
      if reason == EPIPE { throw ExitStatus.cannotWrite.exit }
      throw CommandFailure(
        .cannotWrite,
        "I couldn't write everything to standard output: \(String(cString: strerror(reason))).")
    }
  } catch let exit as ExitCode {
    throw exit
  } catch {
    let failure = explanation(of: error)
    if asJSON {
      let view = JSONLinesView(terminal: terminal)
      view.note(failure.notice)
      view.show(.done(.notStarted))
    }
    terminal.writeNote(failure.notice.text, as: .error)
    if let detail = failure.notice.detail, failure.status == .ownFault {
      terminal.writeNote(detail, as: .dim)
    }
    throw failure.status.exit
  }
}

/// The message and exit code for every failure the program knows.
func explanation(of error: any Error) -> Conversation.Failure {
  func failure(
    _ code: String, _ text: String, _ status: ExitStatus, _ detail: String? = nil
  ) -> Conversation.Failure {
    Conversation.Failure(
      notice: .init(code: code, level: .error, text: text, detail: detail), status: status)
  }
  switch error {
  case let error as CommandFailure: return failure("refused", error.words, error.status)
  case let error as HealthReadError: return failure("health", "\(error)", .badData)
  case let error as InputError: return failure("input", "\(error)", .badData)
  case let error as SettingError:
    return failure("setting", "\(error)", error.source == .flag ? .usage : .notConfigured)
  case let error as StoreError:
    return failure("store", error.userMessage, error.status, error.description)
  case let error as PackMismatch:
    return failure(
      "pack-mismatch",
      "This conversation started with the prompts \u{201C}\(error.begun)\u{201D}. Add --new to start "
        + "one with \u{201C}\(error.now)\u{201D}, or --prompts \(error.begun) to resume it.",
      .usage)
  case let error as CoachMismatch:
    return failure(
      "coach-mismatch",
      error.begun == nil
        ? "This conversation was started with a model; resume it with `rapport chat`."
        : "This conversation is a rehearsal; resume it with `rapport chat --offline`.",
      .usage)
  case let error as PackError: return failure("prompts", "\(error)", .badData)
  case let error as CredentialsFile.Failure: return failure("credentials", "\(error)", .cannotWrite)
  case let error as ModelError:
    let notice = SessionOutput.Notice(error, hadText: false, saved: false)
    return Conversation.Failure(notice: notice, status: .modelUnreachable)
  default:
    return failure(
      "own-fault",
      "Something went wrong on my side, not yours. Everything you said is saved.",
      .ownFault, "\(error)")
  }
}

extension StoreError {
  fileprivate var status: ExitStatus {
    switch code {
    case .noFolder: .notConfigured
    case .cannotOpen, .cannotWrite, .notWiped, .busy, .inUse, .interleaved, .sessionHeld:
      .cannotWrite
    case .notAStore, .newerVersion, .damaged, .unreadableEvent: .badData
    case .noSuchSession, .ambiguousSession: .usage
    }
  }
}
