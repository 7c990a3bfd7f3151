import IncrementalJSON

/// The body of an Anthropic Messages request.
public enum AnthropicMessagesRequest {
  /// - Parameter capabilities: Known rejections at this endpoint, which are left out.
  public static func encode(
    _ whole: ModelRequest, to endpoint: ModelEndpoint,
    capabilities: ModelCapabilities = ModelCapabilities()
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
    body["stream"] = true
    return EncodedRequest(body: JSONValue.object(body).serializedBytes(), fields: fields)
  }
}
