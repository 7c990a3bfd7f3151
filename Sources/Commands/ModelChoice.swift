package import Intake
package import LanguageModels
package import Settings
package import Startup
package import Terminal

extension CommandContext {
  package func warn(_ terminal: any Terminal) {
    for warning in settings.warnings { terminal.writeNote(warning, as: .notice) }
  }

  /// The connection to a model that is set up.
  package func connection() throws -> Connection {
    switch settings.connection() {
    case .ready(let connection): return connection
    case .refused(let refusal): throw CommandFailure(.notConfigured, refusal.description)
    case .noKey: throw CommandFailure(.notConfigured, NoModel.waysOut)
    }
  }
}

extension ModelSetup {
  /// What it has to tell goes to the terminal.
  package init(
    _ context: CommandContext, _ terminal: any Terminal, keyIsTyped: Bool = false,
    records: Bool = false, retries: RetryPolicy = RetryPolicy()
  ) throws {
    try self.init(context, keyIsTyped: keyIsTyped, records: records, retries: retries) {
      terminal.writeNote($0, as: .notice)
    }
  }
}

extension ModelRoles {
  /// The models of a run that asks nobody for a key and stores nothing: what is learned about them
  /// stays in memory.
  package init(_ flags: [Setting: String], _ terminal: any Terminal) async throws {
    let context = try CommandContext(flags: flags)
    context.warn(terminal)
    let setup = try ModelSetup(context, terminal, retries: .patient)
    self = try await setup.roles(of: context.connection())
  }
}

/// What the program says if no model is set up.
package enum NoModel {
  package static let text = "No model is set up."

  package static let localServer = "http://localhost:11434/v1"

  package static let waysOut = """
    \(text) There are three ways to set one up:
      1. Run `rapport setup` in a terminal.
      2. Set OPENAI_API_KEY or ANTHROPIC_API_KEY in the environment.
      3. Put the same line into a file named .env in this folder.
    A server on this machine needs no key: add --base-url \(localServer)
    """
}
