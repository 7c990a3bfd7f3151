import Foundation
import IncrementalJSON
import NIOHTTP1
import Testing

@testable import RapportServer

@Suite struct HealthTests {
  /// Forty days of steps up to yesterday, as Apple writes them.
  private static func export() -> String {
    let format = Date.ISO8601FormatStyle().year().month().day()
    let records = (1...40).map { back -> String in
      let day = Date(timeIntervalSinceNow: -86_400 * Double(back)).formatted(format)
      return """
         <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Phone" unit="count" \
        startDate="\(day) 10:00:00 +0000" endDate="\(day) 11:00:00 +0000" value="\(6_000 + back)"/>
        """
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <HealthData locale="en_US">
       <ExportDate value="\(Date().formatted(format)) 08:00:00 +0000"/>
      \(records.joined(separator: "\n"))
      </HealthData>
      """
  }

  private func upload(_ text: String, _ client: Client) async throws -> (Int, String) {
    try await client.send(.POST, "/health/export", [], body: Array(text.utf8)) {
      ($0.status, try await $0.text())
    }
  }

  @Test func anExportIsReadKeptAndUsedUntilThePersonOptsOut() async throws {
    let model = try await MockModel()
    let server = try await TestServer(TestFolder(), models: model.roles)
    let client = server.client
    #expect(try await client.json(.GET, "/health").json["state"] == "unasked")
    let (status, text) = try await upload(Self.export(), client)
    #expect(status == 201, "\(text)")
    let shown = try await client.json(.GET, "/health").json
    #expect(shown["state"] == "shared")
    #expect(shown["snapshot"]?["series"]?["steps"] != nil)

    let events = try await client.chat(["first_message": true])
    #expect(events.contains { $0["code"] == "health-noted" })

    // The same snapshot from an app.
    let snapshot = try #require(shown["snapshot"])
    #expect(try await client.json(.PUT, "/health", snapshot).status == 201)
    #expect(try await client.json(.DELETE, "/health").json["state"] == "declined")
    #expect(try await client.json(.GET, "/health").json["snapshot"] == nil)
    let later = try await client.chat(["first_message": true])
    #expect(!later.contains { $0["code"] == "health-noted" })
  }

  @Test(arguments: ["", "not an export", "<HealthData>", "PK\u{3}\u{4}", "{}"])
  func whatIsNoExportIsRefusedByName(text: String) async throws {
    let server = try await TestServer(TestFolder())
    let (status, answer) = try await upload(text, server.client)
    #expect(status == 422)
    #expect(answer.contains("health-unread") && !answer.contains("/proc"))
    #expect(try await server.client.json(.PUT, "/health", ["steps": 3]).status == 422)
    #expect(try await server.client.json(.GET, "/health").json["state"] == "unasked")
  }
}
