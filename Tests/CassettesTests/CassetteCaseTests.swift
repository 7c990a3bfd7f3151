import HTTPStreaming
import IncrementalJSON
import LanguageModels
import TestSupport
import Testing
import WireFormats

@testable import Cassettes

/// Each case of the group `cassette`, in this project's layout where the case shows another one.
/// What a case asks of the program as a whole (a folder that cannot be written, kill -9) is with the
/// tests of the program and of `CassetteFile`.
struct CassetteCaseTests {
  private static let cases: [String: Case] = {
    let all = ((try? CaseFile("hostile-cases").cases) ?? []).filter {
      $0["surface"]?.string == "cassette"
    }
    return Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }()

  private func input(_ name: String) throws -> [UInt8] {
    try #require(Self.cases[name]?.input, "\(name) is gone")
  }

  private static let request = Array(
    #"{"model":"m","messages":[{"role":"user","content":"hello"}],"stream":true}"#.utf8)

  private func replaying(_ exchanges: [Exchange]) -> (CassettePlayer, ReplayTransport) {
    let player = CassettePlayer(Cassette(title: "t", rubricVersion: 1, exchanges: exchanges))
    return (player, ReplayTransport(player))
  }

  private func send(_ transport: ReplayTransport) async throws(HTTPError) -> [UInt8] {
    try await transport.send(
      HTTPRequest(method: .post, url: "https://api.example.com/v1", body: Self.request)
    ).body.bytes(limit: 1 << 20)
  }

  private func exchange(_ words: [String], _ response: RecordedResponse) -> Exchange {
    Exchange(
      purpose: .ask,
      request: RequestRecord(
        model: "m", structure: nil, messages: 1, words: Fingerprint.of(words), conversation: "",
        prompt: ""),
      response: response)
  }

  @Test func everyCaseOfTheGroupHasATest() {
    #expect(
      Set(Self.cases.keys) == [
        "cass-empty-file", "cass-not-json", "cass-version-unknown", "cass-no-more-interactions",
        "cass-request-differs", "cass-unused-interactions", "cass-key-in-response-body",
        "cass-key-split-over-chunks", "cass-cookie-and-org-headers", "cass-chunk-bad-base64",
        "cass-negative-delay", "cass-huge-delay", "cass-crlf-converted", "cass-blanked-stream-body",
        "cass-path-escape", "cass-read-only-folder", "cass-crash-while-recording",
        "cass-two-recorders",
      ])
  }

  /// Cassettes of another layout are refused as a whole, whatever is in them.
  @Test func noCaseIsReadAsACassette() throws {
    for item in Self.cases.values {
      guard let bytes = item.input else { continue }
      let error = #expect(throws: FieldError.self, "\(item)") { try Cassette(parsing: bytes) }
      #expect(error?.reason.isEmpty == false)
    }
  }

  @Test func anEmptyFileAndWhatIsNoJSONSaySo() throws {
    let empty = #expect(throws: FieldError.self) {
      try Cassette(parsing: input("cass-empty-file"))
    }
    #expect(empty?.reason == "the file is empty")
    let other = #expect(throws: FieldError.self) {
      try Cassette(parsing: input("cass-not-json"))
    }
    #expect(other?.reason.hasPrefix("not valid JSON at line 1") == true)
  }

  @Test func anotherVersionSaysWhichOneIsReadAndHowToRecordAnew() throws {
    let error = #expect(throws: FieldError.self) {
      try Cassette(parsing: input("cass-version-unknown"))
    }
    #expect(
      error?.description
        == "version: I read version 1, this has 999; record it again with `rapport chat --record`")
  }

  @Test func aRequestWithoutARecordingFailsAndIsShown() async throws {
    let (player, transport) = replaying([])
    let error = await #expect(throws: HTTPError.self) { try await send(transport) }
    #expect(error?.code == .refusedURL, "nothing tries it again, nothing goes to the network")
    #expect(player.unmatched.map(\.content.messages) == [[ModelMessage(.user, "hello")]])
  }

  @Test func aRequestThatDiffersFailsWithWhatWasRecordedNext() async throws {
    let (player, transport) = replaying([
      exchange(["something else"], RecordedResponse(content: .answer(ModelAnswer(.text("x")))))
    ])
    await #expect(throws: HTTPError.self) { try await send(transport) }
    #expect(player.unmatched.map(\.nearest) == [0])
    #expect(player.unmatched.map(\.left) == [1])
  }

  @Test func whatIsLeftOverIsReported() async throws {
    let answer = RecordedResponse(content: .answer(ModelAnswer(.text("x"))))
    let (player, transport) = replaying([exchange(["hello"], answer), exchange(["hello"], answer)])
    _ = try await send(transport)
    #expect(player.leftovers.map(\.exchange) == [1])
  }

  /// A server's answer as a recorder would keep it.
  private func recorded(
    status: Int = 200, headers: HTTPHeaders = ["content-type": "application/json"],
    _ pieces: [String], key: String = "sk-test-1234567890abcdef"
  ) async throws -> (Cassette, ConversationRecording) {
    let recorder = CassetteRecorder(Canned(status: status, headers: headers, pieces: pieces))
    let response = try await recorder.send(
      HTTPRequest(
        method: .post, url: "https://api.example.com/v1",
        headers: ["authorization": "Bearer \(key)"], body: Self.request, purpose: "ask"))
    #expect(try await response.body.bytes(limit: 1 << 20) == pieces.flatMap { Array($0.utf8) })
    let facts = ConversationRecording.Facts(
      title: "t", wireFormat: .openAI, rubricVersion: 1, settings: Cassette.Settings())
    return (recorder.recording.cassette(facts), recorder.recording)
  }

  @Test func aKeyInABodyIsMasked() async throws {
    let text = String(decoding: try input("cass-key-in-response-body"), as: UTF8.self)
    let body = try #require(
      try JSONValue(parsing: text)["interactions"]?[0]?["response"]?["body"]?.stringValue)
    let (cassette, _) = try await recorded(status: 401, [body])
    #expect(cassette.exchanges[0].response.content == .body("Incorrect API key provided: [key]"))
  }

  @Test func aKeyThatIsSplitOverChunksIsMasked() async throws {
    let text = String(decoding: try input("cass-key-split-over-chunks"), as: UTF8.self)
    let chunks = try #require(
      try JSONValue(parsing: text)["interactions"]?[0]?["response"]?["chunks"]?.arrayValue?
        .compactMap(\.stringValue))
    let (whole, _) = try await recorded(chunks, key: "another-key-of-mine")
    #expect(whole.exchanges[0].response.content == .body("...[key-1]..."))
    let events = chunks.map { "data: \($0)\n\n" }
    let (stream, _) = try await recorded(headers: ["content-type": "text/event-stream"], events)
    #expect(SecretScan.findings(in: stream, file: "").isEmpty)
    #expect(stream.text.contains("...[key]"))
    #expect(!stream.text.contains("67890abcdef"))
  }

  @Test func headersAreKeptByAList() async throws {
    let (cassette, _) = try await recorded(
      headers: [
        "Set-Cookie": "s=1", "openai-organization": "org-abc", "x-request-id": "r",
        "x-new-and-secret": "1",
      ], ["{}"])
    #expect(cassette.exchanges[0].response.headers == ["x-request-id": "r"])
  }

  @Test func delaysAndCodeThatCannotBeAreRefusedByName() {
    func error(_ frame: String) -> String? {
      let text =
        #"{"version":1,"title":"t","rubricVersion":1,"exchanges":[{"response":{"frames":[\#(frame)]}}]}"#
      do throws(FieldError) {
        _ = try Cassette(parsing: Array(text.utf8))
        return nil
      } catch {
        return error.path
      }
    }
    let place = "exchanges[0].response.frames[0]"
    #expect(error(#"{"raw":"x","at":-5}"#) == place + ".at")
    #expect(error(#"{"raw":"x","at":1e18}"#) == place + ".at")
    #expect(error(#"{"base64":"@@@"}"#) == place + ".base64")
    #expect(error(#"{"raw":"x","at":3600000}"#) == nil)
  }

  @Test func lineEndsThatVersionControlChangesChangeNothing() async throws {
    let (cassette, _) = try await recorded(
      headers: ["content-type": "text/event-stream"],
      ["data: {\"a\":1}\n\n", "data: x\r\n\r\n", ": y\n\n", "data: \u{1}\n\n"])
    let converted = cassette.text.replacing("\n", with: "\r\n")
    #expect(try Cassette(parsing: Array(converted.utf8)) == cassette)
  }

  @Test func aStreamThatIsRecordedBlankIsReportedAtOnce() async throws {
    let (cassette, recording) = try await recorded(
      headers: ["content-type": "text/event-stream"], [])
    #expect(recording.blankStreams == [.ask])
    #expect(cassette.exchanges[0].response.content == .frames([]))
    let (_, good) = try await recorded(headers: ["content-type": "text/event-stream"], [": x\n\n"])
    #expect(good.blankStreams.isEmpty)
  }

  @Test func noFieldIsAPath() throws {
    let text =
      #"{"version":1,"title":"t","rubricVersion":1,"exchanges":[{"response":{"bodyFile":"../../../../etc/passwd"}}]}"#
    let error = #expect(throws: FieldError.self) { try Cassette(parsing: Array(text.utf8)) }
    #expect(error?.path == "exchanges[0].response.bodyFile")
  }
}

/// A server without a network.
private struct Canned: HTTPTransport {
  var status: Int
  var headers: HTTPHeaders
  var pieces: [String]

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    HTTPResponse(status: status, headers: headers, body: HTTPBody(CannedBody(pieces)))
  }
}

private actor CannedPieces {
  private var rest: ArraySlice<String>

  init(_ pieces: [String]) { rest = pieces[...] }

  func next() -> [UInt8]? { rest.popFirst().map { Array($0.utf8) } }
}

private final class CannedBody: HTTPBodySource {
  private let pieces: CannedPieces

  init(_ pieces: [String]) { self.pieces = CannedPieces(pieces) }

  func next() async throws(HTTPError) -> [UInt8]? { await pieces.next() }
  func close() {}
}
