internal import HTTPStreaming
import Synchronization

/// A model at an endpoint, over HTTP, in the endpoint's wire format.
public struct HTTPModel: LanguageModel {
  public let endpoint: ModelEndpoint
  private let runtime: ModelRuntime
  private let truncation = TruncationMemory()

  public init(_ endpoint: ModelEndpoint, runtime: ModelRuntime) {
    self.endpoint = endpoint
    self.runtime = runtime
  }

  public var identity: ModelIdentity { endpoint.identity }

  public var readingExecutor: (any TaskExecutor)? {
    (runtime.transport as? HTTPClient)?.networkThread
  }

  public var room: ServerRoom { runtime.memory[endpoint].room }

  public func reply(to request: ModelRequest) -> ModelReply {
    ModelReply { [endpoint, runtime, truncation] in
      switch endpoint.format {
      case .openAI:
        HTTPReplySource<ChatCompletionDecoder>(request, endpoint, runtime, truncation)
      case .anthropic:
        HTTPReplySource<AnthropicMessageDecoder>(request, endpoint, runtime, truncation)
      }
    }
  }
}

/// The detector shared by all of a model's replies.
final class TruncationMemory: Sendable {
  private let detector = Mutex(PromptTruncationDetector())

  func wasCut(_ request: ModelRequest, usage: TokenUsage?, windowsAreSuspect: Bool) -> Bool {
    guard usage != nil else { return false }
    let prompt = PromptTruncationDetector.Fingerprint(request)
    return detector.withLock {
      $0.wasCut(prompt, usage: usage, windowsAreSuspect: windowsAreSuspect)
    }
  }
}
