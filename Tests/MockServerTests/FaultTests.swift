import Cassettes
import HTTPStreaming
import IncrementalJSON
import LanguageModels
import Testing
import WireFormats

/// What each fault does to an answer, in both formats, streamed and not.
struct FaultTests {
  static let answer = RecordedResponse(
    content: .answer(
      ModelAnswer(
        .text("Two swims a week, kind to the knee, and then we see how you feel."),
        usage: TokenUsage(input: 120, output: 17))))

  /// Every fault with each value that it can be given.
  static let all: [Fault] = Fault.Name.allCases.flatMap { name -> [Fault] in
    let choices = name.parameters.flatMap { parameter in
      parameter.allowed.map { "\(name.rawValue):\(parameter.key)=\($0)" }
    }
    return ([name.rawValue] + choices).compactMap { try? Fault($0) }
  }

  static func delivery(
    _ fault: String?, _ format: WireFormat, isStreaming: Bool = true, seed: UInt64 = 1,
    _ response: RecordedResponse = answer
  ) throws -> Delivery {
    Delivery(
      response, format: format, model: "m", isStreaming: isStreaming,
      fault: try fault.map { text throws(Fault.Unreadable) in try Fault(text) }, seed: seed)
  }

  private static func text(_ delivery: Delivery) -> String {
    String(decoding: delivery.parts.flatMap(\.bytes), as: UTF8.self)
  }

  @Test(arguments: all)
  func theSameSeedGivesTheSameBytesInOrderOfTime(fault: Fault) throws {
    for format in WireFormat.allCases {
      for isStreaming in [true, false] {
        let make = {
          Delivery(
            Self.answer, format: format, model: "m", isStreaming: isStreaming, fault: fault, seed: 7
          )
        }
        let delivery = make()
        #expect(delivery == make())
        #expect(delivery.parts.map(\.at) == delivery.parts.map(\.at).sorted())
        #expect(delivery.parts.allSatisfy { !$0.bytes.isEmpty })
      }
    }
  }

  @Test(arguments: all)
  func itsTextIsReadAsItIsWritten(fault: Fault) throws {
    #expect(try Fault(fault.description) == fault)
  }

  @Test(arguments: ["split", "split:at=40", "chunks:bytes=3", "chunks:9,random=yes", "drip"])
  func whatCutsTheBytesChangesNone(fault: String) throws {
    for format in WireFormat.allCases {
      for isStreaming in [true, false] {
        let whole = try Self.delivery(nil, format, isStreaming: isStreaming)
        let cut = try Self.delivery(fault, format, isStreaming: isStreaming)
        #expect(Self.text(cut) == Self.text(whole))
        #expect(cut.parts.count != whole.parts.count && cut.keepsParts)
        #expect(cut.headers == whole.headers && cut.ending == whole.ending)
      }
    }
  }

  @Test func chanceFollowsTheSeed() throws {
    let sizes = try [1, 1, 2].map { seed in
      try Self.delivery("chunks:9,random=yes", .openAI, seed: seed).parts.map(\.bytes.count)
    }
    #expect(sizes[0] == sizes[1] && sizes[0] != sizes[2])
    #expect(Set(sizes[0]).count > 3)
  }

  @Test(arguments: ["cut:4", "cut:4,close=reset", "cut:4,close=clean", "silence:4"])
  func whatEndsEarlyKeepsSoManyFrames(fault: String) throws {
    for format in WireFormat.allCases {
      let whole = try Self.delivery(nil, format)
      let cut = try Self.delivery(fault, format)
      #expect(cut.parts == Array(whole.parts.prefix(4)))
      #expect((cut.ending == .whole) == fault.hasSuffix("clean"))
      let document = try Self.delivery(nil, format, isStreaming: false)
      let cutDocument = try Self.delivery(fault, format, isStreaming: false)
      #expect(Self.text(document).hasPrefix(Self.text(cutDocument)))
      #expect(cutDocument.byteCount < document.byteCount)
      #expect(cutDocument.headers == document.headers)
    }
  }

  @Test func anErrorInTheStreamHasTheFormatsShapeUnlessAnotherIsNamed() throws {
    let openAI = try Self.text(Self.delivery("stream-error", .openAI))
    #expect(openAI.contains(#"data: {"error":{"message""#) && !openAI.contains("[DONE]"))
    let anthropic = try Self.text(Self.delivery("stream-error", .anthropic))
    #expect(anthropic.contains("event: error\ndata: {\"type\":\"error\""))
    #expect(!anthropic.contains("message_stop"))
    let llama = try Self.text(Self.delivery("stream-error:shape=llamacpp", .openAI))
    #expect(llama.contains("\n\nerror: {\"code\":500") && llama.hasSuffix("data: [DONE]\n\n"))
    let ollama = try Self.text(Self.delivery("stream-error:shape=ollama", .openAI))
    #expect(!ollama.contains("error") && !ollama.contains(#""finish_reason":"stop""#))
  }

  @Test func theEndMarkIsMissing() throws {
    #expect(try !Self.text(Self.delivery("no-done", .openAI)).contains("[DONE]"))
    let anthropic = try Self.text(Self.delivery("no-done", .anthropic))
    #expect(!anthropic.contains("message_stop") && anthropic.contains("end_turn"))
  }

  @Test func brokenJSONIsBrokenInBothFormatsAndInDocuments() throws {
    for format in WireFormat.allCases {
      let lines = try Self.text(Self.delivery("malformed", format)).split(separator: "\n")
        .filter { $0.hasPrefix("data: {") }.map { $0.dropFirst(6) }
      #expect(lines.contains { (try? JSONValue(parsing: String($0))) == nil })
      let document = try Self.text(Self.delivery("malformed", format, isStreaming: false))
      #expect((try? JSONValue(parsing: document)) == nil)
    }
  }

  @Test(arguments: [400, 401, 403, 404, 408, 409, 413, 429, 500, 502, 503, 504, 529])
  func aStatusHasABodyInTheVendorsShape(code: Int) throws {
    let openAI = try Self.delivery("status:\(code)", .openAI)
    #expect(openAI.status == code)
    let error = try JSONValue(parsing: Self.text(openAI))["error"]
    #expect(error?["message"]?.stringValue?.isEmpty == false)
    #expect(error?["type"]?.stringValue?.isEmpty == false)
    let anthropic = try JSONValue(parsing: Self.text(Self.delivery("status:\(code)", .anthropic)))
    #expect(anthropic["type"] == "error" && anthropic["error"]?["type"] != nil)
  }

  @Test func everyWayToTellAWaitIsThere() throws {
    func headers(_ wait: String, _ format: WireFormat = .openAI) throws -> [String: String] {
      let delivery = try Self.delivery("rate-limit:\(wait)", format)
      #expect(delivery.status == 429)
      return Dictionary(delivery.headers.fields.map { ($0.name, $0.value) }) { $1 }
    }
    #expect(try headers("seconds")["retry-after"] == "2")
    #expect(try headers("float")["retry-after"] == "1.5")
    #expect(try headers("ms")["retry-after-ms"] == "750")
    #expect(try headers("date")["retry-after"] == "Mon, 05 Jan 2026 08:00:03 GMT")
    #expect(try headers("reset")["x-ratelimit-reset-requests"] == "1.2s")
    #expect(
      try headers("reset", .anthropic)["anthropic-ratelimit-requests-reset"]
        == "2026-01-05T08:00:04Z")
    #expect(try headers("never")["x-should-retry"] == "false")
    #expect(try headers("none")["retry-after"] == nil)
    #expect(
      try Self.text(Self.delivery("rate-limit:quota", .openAI)).contains("insufficient_quota"))
    #expect(try Self.delivery("rate-limit:quota", .anthropic).status == 402)
  }

  @Test func whatIsSaidChangesAndTheFrameDoesNot() throws {
    for format in WireFormat.allCases {
      for isStreaming in [true, false] {
        func text(_ fault: String) throws -> String {
          try Self.text(Self.delivery(fault, format, isStreaming: isStreaming))
        }
        #expect(try text("fences").contains("```json"))
        #expect(try text("schema-ignored").contains("Sure! From"))
        #expect(try text("length").contains(format == .openAI ? #""length""# : "max_tokens"))
        #expect(try text("refusal").contains("refusal"))
        let tokens = format == .openAI ? #""total_tokens":4096"# : #""input_tokens":4079"#
        #expect(try text("prompt-cut").contains(tokens))
        #expect(try text("huge:2").utf8.count > 2 << 20)
        #expect(try text("huge:2").utf8.count < 3 << 20)
      }
    }
  }

  @Test func aWholeBodyIsOneDocumentWhereAStreamWasAskedFor() throws {
    for format in WireFormat.allCases {
      let delivery = try Self.delivery("whole-body", format)
      let document = try Self.delivery(nil, format, isStreaming: false)
      #expect(delivery.headers == document.headers)
      #expect(Self.text(delivery) == Self.text(document))
    }
  }

  @Test func whatAnswersInstead() throws {
    let page = try Self.delivery("html", .openAI)
    #expect(page.status == 502 && page.headers["content-type"] == "text/html")
    #expect(try Self.delivery("html:200", .openAI).status == 200)
    let redirect = try Self.delivery("redirect:301", .openAI)
    #expect(redirect.status == 301 && redirect.headers["location"] != nil)
    let renamed = try Self.delivery("content-type:value=application/octet-stream", .anthropic)
    #expect(renamed.headers == ["content-type": "application/octet-stream"])
    let empty = try Self.delivery("empty", .openAI)
    #expect(empty.status == 200 && empty.parts.isEmpty && empty.ending == .whole)
    let mute = try Self.delivery("mute", .openAI)
    #expect(mute.isSilent && mute.parts.isEmpty && mute.ending == .held)
    #expect(try Self.delivery("done-held", .anthropic).ending == .held)
  }

  /// A recording holds frames; what changes the words has to read them first.
  @Test(arguments: WireFormat.allCases)
  func recordedFramesAreBrokenLikeWrittenAnswers(format: WireFormat) throws {
    let whole = try Self.delivery(nil, format)
    var recorded = Self.answer
    recorded.content = .frames(
      whole.parts.map { .init(at: $0.at, .raw(String(decoding: $0.bytes, as: UTF8.self))) })
    #expect(try Self.delivery(nil, format, recorded) == whole)
    recorded.content = .frames(try Self.events(in: whole))
    for fault in [nil, "fences", "length", "whole-body", "prompt-cut", "cut:4", "malformed"] {
      for isStreaming in [true, false] {
        #expect(
          try Self.text(Self.delivery(fault, format, isStreaming: isStreaming, recorded))
            == Self.text(Self.delivery(fault, format, isStreaming: isStreaming)))
      }
    }
  }

  private static func events(in delivery: Delivery) throws -> [RecordedResponse.Frame] {
    try delivery.parts.map { part in
      let lines = String(decoding: part.bytes, as: UTF8.self).split(separator: "\n")
      let data = lines.last.map { String($0.dropFirst("data: ".count)) } ?? ""
      let name = lines.count > 1 ? String(lines[0].dropFirst("event: ".count)) : nil
      let value = data == "[DONE]" ? .string(data) : try JSONValue(parsing: data)
      return .init(at: part.at, .event(name, value))
    }
  }

  @Test(arguments: [
    ("nonsense", "there is no fault"), ("cut:close=gently", "is one of clean, unclean, reset"),
    ("split:at=-1", "whole number"), ("cut:7,reset,9", "no parameter"),
    ("mute:1", "has no parameter"), ("content-type:a\r\nb", "control character"),
  ])
  func whatCannotBeReadIsNamed(text: String, words: String) {
    #expect { try Fault(text) } throws: { error in
      (error as? Fault.Unreadable)?.reason.contains(words) == true
    }
  }

  @Test(arguments: Fault.Name.allCases)
  func everyFaultSaysWhatItDoes(name: Fault.Name) {
    #expect(name.summary.hasSuffix("."))
  }
}
