import IncrementalJSON
import TestSupport
import Testing
import WireFormats

@testable import Cassettes

struct EventStreamCutterTests {
  private static let pieces = [
    "data: {\"a\":1}\n\n", "event: ping\ndata: {}\n\n", ": keep-alive\n\n", "data: [DONE]\n\n",
    "\n",
    "data: {\"a\": 1.0}\r\n\r\n", "data: x\rdata: y\r\r", "id: 7\ndata: \"q\"\n\n", "\r\n",
    "data: {\"a\":",
    "data: caf\u{e9}\n\n", "event: e\nid: 3\ndata: 1\n\n", "retry: 5\n\n",
  ]

  @Test func everyByteIsWrittenBackHoweverTheStreamIsCut() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<500 {
      var bytes = (0..<6).flatMap { _ in
        Array((Self.pieces.randomElement(using: &random) ?? "").utf8)
      }
      if Bool.random(using: &random) {
        bytes.insert(0xFF, at: .random(in: 0...bytes.count, using: &random))
      }
      var at = 0
      let chunks = bytes.cutAtRandom(longest: 7, using: &random).map { piece in
        at += Int.random(in: 0...9, using: &random)
        return TimedChunk(at: at, bytes: Array(piece))
      }
      let blocks = EventStreamCutter.blocks(chunks)
      let whole = EventStreamCutter.blocks([TimedChunk(at: 0, bytes: bytes)])
      #expect(blocks.map(\.bytes) == whole.map(\.bytes), "chunks do not move the cuts")
      #expect(blocks.map(\.at) == blocks.map(\.at).sorted())
      let frames = blocks.map { RecordedResponse.Frame(at: $0.at, wireBytes: $0.bytes) }
      #expect(frames.flatMap(\.wireBytes) == bytes)
    }
  }

  @Test func aFrameIsReadableWhereThatGivesTheSameBytes() {
    func content(_ text: String) -> RecordedResponse.Frame.Content {
      RecordedResponse.Frame(at: 0, wireBytes: Array(text.utf8)).content
    }
    #expect(content("data: {\"a\":[1]}\n\n") == .event(nil, ["a": [1]]))
    #expect(content("event: ping\ndata: {}\n\n") == .event("ping", [:]))
    #expect(content("data: [DONE]\n\n") == .event(nil, "[DONE]"))
    #expect(content("data: \"q\"\n\n") == .event(nil, "\"q\""))
    #expect(content("data: {\"a\": 1}\n\n") == .event(nil, "{\"a\": 1}"))
    for raw in ["data:{}\n\n", ": x\n\n", "data: {}\r\n\r\n", "data: {}\n"] {
      #expect(content(raw) == .raw(raw))
    }
    #expect(RecordedResponse.Frame(at: 0, wireBytes: [0xC3]).content == .bytes([0xC3]))
  }

  @Test func anEventHasTheTimeOfItsLastByte() {
    let chunks = [
      TimedChunk(at: 5, bytes: Array("data: a\n".utf8)),
      TimedChunk(at: 9, bytes: Array("\ndata: b\n\nda".utf8)),
      TimedChunk(at: 30, bytes: Array("ta: c\n\n".utf8)),
    ]
    #expect(EventStreamCutter.blocks(chunks).map(\.at) == [9, 9, 30])
  }
}
