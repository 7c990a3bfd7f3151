import LanguageModels
import Settings

/// What setup says. Words only; asking and storing is done elsewhere.
enum SetupTexts {
  static func welcome(_ offersRehearsal: Bool) -> String {
    """
    I need a model to think with. Who provides it?
      [1] OpenAI
      [2] Anthropic
      [3] another server that speaks OpenAI's API, such as a local Ollama
    """
      + (offersRehearsal
        ? "\n  [4] nobody yet: rehearse without a model (no key, no network)"
        : "")
  }

  static let defaultServer = "http://localhost:11434/v1"

  static func keyPrompt(_ provider: Provider) -> String {
    switch provider.keyPage {
    case let page?: "Paste your key; it stays hidden. You can get one at \(page)"
    case nil: "Paste the server's key; it stays hidden. Just press Enter if it needs none."
    }
  }

  static let noKey = """
    I need a model to talk with you, and none is set up. Three ways to set one:
      1. run `rapport setup` in a terminal;
      2. set OPENAI_API_KEY or ANTHROPIC_API_KEY in the environment;
      3. write the same line into a file called .env in this folder.
    A server on this machine needs no key: rapport chat --base-url http://localhost:11434/v1
    Without any model, `rapport chat --offline` rehearses the conversation.
    """

  static func words(for error: ModelError, at host: String) -> String {
    switch error.kind {
    case .unauthorized:
      "\(host) doesn't accept this key. Is it whole, and is it a key for \(host)?"
    case .outOfCredit:
      "The key is right, but the account at \(host) has no credit left. Top it up, then try again."
    case .unreachable, .timedOut:
      "I couldn't reach \(host). Is the network up, and the address right?"
    case .insecure:
      "I couldn't verify that this is really \(host), so I sent nothing."
    case .notEncrypted:
      "There is no https at \(host). If it is a server on this machine, try http:// instead."
    case .rateLimited, .overloaded:
      "\(host) is too busy to check the key right now. Please try again in a minute."
    default:
      "\(host) answered something I don't understand: \(error.detail)"
    }
  }

  static func noModels(_ host: String) -> String {
    "\(host) accepts the key but offers no model that can talk. For Ollama: `ollama pull llama3.1`."
  }

  /// What there is to choose from.
  static func offered(_ models: [String]) -> String {
    let shown = models.prefix(5).joined(separator: ", ")
    let more = models.count > 5 ? " and \(models.count - 5) more" : ""
    return "Models there: \(shown)\(more)."
  }

  static func chosen(_ models: [String: String]) -> String {
    let (coach, fast, deep) = (models["coach"] ?? "", models["fast"] ?? "", models["deep"] ?? "")
    if coach == fast && coach == deep { return "I'll use \(coach)." }
    return
      "I'll talk with \(coach), read with \(fast), and think things through with \(deep) (RAPPORT_MODEL_COACH, _FAST and _DEEP change that)."
  }
}
