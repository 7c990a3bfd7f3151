import Intake
import LanguageModels
import Rehearsal
import Settings
import Startup
import Terminal

extension ModelSetup {
  /// What it has to tell goes to the terminal.
  init(
    _ context: CommandContext, _ terminal: any Terminal, keyIsTyped: Bool = false,
    records: Bool = false, retries: RetryPolicy = RetryPolicy()
  ) throws {
    try self.init(context, keyIsTyped: keyIsTyped, records: records, retries: retries) {
      terminal.writeNote($0, as: .notice)
    }
  }

  /// The three models, or the rehearsal that the person chose instead. Without a key, a person is
  /// asked for one; a program gets exit code 78.
  func coach(_ terminal: any Terminal, asks: Bool) async throws -> CoachChoice {
    switch context.settings.connection() {
    case .ready(let connection):
      return .models(try await roles(of: connection))
    case .refused(let refusal): throw CommandFailure(.notConfigured, refusal.description)
    case .noKey:
      guard asks && terminal.isInteractive else {
        throw CommandFailure(.notConfigured, SetupTexts.noKeyInChat)
      }
      let dialogue = SetupDialogue(terminal: terminal, setup: self, offersRehearsal: true)
      guard let credentials = try await dialogue.run() else { return .rehearsal }
      return .models(try await roles(of: Connection(credentials), chosen: credentials))
    }
  }
}

extension ModelRoles {
  /// The models of a run that asks nobody for a key and stores nothing: what is learned about them
  /// stays in memory.
  init(_ flags: [Setting: String], _ terminal: any Terminal) async throws {
    let context = try CommandContext(flags: flags)
    context.warn(terminal)
    let setup = try ModelSetup(context, terminal, retries: .patient)
    self = try await setup.roles(of: context.connection())
  }
}
