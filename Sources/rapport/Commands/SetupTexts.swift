import Commands
import ContextQuality
import HTTPStreaming
import LanguageModels
import Settings
import Startup

/// What setup says. The dialog itself is ``SetupDialogue``.
enum SetupTexts {
  static func welcome(isNew: Bool, offersRehearsal: Bool) -> String {
    """
    \(isNew ? NoModel.text + " " : "")Which provider do you use?
      [1] OpenAI
      [2] Anthropic
      [3] another server with an OpenAI-compatible API, such as a local Ollama
    """
      + (offersRehearsal
        ? "\n  [4] none yet: rehearse without a model (no key, no network)"
        : "")
  }

  /// The address that somebody typed where a key was asked for; nil for a key. Keys have no scheme, and no
  /// machine's name with a port.
  static func address(typedAsKey text: String) -> String? {
    let text = text.trimmed
    if text.contains("://") { return (try? HTTPURL(validating: text)) == nil ? nil : text }
    guard
      text.wholeMatch(of: /([\w.\-]+|\[[0-9A-Fa-f:]+\]):[0-9]{1,5}(\/\S*)?|localhost(\/\S*)?/)
        != nil
    else {
      return nil
    }
    let local = "http://" + text
    return (try? HTTPURL(validating: local)) == nil ? nil : local
  }

  static func keyPrompt(_ provider: Provider) -> String {
    switch provider.keyPage {
    case let page?: "Paste your key (it stays hidden). You can get one at \(page)"
    case nil: "This server needs a key. Paste it (it stays hidden)."
    }
  }

  /// What a chat needs and this model cannot do, a sentence each.
  static func missing(_ known: ModelCapabilities, model: String) -> [String] {
    var lines: [String] = []
    if !known.allows(.systemRole) {
      lines.append(
        "\(model) takes no system message, so I'll put my instructions in front of your first words."
      )
    }
    if !known.allows(.jsonSchema) || !known.allows(.outputConfig) {
      lines.append(
        "\(model) can't be held to a JSON schema here, so I'll describe the form in words. If it often "
          + "misreads you, choose another model.")
    }
    if known.answersAtOnce {
      lines.append("\(model) sends each answer in one piece, so you'll wait for all of it.")
    }
    if let window = known.room.window, window < leastWindow {
      lines.append(
        "\(model) has room for \(window) tokens, and a conversation needs \(leastWindow). Raise its "
          + "context size, or choose another model.")
    }
    return lines
  }

  /// What the longest prompt of a first conversation and its answer take.
  private static let leastWindow = 8_192

  static let noTerminal = """
    Setup asks its questions in a terminal. Elsewhere, send it the key on
    standard input:
      rapport setup --provider openai --key-stdin < key.txt
    """

  /// The name people know a server by: its host, if the provider is known by it, or the address.
  static func place(_ provider: Provider, _ baseURL: String) -> String {
    provider.defaultBaseURL == baseURL ? ModelSetup.host(baseURL) : HTTPURL.shown(baseURL)
  }

  static func words(for error: ModelError, at host: String) -> String {
    switch error.kind {
    case .unauthorized:
      "\(host) refused this key. Is it complete, and is it a key for \(host)?"
    case .keyMissing where error.status == 403:
      "\(host) denied access without a key. It may need one."
    case .keyMissing:
      "\(host) needs a key."
    case .serverError:
      "\(host) had an internal error. Please try again in about a minute."
    case .gatewayError:
      "A gateway in front of \(host) failed: \(error.detail). Please try again in about a minute."
    case .webPage:
      "A web page\(error.clue.map { " (\"\($0)\")" } ?? "") answered instead of \(host). Sign in to "
        + "your network in a browser first, or check the address."
    case .redirected:
      "\(host) redirects to \(error.clue ?? "another address"). If that's right, use that address."
    case .outOfCredit:
      "Your key works, but your account at \(host) is out of credit. Add some, then try again."
    case .unreachable, .timedOut:
      "I couldn't reach \(host). Check your network and the address."
    case .insecure:
      "I couldn't verify that this is really \(host), so I sent nothing."
    case .notEncrypted:
      "\(host) doesn't speak https. If the server is on this machine, try http:// instead."
    case .rateLimited, .overloaded:
      "\(host) is overloaded. Please try again in about a minute."
    default:
      "\(host) sent an answer I don't understand: \(error.detail)"
    }
  }

  /// The models to choose from, by number.
  static func models(_ models: [String]) -> String {
    let shown = models.prefix(20).enumerated().map { "  [\($0.offset + 1)] \($0.element)" }
    let more = models.count > 20 ? ["  and \(models.count - 20) more, by name"] : []
    return (["Your key works, and these models can talk:"] + shown + more).joined(separator: "\n")
  }

  static func suggestion(_ models: [String: String]) -> String {
    """
    \(using("I'd use", models)).
    Press Enter for that. A number or a name uses one model for everything; to mix them, type \
    something like coach=1 fast=2.
    """
  }

  static func chosen(_ models: [String: String]) -> String {
    "\(using("I'll use", models))."
  }

  private static func using(_ start: String, _ models: [String: String]) -> String {
    let (coach, fast, deep) = (models["coach"] ?? "", models["fast"] ?? "", models["deep"] ?? "")
    if coach == fast && coach == deep { return "\(start) \(coach)" }
    return "\(start) \(coach) to talk, \(fast) to read and \(deep) to think things through"
  }
}
