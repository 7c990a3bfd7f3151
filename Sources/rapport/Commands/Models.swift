import ArgumentParser
import Commands
import IncrementalJSON
import LanguageModels
import Settings
import Startup
import Terminal

/// `rapport models`: what the account offers, and what the three roles use.
struct Models: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "models",
    abstract: "List your account's models, and which role uses which.",
    usage: "rapport models [<options>]",
    discussion: """
      The coach has three roles: fast reads and scores, coach writes the replies, and deep writes \
      the summary and coaches.

      Examples:
        rapport models
        rapport models --provider anthropic
        rapport models --json | jq -r .id
      """)

  @Flag(help: "Print one JSON object per model, for programs.")
  var json = false

  @OptionGroup(title: "Model") var modelOptions: ModelOptions

  func run(on terminal: TTY) async throws {
    let context = try CommandContext(flags: modelOptions.flags)
    context.warn(terminal)
    let connection = try context.connection()
    let setup = try ModelSetup(context, terminal)
    terminal.showStatus("asking \(ModelSetup.host(connection.baseURL)) …")
    let catalog = ModelCatalog(setup.endpoint(connection, model: ""), runtime: setup.runtime)
    let models = try await models(in: catalog, at: connection)
    terminal.clearStatus()
    let list = ModelList(models: models, connection: connection, context: context)
    guard json else { return list.show(on: terminal) }
    for record in list.records { terminal.writeRecord(record) }
  }

  private func models(
    in catalog: ModelCatalog, at connection: Connection
  ) async throws -> [String] {
    do throws(ModelError) { return try await catalog.models() } catch {
      throw CommandFailure(
        .modelUnreachable,
        SetupTexts.words(for: error, at: SetupTexts.place(connection.provider, connection.baseURL)))
    }
  }
}

/// The account's models with the roles that use them.
private struct ModelList {
  let models: [String]
  let connection: Connection
  private let roles: [ModelRole: (model: String, source: SettingSource?)]

  init(models: [String], connection: Connection, context: CommandContext) {
    self.models = models
    self.connection = connection
    let chosen = DefaultModels.choose(from: models)
    let settings: [ModelRole: Setting] = [
      .fast: .modelFast, .coach: .modelCoach, .deep: .modelDeep,
    ]
    var roles: [ModelRole: (String, SettingSource?)] = [:]
    for (role, setting) in settings {
      let set = context.settings.model(setting, at: connection)
      roles[role] = set.map { ($0.value, $0.source) } ?? chosen[role].map { ($0, nil) }
    }
    self.roles = roles
  }

  private func roles(of model: String) -> [String] {
    ModelRole.allCases.filter { roles[$0]?.model == model }.map(\.rawValue)
  }

  var records: [String] {
    models.map { model in
      let record: JSONValue = [
        "id": .string(model), "canTalk": .bool(DefaultModels.isForConversation(model)),
        "roles": .array(roles(of: model).map { .string($0) }),
      ]
      return record.serialized()
    }
  }

  func show(on terminal: any Terminal) {
    let place = SetupTexts.place(connection.provider, connection.baseURL)
    let count = models.count.counted("model")
    terminal.writeAside("\(connection.provider.name) at \(place): \(count)\n", as: .dim)
    let width = models.map(\.count).max() ?? 0
    for model in models {
      let uses = roles(of: model).joined(separator: ", ")
      let note = DefaultModels.isForConversation(model) ? uses : "not for conversations"
      let name = note.isEmpty ? model : model.padded(to: width + 2)
      terminal.write(name + note + "\n", as: uses.isEmpty ? .coach : .bold)
    }
    for role in ModelRole.allCases { warn(role, terminal) }
  }

  private func warn(_ role: ModelRole, _ terminal: any Terminal) {
    guard let (model, source) = roles[role] else {
      return terminal.writeNote("No model suits the role \(role.rawValue).", as: .notice)
    }
    guard !models.contains(model), let source else { return }
    terminal.writeNote(
      "\(role.rawValue) uses \(model) (from \(source)), which isn't on this list.", as: .notice)
  }
}
