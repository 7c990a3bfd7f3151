import ContextQuality
import LanguageModels
import RapportServer
import SessionStore
import Settings
import Startup

/// Words and an exit code for what keeps the server from starting.
enum Failures {
  static func explanation(of error: any Error) -> (words: String, status: ExitStatus) {
    switch error {
    case let error as CommandFailure: (error.words, error.status)
    case let error as SettingError:
      ("\(error)", error.source == .flag ? .usage : .notConfigured)
    case let error as StoreError: (error.userMessage, .cannotWrite)
    case let error as PackError: ("\(error)", .badData)
    case let error as RapportServer.Refusal: (error.description, .usage)
    case let error as RapportServer.CannotListen: (error.description, .modelUnreachable)
    case let error as ModelError:
      ("I can't reach the model: \(error.detail)", .modelUnreachable)
    default: ("I can't start: \(error)", .ownFault)
    }
  }
}
