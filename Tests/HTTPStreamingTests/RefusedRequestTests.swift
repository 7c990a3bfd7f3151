import HTTPStreaming
import TestSupport
import Testing

/// What is refused before a byte is sent.
@Suite(.integration)
struct RefusedRequestTests {
  @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\u{0}b", "a\u{7F}", "a\u{1B}[0m", "a\u{85}"])
  func aHeaderValueWithAControlCharacterIsNeverSent(_ value: String) async throws {
    let server = try LoopbackServer { try $0.respond() }
    let error = await #expect(throws: HTTPError.self) {
      try await HTTPClient().send(
        HTTPRequest(url: server.url(), headers: ["x-api-key": "sk-secret" + value]))
    }
    let words = try #require(error).description
    #expect(error?.code == .refusedHeader)
    #expect(words.contains("x-api-key"))
    #expect(words.contains("position 11"))
    #expect(!words.contains("sk-secret"))
    #expect(server.connections.value == 0)
  }

  @Test(arguments: ["", "a b", "a:b", "a\r\nb", "é", "a\u{0}"])
  func aHeaderNameThatIsNoTokenIsNeverSent(_ name: String) async throws {
    let server = try LoopbackServer { try $0.respond() }
    let headers = HTTPHeaders([.init(name: "ok", value: "1"), .init(name: name, value: "v")])
    let error = await #expect(throws: HTTPError.self) {
      try await HTTPClient().send(HTTPRequest(url: server.url(), headers: headers))
    }
    #expect(error?.code == .refusedHeader)
    #expect(error?.description.contains("header 2") == true)
    #expect(server.connections.value == 0)
  }

  @Test func eachURLIsCheckedAfterOneThatPassed() async throws {
    let server = try LoopbackServer { try $0.respond() }
    let client = HTTPClient()
    for url in [server.url(), server.url("/K"), "file:///etc/passwd", server.url("/other")] {
      let answer = try? await client.send(HTTPRequest(url: url))
      #expect((answer?.status == 200) == url.hasPrefix("http"), "\(url)")
    }
    // The Kelvin sign, which Swift takes for the same character.
    for path in ["/K", "/\u{212A}"] {
      let answer = try? await client.send(HTTPRequest(url: server.url(path)))
      #expect((answer?.status == 200) == (path.utf8.count == 2), "\(path)")
    }
  }

  @Test func aRefusedURLSaysWhy() async throws {
    let error = await #expect(throws: HTTPError.self) {
      try await HTTPClient().send(HTTPRequest(url: "file:///etc/passwd"))
    }
    #expect(error?.code == .refusedURL)
    #expect(error?.description.contains("\"file\"") == true)
  }

  @Test(arguments: [
    "Authorization", "X-API-KEY", "cookie", "openai-organization", "proxy-authorization", "api-key",
  ])
  func descriptionsMaskSecrets(_ name: String) {
    let request = HTTPRequest(
      method: .post, url: "https://api.example/v1?key=sk-hidden",
      headers: [name: "sk-hidden", "accept": "text/event-stream"], body: Array("sk-hidden".utf8))
    var dumped = ""
    dump(request, to: &dumped)
    for text in [
      "\(request)", String(reflecting: request), dumped, "\(request.headers)",
      "\(request.headers.fields)", String(reflecting: request.headers),
    ] {
      #expect(!text.contains("sk-hidden"))
    }
    #expect("\(request)".contains("accept: text/event-stream"))
    #expect("\(request)".contains("POST https://api.example/v1\n"))
  }
}
