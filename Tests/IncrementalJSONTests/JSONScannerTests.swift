import IncrementalJSON
import TestSupport
import Testing

struct JSONScannerTests {
  @Test func takesAStringFromDeepInsideWithoutATree() {
    let found = content(
      #"{"id":"x","choices":[{"index":0,"delta":{"content":"a\n\ud83e\udd57é"}}]}"#)
    #expect(found == "a\n🥗é")
  }

  @Test func readsIntegersExactly() {
    #expect(integer("12") == 12)
    #expect(integer("-7 ") == -7)
    #expect(integer("999999999999999999") == 999_999_999_999_999_999)
    for text in ["1.5", "1e3", "01", "-", "9999999999999999999", "\"1\"", ""] {
      #expect(integer(text) == nil, "\(text)")
    }
  }

  @Test func passesOverWholeDocumentsThatTheStrictReaderReads() throws {
    var samples = JSONSamples(seed: 6)
    var passed = 0
    for _ in 0..<1000 {
      let text = samples.spelled(samples.object())
      guard skips(Array(text.utf8)) else { continue }
      passed += 1
      _ = try JSONValue(parsing: text, invalidText: .replaced)
    }
    #expect(passed > 100)
  }

  @Test func neverPassesWhatTheStrictReaderRefuses() {
    var samples = JSONSamples(seed: 7)
    var refused = 0
    for _ in 0..<20_000 {
      var bytes = Array(samples.spelled(samples.object()).utf8)
      bytes[samples.choose(0..<bytes.count)] =
        Array(#"{}[]",:\0123.eE+-tnf x"#.utf8)[
          samples.choose(0..<22)]
      let strict = try? JSONValue(parsing: bytes, invalidText: .replaced)
      if strict == nil {
        refused += 1
        #expect(!skips(bytes), "\(String(decoding: bytes, as: UTF8.self))")
      }
    }
    #expect(refused > 1000)
  }

  @Test(arguments: [
    #"{"a":1,"a":2}"#, #"{"x":{"a":1,"a":2}}"#, #"{"a":1,}"#, #"[1,]"#, #"{"a" 1}"#,
    #"{"a":1e400}"#,
    #"{"a":"\x"}"#, #"{"a":"\u00g0"}"#, #"{"a":tru}"#, #"{"a":1}x"#, #"{"a":[}"#, "", "{", "[1 2]",
    "{\"a\":\"b\u{1}\"}", "nul", "-", "01", "1.", "{\"a\":\"\\", "{\"a\":\"\\u12",
  ])
  func leavesTheUnusualToTheStrictReader(text: String) {
    #expect(!skips(Array(text.utf8)))
  }

  @Test func nestingIsBoundedAsInTheStrictReader() {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    #expect(skips(nested(JSONValue.depthLimit)))
    #expect(!skips(nested(JSONValue.depthLimit + 1)))
    #expect(!skips(nested(1_000_000)))
  }

  private func skips(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      scanner.skipValue()
      return scanner.isAtEnd
    }
  }

  private func integer(_ text: String) -> Int? {
    Array(text.utf8).withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      let value = scanner.readInteger()
      return scanner.isAtEnd ? value : nil
    }
  }

  private func content(_ text: String) -> String? {
    Array(text.utf8).withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      var content: [UInt8] = []
      var root = scanner.openObject()
      while let name = scanner.nextName(&root) {
        guard name == "choices" else {
          scanner.skipValue()
          continue
        }
        scanner.openArray()
        var isFirst = true
        while scanner.nextElement(isFirst: isFirst) {
          isFirst = false
          readChoice(&scanner, into: &content)
        }
      }
      return scanner.isAtEnd ? String(decoding: content, as: UTF8.self) : nil
    }
  }

  private func readChoice(_ scanner: inout JSONScanner, into content: inout [UInt8]) {
    var choice = scanner.openObject()
    while let name = scanner.nextName(&choice) {
      guard name == "delta" else {
        scanner.skipValue()
        continue
      }
      var delta = scanner.openObject()
      while let name = scanner.nextName(&delta) {
        if name == "content" { scanner.readString(into: &content) } else { scanner.skipValue() }
      }
    }
  }
}
