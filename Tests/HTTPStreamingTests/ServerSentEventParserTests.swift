import TestSupport
import Testing

@testable import HTTPStreaming

struct ServerSentEventParserTests {
  @Test func anErrorLineIsAnEventOfItsOwn() throws {
    var parser = ServerSentEventParser()
    let stream = "data: a\n\nerror: {\"code\":500}\n\ndata: [DONE]\n\n"
    let events = try parser.receive(Array(stream.utf8))
    #expect(events.map(\.field) == [.data, .error, .data])
    #expect(events.map(\.text) == ["a", "{\"code\":500}", "[DONE]"])
  }

  @Test func anErrorLineIsDeliveredBeforeTheStreamBreaks() throws {
    let stream = Array("error: lost\n".utf8)
    for cut in 0...stream.count {
      let reading = try Reading(of: [stream[..<cut], stream[cut...]])
      #expect(reading.errors == ["lost"])
      #expect(reading.events.isEmpty)
    }
  }

  @Test func commentsAreCounted() throws {
    let stream = Array(": a\n:\r\n:b\rdata: x\n: c\n\n: unfinished".utf8)
    for cut in 0...stream.count {
      #expect(try Reading(of: [stream[..<cut], stream[cut...]]).commentCount == 4)
    }
  }

  @Test(arguments: [
    "99999999999999999999", "9223372036854775808", String(repeating: "9", count: 999),
  ])
  func aRetryValueBeyondCountingIsTheLargestNumber(_ digits: String) throws {
    let reading = try Reading(of: [Array("retry: \(digits)\ndata: x\n\n".utf8)[...]])
    #expect(reading.reconnectionTime == .max)
    #expect(reading.events.first?.retry == .max)
  }

  @Test func anEventAtTheLimitIsReadAndOnePastItIsNot() throws {
    for (lines, size) in [("data: 0123456789\n", 16), ("data: a\r\nid: 5\rdata\n", 16)] {
      let stream = Array((lines + "\n").utf8)
      for cut in 0...stream.count {
        let pieces = [stream[..<cut], stream[cut...]]
        #expect(try Reading(of: pieces, eventByteLimit: size).events.count == 1)
        #expect(throws: ServerSentEventTooLarge(limit: size - 1)) {
          try Reading(of: pieces, eventByteLimit: size - 1)
        }
      }
    }
  }

  @Test func commentsAndEarlierEventsDoNotCountTowardsTheLimit() throws {
    let block = ":" + String(repeating: "c", count: 500) + "\ndata: 12345\n\n"
    let stream = Array(String(repeating: block, count: 20).utf8)
    for longest in [1, 7, 100, stream.count] {
      var generator = SeededGenerator(seed: UInt64(longest))
      let pieces = stream.cutAtRandom(longest: longest, using: &generator)
      #expect(try Reading(of: pieces, eventByteLimit: 11).events.count == 20)
    }
  }

  @Test func theLimitHoldsForEverAfter() throws {
    var parser = ServerSentEventParser(eventByteLimit: 8)
    for _ in 0..<2 {
      #expect(throws: ServerSentEventTooLarge.self) {
        try parser.receive(Array("data: 123\n\n".utf8))
      }
    }
  }

  @Test func aGibibyteOfCommentIsNotKept() throws {
    var parser = ServerSentEventParser()
    let piece = [UInt8](repeating: UInt8(ascii: ":"), count: 1 << 20)
    for _ in 0..<1024 {
      #expect(try parser.receive(piece).isEmpty)
      #expect(parser.heldByteCount == 0)
    }
    #expect(try parser.receive(Array("\ndata: x\n\n".utf8)).map(\.text) == ["x"])
    #expect(parser.commentCount == 1)
  }

  @Test func aMillionEventsLeaveNothingBehind() throws {
    var parser = ServerSentEventParser()
    let piece = Array(String(repeating: "data: token\n\n", count: 1000).utf8)
    var count = 0
    for _ in 0..<1000 {
      try piece.withUnsafeBytes { try parser.receive($0) { count += $0.bytes.count == 5 ? 1 : 0 } }
      #expect(parser.heldByteCount == 0)
    }
    #expect(count == 1_000_000)
  }

  @Test func anEventWithinOneChunkIsHandedOutWhereItLies() throws {
    var parser = ServerSentEventParser()
    try Array("data: abc\n\n".utf8).withUnsafeBytes { chunk in
      try parser.receive(chunk) {
        #expect($0.bytes.baseAddress == chunk.baseAddress.map { $0 + 6 })
      }
    }
  }

  @Test func aHandlerThatThrowsEndsTheStream() throws {
    struct Enough: Error {}
    var parser = ServerSentEventParser()
    var seen: [String] = []
    #expect(throws: Enough.self) {
      try Array("data: 1\n\ndata: 2\n\ndata: 3\n\n".utf8).withUnsafeBytes {
        try parser.receive($0) { event in
          seen.append(event.text)
          if seen.count == 2 { throw Enough() }
        }
      }
    }
    #expect(try parser.receive(Array("data: 4\n\n".utf8)).isEmpty)
    #expect(seen == ["1", "2"])
  }

  /// Any bytes at all, in any pieces, make the same events or the same error.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func cutsNeverMatter(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let words = [
      "data", "data:", "data: x", "event: e", "id: 7", "id:\0", "retry: 5", "error: e",
      ": c", ":", "\n", "\r", "\r\n", "\n\n", " ", "\u{FEFF}", "é", "😀", "unknown: y",
    ]
    let count = Int.random(in: 0...60, using: &generator)
    let text = (0..<count).compactMap { _ in words.randomElement(using: &generator) }.joined()
    var stream = Array(text.utf8)
    if seed % 4 == 0 { stream = stream.map { seed % 8 == 0 && $0 > 0x7F ? $0 &- 1 : $0 } }
    let whole = try Reading(of: [stream[...]])
    for longest in [1, 2, 3, 9] {
      let cut = try Reading(of: stream.cutAtRandom(longest: longest, using: &generator))
      #expect(cut.events == whole.events)
      #expect(cut.errors == whole.errors)
      #expect(cut.commentCount == whole.commentCount)
      #expect(cut.lastEventID == whole.lastEventID)
      #expect(cut.reconnectionTime == whole.reconnectionTime)
    }
  }
}

struct AnswerFormatDetectorTests {
  @Test(
    arguments: [
      ("text/event-stream", "data: x", AnswerFormat.eventStream),
      ("text/event-stream", ": c", .eventStream),
      ("Text/Event-Stream ; charset=utf-8", "\n\n", nil), ("text/event-stream", "", nil),
      ("text/event-stream", " {\"error\":1}", .json), ("text/event-stream", "\u{FEFF}[1]", .json),
      ("application/json", "{", .json), ("text/plain", "\r\n\t{\"a\":1}", .json),
      ("text/html", "<html>", .unknown), ("text/plain", "data: x", .unknown),
      (nil, "data: x", .unknown),
      ("text/event-streams", "data: x", .unknown), ("application/json", "", nil),
    ] as [(String?, String, AnswerFormat?)])
  func sniffs(_ type: String?, _ body: String, _ format: AnswerFormat?) {
    let detector = AnswerFormatDetector(status: 200, contentType: type)
    #expect(detector.format(of: body.utf8) == format)
  }

  @Test(arguments: [199, 201, 204, 301, 400, 401, 500])
  func onlyStatus200IsAStream(_ status: Int) {
    #expect(!AnswerFormatDetector(status: status, contentType: "text/event-stream").isEventStream)
  }
}
