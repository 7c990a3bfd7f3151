import IncrementalJSON

/// The body of a chat completions request.
public enum OpenAIChatRequest {
  /// - Parameter capabilities: Known rejections at this endpoint, which are left out.
  public static func encode(
    _ whole: ModelRequest, to endpoint: ModelEndpoint,
    capabilities: ModelCapabilities = ModelCapabilities()
  ) -> EncodedRequest {
    let request = capabilities.fitted(whole)
    var draft = Draft(capabilities: capabilities)
    draft.body["model"] = .string(endpoint.model)
    let instruction = draft.addStructure(request.schema)
    let system = request.system + instruction
    draft.addMessages(request.messages, system: system)
    draft.addTokenLimit(request.maxOutputTokens, isVendor: endpoint.isVendor)
    draft.body["stream"] = true
    draft.add(.streamOptions, "stream_options", ["include_usage": true])
    return EncodedRequest(
      body: JSONValue.object(draft.body).serializedBytes(), fields: draft.fields)
  }

  private struct Draft {
    let capabilities: ModelCapabilities
    var body = JSONObject()
    var fields: Set<RequestField> = []

    mutating func add(_ field: RequestField, _ name: String, _ value: JSONValue) {
      guard capabilities.allows(field) else { return }
      body[name] = value
      fields.insert(field)
    }

    mutating func addMessages(_ messages: [ModelMessage], system: String) {
      guard !system.isEmpty, capabilities.allows(.systemRole) else {
        body["messages"] = .array(ConversationShape.json(messages, instructions: system))
        return
      }
      fields.insert(.systemRole)
      let instructions: JSONValue = ["role": "system", "content": .string(system)]
      body["messages"] = .array([instructions] + ConversationShape.json(messages))
    }

    /// OpenAI accepts both names, and its newer models reject the old one. Compatible servers may
    /// know only the old one and ignore the other, so they get both.
    mutating func addTokenLimit(_ limit: Int, isVendor: Bool) {
      add(.maxCompletionTokens, "max_completion_tokens", JSONValue(limit))
      if !isVendor || !fields.contains(.maxCompletionTokens) {
        add(.maxTokens, "max_tokens", JSONValue(limit))
      }
    }

    /// - Returns: What the instructions must say because the request cannot.
    mutating func addStructure(_ schema: ResponseSchema?) -> String {
      guard let schema else { return "" }
      if capabilities.allows(.jsonSchema), let value = schema.value {
        let isStrict = capabilities.allows(.strictSchema)
        let format: JSONValue = [
          "name": .string(schema.wireName), "schema": value, "strict": .bool(isStrict),
        ]
        body["response_format"] = ["type": "json_schema", "json_schema": format]
        fields.formUnion(isStrict ? [.jsonSchema, .strictSchema] : [.jsonSchema])
        return ""
      }
      add(.jsonObject, "response_format", ["type": "json_object"])
      return schema.instruction
    }
  }
}
