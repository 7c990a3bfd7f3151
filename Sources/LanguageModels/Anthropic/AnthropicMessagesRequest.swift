import IncrementalJSON

/// The body of an Anthropic Messages request.
public enum AnthropicMessagesRequest {
  /// - Parameters:
  ///   - capabilities: Known rejections at this endpoint, which are left out.
  ///   - isStreaming: False asks for one JSON document.
  public static func encode(
    _ whole: ModelRequest, to endpoint: ModelEndpoint,
    capabilities: ModelCapabilities = ModelCapabilities(), isStreaming: Bool = true
  ) -> EncodedRequest {
    let request = capabilities.fitted(whole)
    var body: JSONObject = ["model": .string(endpoint.model)]
    var fields: Set<RequestField> = []
    var system = request.system
    // The API requires a limit of at least 1; it can't be omitted.
    body["max_tokens"] = JSONValue(max(1, request.maxOutputTokens))
    if let schema = request.schema {
      if capabilities.allows(.outputConfig), let value = schema.value {
        body["output_config"] = ["format": ["type": "json_schema", "schema": value]]
        fields.insert(.outputConfig)
      } else {
        system += schema.instruction
      }
    }
    if !system.isEmpty { body["system"] = .string(system) }
    body["messages"] = .array(ConversationShape.json(request.messages))
    if let temperature = endpoint.temperature.flatMap({ JSONValue($0) }),
      capabilities.allows(.temperature)
    {
      body["temperature"] = temperature
      fields.insert(.temperature)
    }
    if isStreaming { body["stream"] = true }
    return EncodedRequest(body: JSONValue.object(body).serializedBytes(), fields: fields)
  }
}
