import LanguageModels

/// An estimate of requests and tokens before anything is sent.
public struct TokenEstimate: Hashable, Sendable {
  public var conversations = 0
  /// Of these, the conversations that an earlier run finished.
  public var finished = 0
  /// Lines without a conversation.
  public var problems = 0
  public var requests = 0
  public var inputTokens = 0
  public var outputTokens = 0

  mutating func add(_ request: ModelRequest, userTurns: Int) {
    requests += 1
    inputTokens += Self.inputTokens(request)
    outputTokens +=
      min(Self.mostFacets, Self.facetsPerTurn * userTurns) * Self.tokensPerFacet
      + Self.tokensAround
  }

  /// English has about four bytes per token; counts instructions, messages and the schema.
  private static func inputTokens(_ request: ModelRequest) -> Int {
    let text = request.messages.reduce(request.system.utf8.count) { $0 + $1.text.utf8.count }
    return (text + (request.schema?.json.utf8.count ?? 0) + 3) / 4
  }

  private static let facetsPerTurn = 4
  private static let mostFacets = 24
  /// `{"facet":"goalClarity.outcome","turn":1,"quote":"drop about 20 lbs"},`
  private static let tokensPerFacet = 30
  private static let tokensAround = 20
}
