import Foundation
import Glibc
import IncrementalJSON
import TestSupport
import Testing

/// `rapport mock` as an engineer starts it.
@Suite(.integration)
struct MockCommandTests {
  /// Serves while the body runs, then Ctrl-C.
  private func withMock(
    _ arguments: String..., in household: Household, _ body: (String) throws -> Void
  ) throws {
    let child = try household.start(["mock"] + arguments)
    let address = try #require(child.readLine(), "\(child.readErrors())")
    do { try body(address) } catch {
      kill(child.pid, SIGINT)
      throw error
    }
    kill(child.pid, SIGINT)
    #expect(child.readRest().isEmpty)
    #expect(child.wait() == 0)
  }

  private func chat(
    _ household: Household, _ address: String, _ more: String...
  ) throws -> RunResult {
    try household.run(
      ["chat", "--new", "--base-url", address, "--model", "mock-coach"] + more, typing: "")
  }

  @Test func theAddressIsPrintedFirstAndAChatCanBeHadThere() throws {
    let household = try Household()
    try withMock(in: household) { address in
      #expect(address.hasPrefix("http://127.0.0.1:") && address.hasSuffix("/v1"))
      let result = try chat(household, address)
      #expect(result.output.contains("What would you like to change?"))
    }
  }

  @Test func aFaultReachesThePersonInWords() throws {
    let household = try Household()
    try withMock("--fault", "status:401", in: household) { address in
      let result = try chat(household, address, "--json")
      #expect(result.output.contains(#""code":"key-missing""#))
    }
  }

  @Test func requestsAreToldWhereThatIsWanted() throws {
    let household = try Household()
    let child = try household.start(
      "mock", "--verbose", "--fault", "chunks:bytes=40", "--times", "1")
    let address = try #require(child.readLine())
    _ = try chat(household, address)
    kill(child.pid, SIGTERM)
    let told = child.readErrors()
    #expect(told.contains(/POST \/v1\/chat\/completions 200 rule \d+ \[chunks:bytes=40\]/))
    #expect(child.wait() == 0)
  }

  @Test func rulesOfOnesOwnAnswer() throws {
    let household = try Household()
    try household.write(
      #"{"version":1,"models":["mock-coach"],"rules":[],"otherwise":{"text":"Only this."}}"#,
      to: "rules.json")
    try withMock("--rules", household.folder + "/rules.json", in: household) { address in
      let result = try chat(household, address)
      #expect(result.output.contains("Only this."))
    }
  }

  @Test(arguments: [
    (["--host", "0.0.0.0"], Int32(64), "--allow-beyond-loopback"),
    (["--fault", "oops"], 64, "there is no fault"), (["--times", "2"], 64, "--fault"),
    (["--fault", "mute", "--only", "never"], 64, "--only must be one of"),
    (["--rules", "missing.json"], 65, "missing.json"), (["missing"], 65, "missing"),
    (["--port", "70000"], 64, "--port"),
  ])
  func whatCannotBeServedIsSaid(arguments: [String], status: Int32, words: String) throws {
    let result = try Household().run(["mock"] + arguments)
    #expect(result.status == status)
    #expect(result.errors.contains(words))
    #expect(result.output.isEmpty)
  }

  @Test func aPortInUseIsNamedWithAWayOut() throws {
    let household = try Household()
    try withMock(in: household) { address in
      let port = try #require(address.split(separator: ":").last?.split(separator: "/").first)
      let result = try household.run("mock", "--port", String(port))
      #expect(result.status == 69 && result.output.isEmpty)
      #expect(
        result.errors
          == "Port \(port) on 127.0.0.1 is in use by another program. Stop that program, "
          + "or choose another port; port 0 picks a free one.\n")
    }
  }

  @Test(arguments: [
    (["--host", "nowhere.invalid"], "the host name can't be resolved"),
    (["--host", "127.0.0.1.5"], "the host name can't be resolved"),
  ])
  func anAddressThatIsNotHereIsUsage(arguments: [String], words: String) throws {
    let result = try Household().run(["mock"] + arguments)
    #expect(result.status == 64 && result.errors.contains(words), "\(result.errors)")
  }

  @Test func faultsAreListed() throws {
    let result = try Household().run("mock", "--list-faults")
    #expect(result.status == 0)
    #expect(result.output.contains("rate-limit\n    429;"))
    #expect(result.output.contains("shape=vendor (vendor, openai,"))
  }
}
