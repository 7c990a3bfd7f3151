import HTTPStreaming
import LanguageModels
import Testing

@Suite struct LanguageModelsSample {
  /// Streams one reply from any model.
  func greeting(from model: any LanguageModel) async throws -> String {
    let request = ModelRequest(
      purpose: .greet, system: "You are a friendly coach. Greet the user in one sentence.",
      messages: [])
    var text = ""
    for try await event in model.reply(to: request) {
      switch event {
      case .delta(let piece): text += piece
      case .waiting(let wait): print("\(wait.reason); attempt \(wait.nextAttempt) follows")
      case .completed(let completion): print(completion.finish, completion.usage as Any)
      }
    }
    return text
  }

  /// A model on a server that speaks OpenAI's chat completions.
  func localModel() -> any LanguageModel {
    let endpoint = ModelEndpoint(
      provider: "Ollama", format: .openAI, baseURL: "http://localhost:11434/v1", apiKey: nil,
      model: "llama3.1")
    return HTTPModel(endpoint, runtime: ModelRuntime(transport: HTTPClient()))
  }

  @Test func aScriptedModelAnswersLikeAnyOther() async throws {
    let model = ScriptedModel { _ in .text("Hello there!", pieceLength: 5) }
    #expect(try await greeting(from: model) == "Hello there!")
    #expect(localModel().identity.model == "llama3.1")
  }
}
