import ArgumentParser
import BatchScoring
import ContextQuality
import FoundationEssentials
import Glibc
import HealthRecords
import Intake
import LanguageModels
import SessionStore
import Settings
import Startup
import Supabase
import Terminal

extension CommandContext {
  func warn(_ terminal: any Terminal) {
    for warning in settings.warnings { terminal.writeNote(warning, as: .notice) }
  }

  func openStore(_ options: StoreOptions) throws -> SessionStore { try openStore(options.store) }

  /// The connection to a model that is set up.
  func connection() throws -> Connection {
    switch settings.connection() {
    case .ready(let connection): return connection
    case .refused(let refusal): throw CommandFailure(.notConfigured, refusal.description)
    case .noKey: throw CommandFailure(.notConfigured, SetupTexts.noKey)
    }
  }
}

extension CommandContext {
  /// The store as the person named there sees it, a file or a database; nil if missing.
  func existingAnyStore(_ options: SharedStoreOptions) async throws -> (any ConversationStore)? {
    let person = options.person.map { PersonID(rawValue: $0) } ?? .local
    return try await existingAnyStore(options.store)?.belonging(to: person)
  }
}

extension ExitStatus {
  var exit: ExitCode { ExitCode(rawValue) }
}

/// A command that runs on the terminal. An error is reported on standard error, and the program exits with
/// its code.
protocol TerminalCommand: AsyncParsableCommand {
  var noColor: Bool { get }
  /// Whether an error is also reported on standard output, as the outputs of a failed pass.
  var reportsAsJSON: Bool { get }

  func run(on terminal: TTY) async throws
}

extension TerminalCommand {
  var noColor: Bool { false }
  var reportsAsJSON: Bool { false }

  func run() async throws {
    try await reporting(noColor: noColor, asJSON: reportsAsJSON) { try await run(on: $0) }
  }
}

/// Runs a command's body on the terminal.
func reporting(
  noColor: Bool = false, asJSON: Bool = false, _ body: (TTY) async throws -> Void
) async throws {
  let terminal = TTY(
    program: "rapport", environment: ProcessInfo.processInfo.environment, noColor: noColor)
  defer { terminal.restoreModes() }
  do {
    try await body(terminal)
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

/// A failure in something that another command than `rapport chat` resumes.
struct ResumableFailure: Error {
  let error: any Error
  let command: ResumeCommand
}

/// What resumes a journey.
struct ResumeCommand {
  /// Such as `rapport start trainer`.
  let plain: String
  let isOffline: Bool

  var whole: String { plain + (isOffline ? " --offline" : "") }
}

/// The message and exit code for every failure the program knows.
///
/// - Parameter command: What resumes the conversation; nil for `rapport chat`.
func explanation(
  of error: any Error, resuming command: ResumeCommand? = nil
) -> Conversation.Failure {
  func failure(
    _ code: String, _ text: String, _ status: ExitStatus, _ detail: String? = nil
  ) -> Conversation.Failure {
    Conversation.Failure(
      notice: .init(code: code, level: .error, text: text, detail: detail), status: status)
  }
  let plain = command?.plain ?? "rapport chat"
  switch error {
  case let error as ResumableFailure: return explanation(of: error.error, resuming: error.command)
  case let error as CommandFailure: return failure("refused", error.words, error.status)
  case let error as HealthReadError: return failure("health", "\(error)", .badData)
  case let error as InputError: return failure("input", "\(error)", .badData)
  case let error as SettingError:
    return failure("setting", "\(error)", error.source == .flag ? .usage : .notConfigured)
  case let error as StoreError:
    return failure(
      "store", error.userMessage(resuming: command?.whole), error.status, error.description)
  case let error as PackMismatch:
    let isBuiltIn = PromptPack.embeddedNames.contains(error.begun)
    return failure(
      "pack-mismatch",
      "This conversation started with the prompts \u{201C}\(error.begun)\u{201D}. Add --new to start "
        + "one with \u{201C}\(error.now)\u{201D}, or "
        + (isBuiltIn
          ? "--prompts \(error.begun) to resume it."
          : "name their folder in --prompts to resume it."),
      .usage)
  case let error as CoachMismatch:
    return failure(
      "coach-mismatch",
      error.begun == nil
        ? "This conversation was started with a model; resume it with `\(plain)`."
        : "This conversation is a rehearsal; resume it with `\(plain) --offline`.",
      .usage)
  case let error as PackError: return failure("prompts", "\(error)", .badData)
  case let error as CredentialsFile.Failure: return failure("credentials", "\(error)", .cannotWrite)
  case let error as SupabaseError:
    return failure(error.code.rawValue, error.userMessage, error.status, error.description)
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

extension SupabaseError {
  /// The program's exit code for it.
  var status: ExitStatus {
    switch code {
    case .emailInvalid, .wrongCode: .usage
    case .notSignedIn, .signedOut, .tokenRefused, .wrongKey, .insecure, .emailSignInOff,
      .emailNotAuthorized, .captcha, .banned, .signupsOff:
      .notConfigured
    case .cannotStore: .cannotWrite
    case .notAllowed, .rowRefused: .badData
    case .emailLimit, .tooManyRequests, .unreachable, .timedOut, .serverError, .unexpected:
      .modelUnreachable
    }
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
