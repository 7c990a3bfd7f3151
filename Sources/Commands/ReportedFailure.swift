import BatchScoring
import ContextQuality
import FoundationEssentials
import HealthRecords
package import Intake
import LanguageModels
import SessionStore
import Settings
package import Startup
import Supabase

/// A failure in something that another command than `rapport chat` resumes.
package struct ResumableFailure: Error {
  let error: any Error
  let command: ResumeCommand

  package init(_ error: any Error, resumedBy command: ResumeCommand) {
    (self.error, self.command) = (error, command)
  }
}

/// What resumes a journey.
package struct ResumeCommand {
  /// Such as `rapport start trainer`.
  let plain: String
  let isOffline: Bool

  package init(_ plain: String, isOffline: Bool) {
    (self.plain, self.isOffline) = (plain, isOffline)
  }

  package var whole: String { plain + (isOffline ? " --offline" : "") }
}

/// The message and exit code for a failure.
package struct ReportedFailure: Error {
  package let notice: SessionOutput.Notice
  package let status: ExitStatus

  /// - Parameter command: What resumes the conversation; nil for `rapport chat`.
  package init(_ error: any Error, resuming command: ResumeCommand? = nil) {
    let plain = command?.plain ?? "rapport chat"
    switch error {
    case let error as ResumableFailure: self.init(error.error, resuming: error.command)
    case let error as CommandFailure: self.init("refused", error.words, error.status)
    case let error as HealthReadError: self.init("health", "\(error)", .badData)
    case let error as InputError: self.init("input", "\(error)", .badData)
    case let error as SettingError:
      self.init("setting", "\(error)", error.source == .flag ? .usage : .notConfigured)
    case let error as StoreError:
      self.init(
        "store", error.userMessage(resuming: command?.whole), error.status, error.description)
    case let error as PackMismatch: self.init("pack-mismatch", error.words, .usage)
    case let error as CoachMismatch:
      self.init(
        "coach-mismatch",
        error.begun == nil
          ? "This conversation was started with a model; resume it with `\(plain)`."
          : "This conversation is a rehearsal; resume it with `\(plain) --offline`.",
        .usage)
    case let error as PackError: self.init("prompts", "\(error)", .badData)
    case let error as CredentialsFile.Failure: self.init("credentials", "\(error)", .cannotWrite)
    case let error as SupabaseError:
      self.init(error.code.rawValue, error.userMessage, error.status, error.description)
    case let error as ModelError:
      self.init(SessionOutput.Notice(error, hadText: false, saved: false), .modelUnreachable)
    default:
      self.init(
        "own-fault",
        "Something went wrong on my side, not yours. Everything you said is saved.",
        .ownFault, "\(error)")
    }
  }

  private init(_ code: String, _ text: String, _ status: ExitStatus, _ detail: String? = nil) {
    self.init(.init(code: code, level: .error, text: text, detail: detail), status)
  }

  private init(_ notice: SessionOutput.Notice, _ status: ExitStatus) {
    (self.notice, self.status) = (notice, status)
  }
}

extension PackMismatch {
  fileprivate var words: String {
    let isBuiltIn = PromptPack.embeddedNames.contains(begun)
    return
      "This conversation started with the prompts \u{201C}\(begun)\u{201D}. Add --new to start "
      + "one with \u{201C}\(now)\u{201D}, or "
      + (isBuiltIn
        ? "--prompts \(begun) to resume it." : "name their folder in --prompts to resume it.")
  }
}

extension SupabaseError {
  /// The program's exit code for it.
  package var status: ExitStatus {
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
