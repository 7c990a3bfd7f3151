import LanguageModels
import TestSupport
import Testing

/// Everything that came of one reply.
struct ReplyOutcome: Equatable {
  var text = ""
  var deltas: [String] = []
  var waits: [ModelWait] = []
  var completion: ModelCompletion?
  var failure: ModelError?

  init(of reply: ModelReply) async {
    var isOver = false
    do throws(ModelError) {
      for try await event in reply {
        #expect(!isOver, "an event came after the completion")
        switch event {
        case .delta(let piece):
          text += piece
          deltas.append(piece)
        case .waiting(let wait): waits.append(wait)
        case .completed(let completion):
          self.completion = completion
          isOver = true
        }
      }
      #expect(isOver, "the reply ended without a completion or an error")
    } catch {
      #expect(!isOver, "an error came after the completion")
      failure = error
    }
  }

  /// In the words of the case file.
  var name: String {
    switch failure?.kind {
    case nil: completion == nil ? "nothing" : "complete"
    case .truncated?: "truncated"
    case .protocolViolation?: "protocol_error"
    case _?: "error"
    }
  }
}

extension ModelRequest {
  static let hello = ModelRequest(
    purpose: .ask, system: "Be kind.", messages: [ModelMessage(.user, "Hello")])
}

extension ModelEndpoint {
  static func openAI(_ url: String, key: String? = "sk-test-0123456789abcdef") -> ModelEndpoint {
    ModelEndpoint(
      provider: "Test", format: .openAI, baseURL: url, apiKey: key.map { Secret($0) }, model: "m")
  }

  static func anthropic(_ url: String) -> ModelEndpoint {
    ModelEndpoint(
      provider: "Test", format: .anthropic, baseURL: url, apiKey: Secret("sk-ant-0123456789abcdef"),
      model: "m")
  }
}
