import CoachServer
import Foundation
import Intake
import TestSupport
import Testing

/// Anything at all through the doors that outside data comes in by.
@Suite(.integration)
struct FrontDoorTests {
  /// Texts of the hostile cases (all of them in a soak), and lines of random bytes.
  private static func hostileInput() throws -> [UInt8] {
    var random = SeededGenerator(seed: 30)
    var lines = try CaseFile("hostile-cases").cases.compactMap(\.input)
      .filter { $0.count < 20_000 && (Soak.isOn || Int.random(in: 0..<10, using: &random) == 0) }
      .map {
        $0.map { $0 == 0x0A ? 0x20 : $0 }
      }
    for _ in 0..<30 {
      lines.append(
        (0..<Int.random(in: 0...200, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }.filter { $0 != 0x0A })
    }
    lines.append([UInt8](repeating: UInt8(ascii: "a"), count: 2 << 20))
    return Array(lines.joined(separator: [0x0A])) + [0x0A]
  }

  @Test func anyBytesOnStandardInputAreTurnsOrRefused() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let child = try household.start(
      "chat", "--json", "--base-url", model.baseURL, "--model", CoachServer.modelName,
      "--max-turns", "50")
    child.writeAside(try Self.hostileInput())
    let output = child.readRest()
    #expect(child.wait() == 65, "one line was too long: \(output.suffix(600))")
    #expect(!output.contains("\u{1B}"))
    let events = try Walkthrough.events(household)
    #expect(events.count > 60)
    #expect(
      !events.contains { $0.event?.kind == .discoveryCompleted || $0.event?.kind == .entitled })
  }

  @Test func aReplyThatNeverEndsIsBoundedInMemory() throws {
    let comment = Array(": \(String(repeating: "keep alive ", count: 6_000))\n\n".utf8)
    let server = try LoopbackServer { exchange in
      try exchange.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
      for _ in 0..<1_500 { try exchange.write(comment) }
      try exchange.write(
        Array(#"data: {"choices":[{"index":0,"delta":{"content":"at last"}}]}"#.utf8) + [10, 10])
      exchange.waitForClientToClose()
      exchange.close()
    }
    defer { server.stop() }
    let household = try Household()
    // Its folder goes with it.
    defer { withExtendedLifetime(household) {} }
    let child = try household.start(
      "chat", "--json", "--base-url", server.url("/v1"), "--model", "m")
    while let line = child.readLine(), !line.contains("at last") {}
    let status = try String(contentsOfFile: "/proc/\(child.pid)/status", encoding: .utf8)
    let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }?
      .split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    #expect(try #require(peak) < 72 << 10, "\(peak ?? 0) KiB after 96 MiB of comments")
    kill(child.pid, SIGTERM)
    _ = child.readRest()
    #expect(child.wait() == 130)
  }

  @Test func noMutationOfAProfileDoesHarm() throws {
    let whole = Array(
      #"{"personaProfile":{"role":"a","personality":["b"],"toneModulation":[{"when":"c","tone":"d"}],"medicalDisclaimer":"e"},"userGoals":{"primary":"f","milestones":[]},"constraints":{"physical":[{"type":"g","detail":"h","notedAt":"2026-01-05"}],"time":[],"resources":[],"temporary":[]},"coachingPlan":{"checkInFrequency":"weekly","initialFocus":["i"]}}"#
        .utf8)
    var random = SeededGenerator(seed: 31)
    let alphabet = Array(#"{}[]",:0-9eE.\u"nulltrue 😀"#.utf8)
    var refused = 0
    for _ in 0..<5_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      if !ProfileValidation.problems(in: String(decoding: bytes, as: UTF8.self)).isEmpty {
        refused += 1
      }
    }
    #expect(refused > 4_000)
  }
}
