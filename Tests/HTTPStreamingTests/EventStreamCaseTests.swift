import HTTPStreaming
import TestSupport
import Testing

/// Every case of the case file, whole and at every kind of cut.
struct EventStreamCaseTests {
  static let all: [Case] = (try? CaseFile("sse-cases").cases) ?? []
  static let open = all.filter { $0["open"]?.bool == true }
  /// Cutting a long stream everywhere would take minutes and show nothing new.
  static let short = open.filter { ($0.input?.count ?? 0) <= 8192 }

  @Test func caseFileIsComplete() {
    #expect(Self.all.count >= 133)
    #expect(Self.open.count > 100)
    #expect(Self.short.count > 100)
  }

  @Test(arguments: all)
  func opensExactlyWhereStatusAndTypeSayEvents(_ example: Case) throws {
    let http = try #require(example["http"])
    let detector = AnswerFormatDetector(
      status: try #require(http["status"]?.int), contentType: http["content_type"]?.string)
    #expect(detector.isEventStream == example["open"]?.bool)
    let format = detector.format(of: try #require(example.input))
    if detector.isEventStream {
      #expect(format == .eventStream || format == nil)
    } else {
      #expect(format != .eventStream)
    }
  }

  @Test(arguments: open)
  func readsWhole(_ example: Case) throws {
    let input = try #require(example.input)
    try check(Reading(of: [input[...]]), example)
  }

  /// The longest are cut at random instead.
  @Test(arguments: open.filter { Soak.isOn || $0.input?.count ?? 0 < 50_000 })
  func readsByteByByte(_ example: Case) throws {
    let input = try #require(example.input)
    try check(Reading(of: input.indices.map { input[$0...$0] }), example)
  }

  @Test(arguments: short)
  func readsAtEveryCutInTwo(_ example: Case) throws {
    let input = try #require(example.input)
    for cut in 0...input.count {
      try check(Reading(of: [input[..<cut], input[cut...]]), example)
    }
  }

  @Test(arguments: open)
  func readsAtRandomCuts(_ example: Case) throws {
    let input = try #require(example.input)
    var generator = SeededGenerator(seed: UInt64(example.index))
    for longest in [2, 7, 64, 5000] where input.count / longest < 100_000 {
      try check(Reading(of: input.cutAtRandom(longest: longest, using: &generator)), example)
    }
  }

  private func check(_ reading: Reading, _ example: Case) throws {
    let expected = try #require(example["events"]?.array)
    #expect(reading.events.count == expected.count)
    let ignoresRetry = example["retry_any"]?.bool == true
    for (event, wanted) in zip(reading.events, expected) {
      #expect(event.type == wanted["event"]?.string)
      // Strings compare by canonical equivalence; the wire does not.
      #expect(event.text.utf8.elementsEqual(Self.data(of: wanted)))
      #expect(event.lastEventID == wanted["id"]?.string)
      #expect(ignoresRetry || event.retry == wanted["retry"]?.int)
    }
    #expect(reading.lastEventID == example["last_event_id"]?.string)
    #expect(ignoresRetry || reading.reconnectionTime == example["reconnection_ms"]?.int)
  }

  private static func data(of event: CaseJSON) -> [UInt8] {
    event["data_parts"]?.array.map(Case.join) ?? Array((event["data"]?.string ?? "").utf8)
  }
}

/// What a parser made of a stream in pieces. Each piece is copied, so that a pointer kept too long
/// would be noticed by the sanitizer.
struct Reading {
  var events: [OwnedServerSentEvent] = []
  var errors: [String] = []
  let lastEventID: String
  let reconnectionTime: Int?
  let commentCount: Int

  init(of pieces: [ArraySlice<UInt8>], eventByteLimit: Int? = nil) throws {
    var parser = ServerSentEventParser(
      eventByteLimit: eventByteLimit ?? ServerSentEventParser.defaultEventByteLimit)
    for piece in pieces {
      for event in try parser.receive(Array(piece)) {
        if event.field == .data { events.append(event) } else { errors.append(event.text) }
      }
    }
    lastEventID = parser.lastEventID
    reconnectionTime = parser.reconnectionTime
    commentCount = parser.commentCount
  }
}
