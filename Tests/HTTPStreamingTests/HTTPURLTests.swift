import HTTPStreaming
import Testing

struct HTTPURLTests {
  @Test(arguments: [
    "https://api.example.com/v1", "https://api.example.com", "https://a-b.example.com:8443/v1?x=1",
    "http://localhost:11434/v1", "http://127.0.0.1:8080", "http://127.200.3.4/",
    "http://[::1]:80/x",
    "https://192.0.2.7/v1", "https://[2001:db8::1]:8443/v1", "https://xn--bcher-kva.example/",
    "http://[0:0:0:0:0:0:0:1]/", "https://my_host.internal/v1",
  ])
  func acceptsAndKeepsTheSpelling(_ text: String) throws {
    #expect(try HTTPURL(validating: text).description == text)
  }

  @Test func readsTheParts() throws {
    let url = try HTTPURL(validating: "HTTPS://API.Example.COM:8443/v1/Chat?key=a&b=?c")
    #expect(url.scheme == .https)
    #expect(url.host == "api.example.com")
    #expect(url.port == 8443)
    #expect(url.path == "/v1/Chat")
    #expect(url.query == "key=a&b=?c")
    #expect(!url.isLoopback)
    #expect(url.withoutQuery == "https://api.example.com:8443/v1/Chat")
  }

  @Test(arguments: [("https://a.example", 443), ("http://localhost", 80), ("http://[::1]:9", 9)])
  func knowsThePort(_ text: String, port: Int) throws {
    #expect(try HTTPURL(validating: text).port == port)
  }

  @Test(
    arguments: [
      ("", .empty), ("api.example.com/v1", .noScheme), ("localhost:8080/v1", .noScheme),
      ("//example.com", .noScheme), ("https:/example.com", .scheme("https")),
      ("https://", .noHost), ("https:///v1", .noHost), ("https://:443/", .noHost),
      ("file:///etc/passwd", .scheme("file")), ("ftp://example.com", .scheme("ftp")),
      ("gopher://example.com", .scheme("gopher")), ("ws://127.0.0.1", .scheme("ws")),
      ("javascript:alert(1)", .scheme("javascript")), ("data:text/plain,x", .scheme("data")),
      ("http://example.com/v1", .insecure), ("http://127.0.0.1.example.com", .insecure),
      ("http://localhost.example.com", .insecure), ("http://10.0.0.1", .insecure),
      ("http://[::2]/", .insecure), ("http://0.0.0.0/", .insecure),
      ("http://localhost./", .insecure),
      ("http://[::ffff:127.0.0.1]/", .insecure),
      ("https://good.example@evil.example/v1", .userInformation),
      ("https://user:secret@evil.example/", .userInformation),
      ("http://127.0.0.1@evil.example/", .userInformation),
      ("https://good.example\\@evil.example/", .backslash(position: 21)),
      ("https://evil.example#@good.example/", .fragment), ("https://a.example/#x", .fragment),
      ("https://a.example:0/", .port), ("https://a.example:65536/", .port),
      ("https://a.example:/", .port), ("https://a.example:80x/", .port),
      ("https://a.example:99999999999999999999/", .port), ("https://a.example:+80/", .port),
      ("https://2130706433/", .ambiguousAddress), ("https://0x7f000001/", .ambiguousAddress),
      ("http://127.1/", .ambiguousAddress), ("http://0177.0.0.1/", .ambiguousAddress),
      ("https://1.2.3.256/", .ambiguousAddress),
      ("https://a..example/", .host), ("https://.example/", .host), ("https://a%2eexample/", .host),
      ("https://[::1/", .host), ("https://[fe80::1%25eth0]/", .host), ("https://[1]x/", .host),
      ("https://a.example/a b", .space(position: 20)), (" https://a.example", .space(position: 1)),
      ("https://a.example/\r\nX-Evil: 1", .control(position: 19)),
      ("https://a.example/\u{0}", .control(position: 19)),
      ("https://a.example/\u{85}", .control(position: 19)),
      ("https://аpi.example/", .notASCII(position: 9)),
    ] as [(String, HTTPURLError.Reason)])
  func refuses(_ text: String, reason: HTTPURLError.Reason) {
    let error = #expect(throws: HTTPURLError.self) { try HTTPURL(validating: text) }
    #expect(error?.reason == reason)
  }

  @Test func namesTheRealHostAndHidesWhatWasBeforeTheAt() throws {
    let error = #expect(throws: HTTPURLError.self) {
      try HTTPURL(validating: "https://api.openai.com:sk-secret@evil.example:444/v1")
    }
    let words = try #require(error).description
    #expect(words.contains("evil.example"))
    #expect(!words.contains("sk-secret"))
  }

  @Test(arguments: [
    "http://localhost", "http://LOCALHOST:1", "http://127.0.0.1", "https://127.255.255.255",
    "https://[::1]",
  ])
  func knowsThisMachine(_ text: String) throws {
    #expect(try HTTPURL(validating: text).isLoopback)
  }

  @Test(arguments: ["https://128.0.0.1", "https://localhost.example", "https://[::1:0]"])
  func knowsOtherMachines(_ text: String) throws {
    #expect(try !HTTPURL(validating: text).isLoopback)
  }
}
