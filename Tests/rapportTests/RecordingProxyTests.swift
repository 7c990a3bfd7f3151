import CoachServer
import Foundation
import Glibc
import HTTPStreaming
import IncrementalJSON
import TestSupport
import Testing

/// `rapport mock --upstream`: what goes by becomes cassettes.
@Suite(.integration)
struct RecordingProxyTests {
  private static let key = "sk-proj-Canary7Q2mZ9xL4vT8bN3kW6rJ1hF5cD"

  private func record(
    _ household: Household, _ model: CoachServer, _ body: (String) throws -> Void
  ) throws {
    let child = try household.start(
      "mock", "--upstream", model.baseURL, "--record-to", household.folder + "/tapes")
    let address = try #require(child.readLine(), "\(child.readErrors())")
    do { try body(address) } catch {
      kill(child.pid, SIGINT)
      throw error
    }
    kill(child.pid, SIGINT)
    #expect(child.wait() == 0)
  }

  private func tapes(_ household: Household) throws -> [(path: String, text: String)] {
    let folder = household.folder + "/tapes"
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map {
      ($0, try String(contentsOfFile: folder + "/" + $0, encoding: .utf8))
    }
  }

  @Test(arguments: ["openai", "anthropic"])
  func aConversationThatGoesByIsACassetteThatAnswersAgain(provider: String) async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    household.environment["RAPPORT_PROVIDER"] = provider
    household.environment["RAPPORT_API_KEY"] = Self.key
    household.environment["RAPPORT_MODEL"] = CoachServer.modelName
    let lines = Walkthrough.lines.prefix(3).map { $0 + "\n" }.joined()
    func chat(_ address: String) throws -> String {
      household.environment["RAPPORT_BASE_URL"] = address
      let result = try household.run("chat", "--new", "--no-health", typing: lines)
      #expect(result.status == 0, "\(result.errors)")
      return result.output
    }
    var said = ""
    try record(household, model) { said = try chat($0) }
    let header = provider == "anthropic" ? "x-api-key" : "authorization"
    #expect(model.requests.allSatisfy { $0[header]?.hasSuffix(Self.key) == true })

    let tapes = try tapes(household)
    #expect(tapes.count == 1, "\(tapes.map(\.path))")
    let tape = try JSONValue(parsing: tapes.first?.text ?? "")
    #expect(tape["exchanges"]?.arrayValue?.count == model.requests.count)
    #expect(tape["script"]?.arrayValue?.compactMap { $0["user"]?.stringValue }.count == 3)
    #expect(!tapes.contains { $0.text.contains("Canary") })

    let child = try household.start("mock", household.folder + "/tapes")
    let again = try chat(try #require(child.readLine()))
    kill(child.pid, SIGINT)
    #expect(child.wait() == 0)
    #expect(again == said)
  }

  @Test func eachConversationHasACassetteOfItsOwn() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    try record(household, model) { address in
      for words in ["knee", "sleep"] {
        let result = try household.run(
          "chat", "--new", "--base-url", address, "--model", CoachServer.modelName, "--message",
          words)
        #expect(result.status == 0, "\(result.errors)")
      }
    }
    let tapes = try tapes(household)
    #expect(tapes.count == 2)
    for (tape, words) in zip(tapes, ["knee", "sleep"]) {
      let script = try JSONValue(parsing: tape.text)["script"]?.arrayValue ?? []
      #expect(script.compactMap { $0["user"]?.stringValue } == [words])
    }
  }

  @Test func anUpstreamThatIsNotThereIsAnErrorOfTheGateway() async throws {
    let household = try Household()
    let model = try await CoachServer()
    model.stop()
    let child = try household.start(
      "mock", "--upstream", model.baseURL, "--record-to", household.folder + "/tapes")
    let address = try #require(child.readLine(), "\(child.readErrors())")
    let response = try await HTTPClient().send(
      HTTPRequest(method: .post, url: address + "/messages", body: Array("{}".utf8)))
    kill(child.pid, SIGINT)
    #expect(response.status == 502)
    #expect(child.wait() == 0)
  }

  @Test(arguments: [
    ["--upstream", "http://127.0.0.1:9/v1"], ["--record-to", "x"],
    ["--upstream", "nonsense", "--record-to", "x"],
    ["--upstream", "http://127.0.0.1:9", "--record-to", "x", "--fault", "mute"],
  ])
  func whatDoesNotGoTogetherIsSaid(arguments: [String]) throws {
    let result = try Household().run(["mock"] + arguments)
    #expect(result.status == 64, "\(result.errors)")
  }
}
