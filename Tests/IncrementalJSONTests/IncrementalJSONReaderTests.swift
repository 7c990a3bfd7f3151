import IncrementalJSON
import TestSupport
import Testing

struct IncrementalJSONReaderTests {
  @Test func agreesWithTheStrictReaderOnWholeDocuments() throws {
    var samples = JSONSamples(seed: 1)
    for _ in 0..<500 {
      let value = samples.object()
      let text = samples.spelled(value)
      #expect(try JSONValue(parsing: text) == value)
      var reader = IncrementalJSONReader()
      reader.receive(text)
      #expect(reader.status == .done)
      #expect(reader.complete == value)
      #expect(reader.partial == value)
    }
  }

  @Test func nothingShownIsLaterTakenBack() {
    var samples = JSONSamples(seed: 2)
    for _ in 0..<1000 {
      let value = samples.object()
      var reader = IncrementalJSONReader()
      var complete: JSONValue?
      var partial: JSONValue?
      for byte in "Here: ".utf8 + Array(samples.spelled(value).utf8) {
        reader.receive(CollectionOfOne(byte))
        #expect(reader.status != .invalid)
        #expect(isContinued(complete, by: reader.complete, textMayGrow: false))
        #expect(isContinued(partial, by: reader.partial, textMayGrow: true))
        #expect(isContinued(reader.complete, by: reader.partial, textMayGrow: false))
        #expect(isContinued(reader.partial, by: value, textMayGrow: true))
        complete = reader.complete
        partial = reader.partial
      }
      #expect(complete == value)
    }
  }

  @Test func anyChunkingGivesTheSame() {
    var samples = JSONSamples(seed: 3)
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<300 {
      let text = "Use {x} or <think>{\"a\":1}</think> " + samples.spelled(samples.object())
      let bytes = Array(text.utf8.prefix(samples.choose(1..<text.utf8.count + 1)))
      let whole = reader(of: [bytes[...]])
      let pieces = reader(of: bytes.cutAtRandom(longest: 7, using: &generator))
      #expect(pieces.status == whole.status)
      #expect(pieces.complete == whole.complete)
      #expect(pieces.partial == whole.partial)
    }
  }

  @Test func damagedDocumentsAreReadTheSameInPieces() {
    var samples = JSONSamples(seed: 5)
    for _ in 0..<500 {
      var bytes = Array(samples.spelled(samples.object()).utf8)
      bytes[samples.choose(0..<bytes.count)] = UInt8(samples.choose(0..<256))
      let whole = reader(of: [bytes[...]])
      let bytewise = reader(of: bytes.indices.map { bytes[$0...$0] })
      #expect(bytewise.status == whole.status)
      #expect(bytewise.partial == whole.partial)
    }
  }

  @Test func aNameMayNotComeTwiceEvenInDisguise() {
    var reader = IncrementalJSONReader()
    reader.receive(#"{"ready":false,"\u0072eady":true}"#)
    #expect(reader.status == .invalid)
  }

  @Test func manyBracesInProseAreReadInLinearTime() {
    var reader = IncrementalJSONReader()
    let text = String(repeating: "{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa{", count: 20_000)
    reader.receive(text)
    reader.receive("\u{0} {\"a\":1}")
    #expect(reader.status == .done)
    #expect(reader.complete == ["a": 1])
  }

  @Test(arguments: [
    ("Sure!\n```json\n{\"a\": 1}\n```\nDone.", JSONExtraction.object(["a": 1])),
    ("<think>{\"a\": 0}</think>{\"a\": 1}", .object(["a": 1])),
    ("I have nothing for you.", .none),
    ("{\"a\": 1, \"b\": \"cut o", .unfinished(["a": 1])),
    ("{\"a\": NaN}", .invalid),
    ("{'a': 1}", .none),
  ])
  func findsTheObjectInAnAnswer(answer: String, expected: JSONExtraction) {
    #expect(JSONExtraction(from: answer) == expected)
  }

  /// A draft without tags may contain other objects.
  @Test(
    arguments: [
      (
        "As {\"a\": []} says, {\"b\": 1}. So: {\"a\": [1], \"c\": {\"a\": 2}}",
        ["a": [1], "c": ["a": 2]]
      ),
      ("{\"a\": [1]} is better than {\"b\": {\"a\": 0}}", ["a": [1]]),
      ("{{{ a } {\"a\": \"}\"} {\"b\": 2}", ["a": "}"]), ("{\"b\": 1} {\"a\": 2", ["b": 1]),
    ] as [(String, JSONObject)])
  func theLastObjectThatFitsIsTheAnswer(answer: String, expected: JSONObject) {
    #expect(JSONExtraction(from: answer, having: ["a"]).object == expected)
  }

  /// Whether a later view only adds to an earlier one.
  private func isContinued(
    _ earlier: JSONValue?, by later: JSONValue?, textMayGrow: Bool
  ) -> Bool {
    switch (earlier, later) {
    case (nil, _): true
    case (_, nil): false
    case (.object(let old)?, .object(let new)?):
      old.allSatisfy { isContinued($0.value, by: new[$0.name], textMayGrow: textMayGrow) }
    case (.array(let old)?, .array(let new)?):
      old.count <= new.count
        && zip(old, new).allSatisfy { isContinued($0, by: $1, textMayGrow: textMayGrow) }
    case (.string(let old)?, .string(let new)?):
      textMayGrow ? new.utf8.starts(with: old.utf8) : new == old
    default: earlier == later
    }
  }
}
