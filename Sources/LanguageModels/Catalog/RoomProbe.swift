import IncrementalJSON

/// Asks a server of somebody's own how much room it has. llama.cpp and Ollama tell it beside the API.
public struct RoomProbe: Sendable {
  private let endpoint: ModelEndpoint
  private let runtime: ModelRuntime

  /// - Parameter endpoint: With the model to ask about.
  public init(_ endpoint: ModelEndpoint, runtime: ModelRuntime) {
    (self.endpoint, self.runtime) = (endpoint, runtime)
  }

  /// Remembers what the server tells. One that has no such page is not asked again by this process.
  public func learn() async {
    guard endpoint.format == .openAI, !endpoint.isVendor,
      !runtime.memory[endpoint].keepsRoomSecret
    else { return }
    do throws(ModelError) {
      var room = try await llamaRoom()
      if room == nil { room = try await ollamaRoom() }
      if let room {
        runtime.memory.learn(at: endpoint) { known in
          known.room = ServerRoom(window: room.window ?? known.room.window, slots: room.slots)
        }
      } else {
        runtime.memory.learn(at: endpoint) { $0.keepsRoomSecret = true }
        // vLLM tells it in the list of models, and can have been started with a larger one since.
        if runtime.memory[endpoint].room.window != nil {
          _ = try await ModelCatalog(endpoint, runtime: runtime).models()
        }
      }
    } catch {
      // Whatever is wrong, the first real request meets it and says so.
    }
  }

  private func llamaRoom() async throws(ModelError) -> ServerRoom? {
    guard let json = try await json("/props"),
      let window = (json["default_generation_settings"]?["n_ctx"] ?? json["n_ctx"])?.countValue
    else { return nil }
    return ServerRoom(window: window > 0 ? window : nil, slots: json["total_slots"]?.countValue)
  }

  /// Ollama lists the models that are loaded, and has one slot for each unless it is set up otherwise.
  private func ollamaRoom() async throws(ModelError) -> ServerRoom? {
    guard let models = try await json("/api/ps")?["models"]?.arrayValue else { return nil }
    let loaded = models.first { model in
      [model["name"], model["model"]].contains { name in
        name?.stringValue == endpoint.model || name?.stringValue == endpoint.model + ":latest"
      }
    }
    return ServerRoom(window: loaded?["context_length"]?.countValue, slots: 1)
  }

  /// The statuses that say that there is no such page.
  private static let absent = [404, 405, 501]

  /// - Returns: Nil if the server has no such page.
  private func json(_ path: String) async throws(ModelError) -> JSONValue? {
    var root = runtime.memory.reachable(endpoint)
    root.baseURL = root.identity.endpoint
    do throws(ModelError) {
      let body = try await HTTPExchange(endpoint: root, runtime: runtime).get(path, isSide: true)
      return try? JSONValue(parsing: body, invalidText: .replaced)
    } catch {
      if let status = error.status, Self.absent.contains(status) { return nil }
      throw error
    }
  }
}
