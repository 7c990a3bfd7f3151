import IncrementalJSON
import NIOHTTP1
import Testing

@testable import RapportServer

/// Somebody who walks through a journey over HTTP.
actor Walker {
  let client: Client
  let can: String
  private(set) var id = ""
  private(set) var screen: JSONValue = .null
  private(set) var seen: [String] = []
  /// The screens that came while documents were written.
  private(set) var written: [JSONValue] = []

  init(_ client: Client, can: String = "") { (self.client, self.can) = (client, can) }

  var step: String { screen["step"]?.stringValue ?? screen["kind"]?.stringValue ?? "" }
  var kind: String { screen["kind"]?.stringValue ?? "" }

  @discardableResult
  func start(_ name: String, _ body: JSONValue = [:]) async throws -> JSONValue {
    take(try await client.json(.POST, "/journeys/\(name)\(query)", body))
    return screen
  }

  @discardableResult
  func act(_ action: JSONValue) async throws -> JSONValue {
    take(try await client.json(.POST, "/conversations/\(id)/journey\(query)", action))
    return screen
  }

  func read() async throws -> JSONValue {
    try await client.json(.GET, "/conversations/\(id)/journey\(query)").json["screen"] ?? .null
  }

  private var query: String { can.isEmpty ? "" : "?can=\(can)" }

  private func take(_ answer: Client.Answer) {
    #expect(answer.status == 200, "\(answer.text)")
    id = answer.json["conversation_id"]?.stringValue ?? id
    screen = answer.json["screen"] ?? .null
    seen.append(step)
  }

  /// Answers with what leads on, until a step is shown.
  func reach(_ target: String? = nil, choices: [String: JSONValue] = [:]) async throws {
    for _ in 0..<120 {
      if screen["busy"] == true {
        try await follow()
        continue
      }
      if kind == "end" || step == target, kind != "care" { return }
      if kind == "conversation", screen["button"] == nil {
        try await talk()
      } else {
        let at = screen["at"] ?? .null
        try await act(["answer": choices[step] ?? answer(), "at": at])
      }
      #expect(screen["problem"] == nil, "\(step): \(screen["problem"] ?? .null)")
    }
    Issue.record("never reached \(target ?? "the end"); seen: \(seen)")
  }

  private func answer() -> JSONValue {
    switch screen["input"]?["kind"]?.stringValue {
    case "text", "open": "Kim"
    case "number": screen["input"]?["value"] == nil ? "20" : true
    case "select": screen["options"]?[0]?["id"] ?? true
    case "edit": "approve"
    default: screen["button"] == nil ? screen["options"]?[0]?["id"] ?? true : true
    }
  }

  /// The screens while a document is drafted; the last one can be answered.
  @discardableResult
  func follow() async throws -> [JSONValue] {
    let answer = try await client.json(
      .GET, "/conversations/\(id)/journey/stream", nil, [("accept", "application/x-ndjson")])
    let screens = try answer.text.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    written += screens
    screen = try #require(screens.last)
    seen.append(step)
    return screens
  }

  /// Talks with the coach until the stream says what follows.
  func talk() async throws {
    var events = try await client.resume(id)
    for line in lines + lines + lines {
      if let next = events.last(where: { $0.name == "screen" })?.data,
        next["button"] != nil
          || next["kind"] != "conversation"
      {
        screen = next
        seen.append(step)
        return
      }
      let options = events.first("choices")?["options"] ?? events.first("paywall")?["options"]
      if let choice = options?[0]?["id"] {
        events = try await client.chat(["conversation_id": .string(id), "choice": choice])
      } else {
        events = try await client.chat(["conversation_id": .string(id), "message": .string(line)])
      }
    }
    Issue.record("the conversation doesn't end")
  }
}
