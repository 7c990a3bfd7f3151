import IncrementalJSON
import TestSupport
import Testing

struct JSONValueTests {
  @Test func readsEveryKindOfValue() throws {
    let value = try JSONValue(
      parsing: #" {"a": [1, -2.5e1, true, null, "é\n\ud83e\udd57"], "b": {}} "#)
    #expect(value == ["a": [1, -25, true, .null, "é\n🥗"], "b": [:]])
    #expect(value["a"]?[4]?.stringValue == "é\n🥗")
    #expect(value["a"]?[5] == nil)
    #expect(value["c"] == nil)
  }

  @Test func integersAreExact() throws {
    #expect(try JSONValue(parsing: "9007199254740993").intValue == 9_007_199_254_740_993)
    #expect(try JSONValue(parsing: "9223372036854775807").intValue == .max)
    #expect(try JSONValue(parsing: "-9223372036854775808").intValue == .min)
    #expect(try JSONValue(parsing: "9223372036854775808").intValue == nil)
    #expect(try JSONValue(parsing: "3.0").intValue == 3)
    #expect(try JSONValue(parsing: "3.5").intValue == nil)
    #expect(try JSONValue(parsing: "-0") == 0)
    #expect(try JSONValue(parsing: "1e2").serialized() == "100")
  }

  @Test func truthIsNoNumberAndNumbersAreNoTruth() {
    #expect(JSONValue.bool(true).intValue == nil)
    #expect(JSONValue.bool(true).doubleValue == nil)
    #expect((1 as JSONValue).boolValue == nil)
    #expect(JSONValue(Double.nan) == nil)
    #expect(JSONValue(-Double.infinity) == nil)
  }

  @Test func escapesAlikeAtEveryPlace() {
    for byte in UInt8.min...UInt8.max {
      let text = String(Unicode.Scalar(byte))
      let alone = JSONValue.string(text).serialized().dropFirst().dropLast()
      for place in 0...16 {
        let (before, after) = (
          String(repeating: "a", count: place), String(repeating: "b", count: 16 - place)
        )
        #expect(
          JSONValue.string(before + text + after).serialized() == "\"\(before)\(alone)\(after)\"")
      }
    }
  }

  @Test(
    arguments: [
      ("UTF-16", [0xFF, 0xFE, 0x7B, 0, 0x7D, 0]), ("UTF-16", [0, 0x7B, 0, 0x7D]),
      ("UTF-32", [0x7B, 0, 0, 0, 0x7D, 0, 0, 0]),
    ] as [(String, [UInt8])])
  func anotherEncodingIsNamed(_ name: String, _ bytes: [UInt8]) {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
    #expect(error?.description == "line 1, column 1: expected UTF-8, found \(name)")
  }

  @Test func namesAreComparedByTheirBytes() throws {
    let composed = "\u{E9}"
    let decomposed = "e\u{301}"
    let value = try JSONValue(parsing: #"{"\#(composed)":1,"\#(decomposed)":2}"#)
    #expect(value[composed] == 1)
    #expect(value[decomposed] == 2)
  }

  @Test func objectsKeepTheirOrderAndEqualWhateverIt() throws {
    let text = #"{"z":1,"a":2,"m":3}"#
    let value = try JSONValue(parsing: text)
    #expect(value.serialized() == text)
    #expect(value == ["a": 2, "m": 3, "z": 1])
    #expect(value.hashValue == (["a": 2, "m": 3, "z": 1] as JSONValue).hashValue)
    #expect(value != ["a": 2, "m": 3, "z": 4])
  }

  @Test func aMemberCanBeReplacedAndRemovedInSmallAndLargeObjects() {
    var object = JSONObject()
    for index in 0..<100 { object["k\(index)"] = JSONValue(index) }
    object["k50"] = nil
    object["k99"] = "last"
    #expect(object.count == 99)
    #expect(object["k50"] == nil)
    #expect(object["k51"] == 51)
    #expect(object.names.last == "k99")
    #expect(object["k99"] == "last")
  }

  @Test(arguments: [
    ("", 1, 1, 0, "a value", "the end"),
    ("{\"a\":1,}", 1, 8, 7, "a name in double quotes", "\"}\""),
    ("[1,\n  2\n  3]", 3, 3, 10, "\",\" or \"]\"", "\"3\""),
    ("[1,\r\n\"é\" x]", 2, 5, 10, "\",\" or \"]\"", "\"x\""),
    ("{\"a\":1,\"a\":2}", 1, 8, 7, "each name once", "\"a\" again"),
    ("1e400", 1, 1, 0, "a number that a double can hold", "one that overflows"),
    ("NaN", 1, 1, 0, "a value", "\"N\""),
    ("01", 1, 2, 1, "nothing after the value", "\"1\""),
    ("1.", 1, 3, 2, "a digit", "the end"),
    ("\"a\nb\"", 1, 3, 2, "an escape for the control character", "U+000A"),
    ("\"\\ud83d\"", 1, 2, 1, "a surrogate pair", "half of one"),
    ("\"\\x41\"", 1, 3, 2, "an escape", "\"x\""),
    ("truth", 1, 4, 3, "\"true\"", "\"t\""),
    ("{} {}", 1, 4, 3, "nothing after the value", "\"{\""),
    ("{\"a\":\"b", 1, 8, 7, "the end of the string", "the end"),
  ])
  func saysWhereAndWhatIsWrong(
    text: String, line: Int, column: Int, offset: Int, expected: String, found: String
  ) {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    #expect(error?.line == line)
    #expect(error?.column == column)
    #expect(error?.byteOffset == offset)
    #expect(error?.expected == expected)
    #expect(error?.found == found)
  }

  @Test func anErrorReadsAsASentence() {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: "[1 2]") }
    #expect(error?.description == #"line 1, column 4: expected "," or "]", found "2""#)
  }

  @Test func nestingIsReadToTheLimitAndNotPastIt() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try JSONValue(parsing: nested(JSONValue.depthLimit))
    #expect(throws: JSONError.self) { try JSONValue(parsing: nested(JSONValue.depthLimit + 1)) }
    #expect(throws: JSONError.self) {
      try JSONValue(parsing: String(repeating: "{\"a\":", count: 1_000_000))
    }
  }

  @Test func invalidTextIsRefusedOrReplacedAsAsked() throws {
    let bytes: [UInt8] = [0x22, 0x78, 0xFF, 0x22]
    #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
    #expect(try JSONValue(parsing: bytes, invalidText: .replaced) == "x\u{FFFD}")
    #expect(
      try JSONValue(parsing: #""\ud83d\ud83d\ude00\udc00z""#, invalidText: .replaced)
        == "\u{FFFD}😀\u{FFFD}z")
  }

  @Test func aByteOrderMarkIsSkipped() throws {
    #expect(try JSONValue(parsing: "\u{FEFF}{}") == [:])
  }

  @Test func aLineOfJSONDoesNothingToATerminal() throws {
    let hostile = (0..<0x3000).compactMap(Unicode.Scalar.init).reduce(into: "") {
      $0.unicodeScalars.append($1)
    }
    let line = JSONValue.object(["k\u{1B}": .string(hostile)]).serialized()
    for scalar in line.unicodeScalars {
      #expect(scalar.properties.generalCategory != .control)
      #expect(!"\u{2028}\u{2029}\u{202E}\u{2066}".unicodeScalars.contains(scalar))
    }
    #expect(try JSONValue(parsing: line) == ["k\u{1B}": .string(hostile)])
  }

  @Test func prettyTextIsIndentedAndReadsBack() throws {
    let value: JSONValue = ["a": [1, 2], "b": [:], "c": []]
    let expected = """
      {
        "a": [
          1,
          2
        ],
        "b": {},
        "c": []
      }
      """
    #expect(value.serialized(pretty: true) == expected)
    #expect(try JSONValue(parsing: expected) == value)
  }

  @Test func doublesSurviveWritingAndReading() throws {
    var generator = SeededGenerator(seed: 8)
    for _ in 0..<10_000 {
      let double = Double(bitPattern: generator.next())
      guard let value = JSONValue(double) else { continue }
      #expect(try JSONValue(parsing: value.serialized()).doubleValue == double)
    }
  }
}
