import Commands
import Intake
import LanguageModels
import Rehearsal
import Settings
import Startup
import Terminal

extension ModelSetup {
  /// The three models, or the rehearsal that the person chose instead. Without a key, a person is
  /// asked for one; a program gets exit code 78.
  func coach(_ terminal: any Terminal, asks: Bool) async throws -> CoachChoice {
    switch context.settings.connection() {
    case .ready(let connection):
      return .models(try await roles(of: connection))
    case .refused(let refusal): throw CommandFailure(.notConfigured, refusal.description)
    case .noKey:
      guard asks && terminal.isInteractive else {
        throw CommandFailure(
          .notConfigured, NoModel.waysOut + "\nTo rehearse without a model, add --offline.")
      }
      let dialogue = SetupDialogue(terminal: terminal, setup: self, offersRehearsal: true)
      guard let credentials = try await dialogue.run() else { return .rehearsal }
      return .models(try await roles(of: Connection(credentials), chosen: credentials))
    }
  }
}
