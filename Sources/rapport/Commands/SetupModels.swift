import Commands
import LanguageModels
import Settings
import Startup
import Terminal

/// Which model each role uses, as a person types it: nothing for the suggestion, one number or name
/// for all roles, or `coach=1 fast=2`.
struct ModelSelection {
  let models: [String]
  let suggested: [String: String]

  struct Unreadable: Error, Hashable {
    let reason: String
  }

  func roles(_ typed: String) throws(Unreadable) -> [String: String] {
    let words = typed.split(whereSeparator: \.isWhitespace)
    guard !words.isEmpty else { return suggested }
    if words.count == 1, !words[0].contains("=") {
      let model = try model(words[0])
      return Dictionary(uniqueKeysWithValues: ModelRole.allCases.map { ($0.rawValue, model) })
    }
    var roles = suggested
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else {
        throw Unreadable(reason: "\"\(word)\" isn't a role and a model, such as coach=1.")
      }
      guard let role = ModelRole(rawValue: parts[0].lowercased()) else {
        let roles = ModelRole.allCases.map(\.rawValue).joined(separator: ", ")
        throw Unreadable(reason: "\"\(parts[0])\" isn't a role. The roles are \(roles).")
      }
      roles[role.rawValue] = try model(parts[1])
    }
    return roles
  }

  private func model(_ word: Substring) throws(Unreadable) -> String {
    if let exact = models.first(where: { $0 == word }) { return exact }
    if let number = Int(word) {
      guard models.indices.contains(number - 1) else {
        throw Unreadable(reason: "There are models 1 to \(models.count).")
      }
      return models[number - 1]
    }
    throw Unreadable(reason: "\"\(word)\" isn't one of your models.")
  }
}

extension SetupDialogue {
  /// Asks which models to use. A server with only one gets no question.
  func chooseModels(_ found: [String], _ suggested: [String: String]) async throws -> [String:
    String]
  {
    let models = found.filter(DefaultModels.isForConversation)
    guard models.count > 1 else { return suggested }
    terminal.writeNote(SetupTexts.models(models), as: .coach)
    terminal.writeNote(SetupTexts.suggestion(suggested), as: .coach)
    let selection = ModelSelection(models: models, suggested: suggested)
    while true {
      let typed = try await line("Models: ")
      do throws(ModelSelection.Unreadable) {
        return try selection.roles(typed)
      } catch { terminal.writeNote(error.reason, as: .notice) }
    }
  }
}

/// `rapport setup --key-stdin`: the same check and the same file, without a person.
struct UnattendedSetup {
  let options: ModelOptions
  let terminal: TTY

  func run() async throws {
    let provider = try provider()
    guard let baseURL = options.baseURL ?? provider.defaultBaseURL else {
      throw CommandFailure(.usage, "An OpenAI-compatible server needs its address: add --base-url.")
    }
    let key = try await key(provider)
    let setup = try ModelSetup(
      CommandContext(flags: options.flags), terminal, keyIsTyped: true)
    let dialogue = SetupDialogue(terminal: terminal, setup: setup)
    var credentials = Credentials(provider: provider, baseURL: baseURL, key: Secret(key))
    switch try await dialogue.check(&credentials) {
    case .good:
      credentials.models.merge(models) { $1 }
      try dialogue.save(credentials)
    case .wrongKey(let words), .serverFailed(let words):
      throw CommandFailure(.modelUnreachable, words + " Nothing was stored.")
    }
  }

  private func provider() throws -> Provider {
    let name = options.provider ?? ""
    guard let provider = Provider(rawValue: name.lowercased()) else {
      let names = Provider.allCases.map(\.rawValue).joined(separator: ", ")
      throw CommandFailure(.usage, "--provider must be one of \(names), not \"\(name)\".")
    }
    return provider
  }

  private func key(_ provider: Provider) async throws -> String {
    switch await terminal.readHidden(prompt: "Key: ") {
    case .value(""), .endOfInput:
      if provider == .compatible { return "" }
      throw CommandFailure(.usage, "There's no key on standard input. Nothing was stored.")
    case .value(let key):
      if let problem = SettingsLayers.problem(withKey: key) {
        throw CommandFailure(.usage, "The key on standard input \(problem). Nothing was stored.")
      }
      return key
    case .interrupted: throw ExitStatus.interrupted.exit
    case .tooLong(let limit):
      throw CommandFailure(
        .usage, "The key on standard input is longer than \(limit) characters. Nothing was stored.")
    }
  }

  private var models: [String: String] {
    let named = [
      ModelRole.fast: options.modelFast, .coach: options.modelCoach, .deep: options.modelDeep,
    ]
    let chosen = named.compactMap { role, model in
      (model ?? options.model).map { (role.rawValue, $0) }
    }
    return Dictionary(uniqueKeysWithValues: chosen)
  }
}
