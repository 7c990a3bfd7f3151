import TestSupport
import Testing

@testable import RapportServer

/// What keeps the server from starting.
@Suite(.integration) struct StartTests {
  @Test func aPortInUseIsNamed() async throws {
    let first = try await TestServer(TestFolder())
    var options = ServerOptions.forTests
    options.port = first.client.port
    let error = await #expect(throws: RapportServer.CannotListen.self) {
      _ = try await TestServer(TestFolder(), options: options)
    }
    let words = "Port \(options.port) on 127.0.0.1 is in use by another program."
    #expect(error?.description.hasPrefix(words) == true)
    await first.stop()
  }
}
