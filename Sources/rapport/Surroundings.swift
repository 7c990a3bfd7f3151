import ArgumentParser
import FoundationEssentials
import Glibc
import HTTPStreaming
import Intake
import LanguageModels
import SessionStore
import Settings
import Terminal

/// What a command needs from the world, found once at its start.
struct Surroundings {
  let environment: [String: String]
  let files: SettingsFiles
  let settings: SettingsLayers

  init(flags: [Setting: String] = [:]) throws {
    environment = ProcessInfo.processInfo.environment
    files = SettingsFiles(environment: environment)
    do {
      settings = try files.load(flags: flags)
    } catch {
      throw Refusal(.notConfigured, "\(error)")
    }
  }

  func warn(_ terminal: any Terminal) {
    for warning in settings.warnings { terminal.writeNote(warning, as: .notice) }
  }

  /// What holds where a setting is not set, but is only known here.
  var defaults: [Setting: String] {
    var defaults: [Setting: String] = [.prompts: PromptPack.embeddedName]
    defaults[.store] = try? StoreLocation.path(environment: environment)
    for role: Setting in [.modelFast, .modelCoach, .modelDeep] {
      defaults[role] = "(chosen from what the server has)"
    }
    return defaults
  }

  /// Beside the store's usual place; nil where there is no home.
  var capabilitiesPath: String? {
    guard let store = try? StoreLocation.path(environment: environment) else { return nil }
    return store.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/") + "/models.json"
  }

  func openStore(_ options: StoreOptions) throws -> SessionStore {
    let path =
      try options.store ?? settings[.store]?.value
      ?? StoreLocation.path(environment: environment)
    return try SessionStore(path: path)
  }

  func intakeSettings() throws -> IntakeSettings {
    do throws(SettingError) {
      let policy = settings[.followUp]?.value ?? ""
      guard let followUp = FollowUpPolicy(rawValue: policy) else {
        let names = FollowUpPolicy.allCases.map(\.rawValue).joined(separator: " or ")
        throw settings.error(.followUp, names)
      }
      return IntakeSettings(
        readyAbove: try settings.tenThousandths(.threshold),
        maxTurns: try settings.wholeNumber(.maxTurns, 1...50),
        timeLimit: .seconds(try settings.wholeNumber(.timeLimit, 10...86_400)), followUp: followUp)
    } catch {
      throw Refusal(error.source == .flag ? .usage : .notConfigured, "\(error)")
    }
  }

  func promptPack() throws -> PromptPack {
    guard let folder = settings[.prompts]?.value else { return try PromptPack.embedded() }
    do throws(PromptPackError) {
      return try PromptPack(files: try PackFolder.files(folder), folder: folder)
    } catch {
      throw Refusal(.badData, "\(error)")
    }
  }
}

/// A reason to end before anything was begun: what to say, and the exit code.
struct Refusal: Error {
  let status: ExitStatus
  let words: String

  init(_ status: ExitStatus, _ words: String) {
    self.status = status
    self.words = words
  }
}

/// The files of a pack in a folder.
enum PackFolder {
  static func files(_ folder: String) throws(PromptPackError) -> [String: String] {
    guard let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder) else {
      throw PromptPackError(file: folder, reason: "there is no such folder")
    }
    var files: [String: String] = [:]
    for path in paths {
      let full = folder + "/" + path
      var isFolder = false
      guard FileManager.default.fileExists(atPath: full, isDirectory: &isFolder), !isFolder else {
        continue
      }
      guard let data = FileManager.default.contents(atPath: full),
        let text = String(validating: data, as: UTF8.self)
      else { throw PromptPackError(file: full, reason: "cannot be read as UTF-8 text") }
      files[path] = text
    }
    return files
  }
}

/// Runs a command's body and turns what it throws into words on standard error and an exit code.
///
/// - Parameter asJSON: Says it on standard output too, as the outputs of a pass that failed.
func reporting(
  _ terminal: TTY, asJSON: Bool = false, _ body: () async throws -> Void
) async throws {
  do {
    try await body()
    if let reason = terminal.writeFailure {
      // A reader that has seen enough, such as `head`, needs no words.
      if reason == EPIPE { throw ExitStatus.cannotWrite.exit }
      throw Refusal(
        .cannotWrite,
        "I couldn't write all of it to standard output: \(String(cString: strerror(reason))).")
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

/// Every failure the program knows, in words, with its exit code.
func explanation(of error: any Error) -> Conversation.Failure {
  func failure(
    _ code: String, _ text: String, _ status: ExitStatus, _ detail: String? = nil
  ) -> Conversation.Failure {
    Conversation.Failure(
      notice: .init(code: code, level: .error, text: text, detail: detail), status: status)
  }
  switch error {
  case let error as Refusal: return failure("refused", error.words, error.status)
  case let error as SettingError:
    return failure("setting", "\(error)", error.source == .flag ? .usage : .notConfigured)
  case let error as StoreError:
    return failure("store", error.userMessage, error.status, error.description)
  case let error as PackMismatch:
    return failure(
      "pack-mismatch",
      "This conversation was begun with the prompts \u{201C}\(error.begun)\u{201D}, and I am set to "
        + "\u{201C}\(error.now)\u{201D}. Set them back to go on with it; `rapport chat --new` begins another.",
      .usage)
  case let error as PromptPackError: return failure("prompts", "\(error)", .badData)
  case let error as CredentialsFile.Failure: return failure("credentials", "\(error)", .cannotWrite)
  case let error as ModelError:
    let notice = SessionOutput.Notice(error, hadText: false, saved: false)
    return Conversation.Failure(notice: notice, status: .modelUnreachable)
  default:
    return failure(
      "own-fault",
      "Something went wrong inside me; that's my fault, not yours. What you said before is saved.",
      .ownFault, "\(error)")
  }
}

extension StoreError {
  fileprivate var status: ExitStatus {
    switch code {
    case .noFolder: .notConfigured
    case .cannotOpen, .cannotWrite, .busy, .inUse, .interleaved, .sessionHeld: .cannotWrite
    case .notAStore, .newerVersion, .damaged, .unreadableEvent: .badData
    case .noSuchSession, .ambiguousSession: .usage
    }
  }
}
