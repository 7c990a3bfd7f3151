import HTTPStreaming
import IncrementalJSON
import Intake
import LanguageModels
import MockServer
import Synchronization
import WireFormats

/// The built-in mock coach on a loopback socket, which answers when the gate is open.
final class MockModel: Sendable {
  let gate = Gate()
  private let asked: Asked

  private final class Asked: Sendable { let bodies = Mutex<[String]>([]) }

  /// How many requests came.
  var requests: Int { asked.bodies.withLock(\.count) }

  /// How many requests came whose body contains this.
  func requests(with text: String) -> Int {
    asked.bodies.withLock { $0.count { $0.contains(text) } }
  }

  private let server: MockServer

  /// - Parameters:
  ///   - brokenOnce: The purpose of the first request that's refused.
  ///   - faultyOnce: The purpose of the first request that's met with a fault, and the fault.
  ///   - broken: The purpose of requests that are all refused.
  ///   - texts: Answers instead of the built-in ones, by their structure; `none` is prose.
  init(
    brokenOnce: String? = nil, faultyOnce: (purpose: String, fault: String)? = nil,
    broken: String? = nil,
    answering texts: [String: String] = [:]
  ) async throws {
    var options = ModelAPI.Options()
    options.takesAnyModel = true
    if let brokenOnce {
      options.faults = [.init(try Fault("status:code=401"), times: 1, only: brokenOnce)]
    }
    if let (purpose, fault) = faultyOnce {
      options.faults.append(.init(try Fault(fault), times: 1, only: purpose))
    }
    if let broken { options.faults.append(.init(try Fault("status:code=401"), only: broken)) }
    var script = try BuiltInCoach.script()
    let rules = texts.map { structure, text -> JSONValue in
      ["when": ["structure": .string(structure)], "response": ["text": .string(text)]]
    }
    if !rules.isEmpty {
      let own: JSONValue = ["version": 1, "rules": .array(rules)]
      script.rules = try AnswerScript(parsing: own.serializedBytes()).rules + script.rules
    }
    let api = ModelAPI(script: script, options: options)
    let asked = Asked()
    self.asked = asked
    server = try await MockServer { [gate] request in
      if request.method == "POST" {
        asked.bodies.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
        await gate.pass()
      }
      return api.answer(request)
    }
  }

  var baseURL: String { server.baseURL }

  var roles: ModelRoles {
    let endpoint = ModelEndpoint(
      provider: "mock", format: .openAI, baseURL: baseURL, apiKey: nil,
      model: BuiltInCoach.modelName)
    return ModelRoles(
      all: HTTPModel(endpoint, runtime: ModelRuntime(transport: HTTPClient())))
  }

  /// For `rapport-server`.
  var arguments: [String] { ["--base-url", baseURL, "--model", BuiltInCoach.modelName] }
}

/// Holds everybody who comes while it's closed.
final class Gate: Sendable {
  private struct Watcher {
    var count: Int
    var continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var isOpen = true
    var held: [CheckedContinuation<Void, Never>] = []
    var watchers: [Watcher] = []
  }

  private let state = Mutex(State())

  func close() { state.withLock { $0.isOpen = false } }

  func open() {
    let held = state.withLock { state in
      state.isOpen = true
      defer { state.held = [] }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  func pass() async {
    await withCheckedContinuation { continuation in
      let (isOpen, watchers) = state.withLock { state -> (Bool, [Watcher]) in
        if state.isOpen { return (true, []) }
        state.held.append(continuation)
        let count = state.held.count
        let ready = state.watchers.filter { $0.count <= count }
        state.watchers.removeAll { $0.count <= count }
        return (false, ready)
      }
      if isOpen { continuation.resume() }
      for watcher in watchers { watcher.continuation.resume() }
    }
  }

  /// Waits until so many are held.
  func holds(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.held.count >= count { return true }
        state.watchers.append(Watcher(count: count, continuation: continuation))
        return false
      }
      if isReady { continuation.resume() }
    }
  }
}
