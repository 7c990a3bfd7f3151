import TestSupport
import Testing

@testable import LanguageModels

struct SecretTests {
  @Test func aSecretShowsItsEndAtMost() {
    #expect("\(Secret("sk-0123456789abcdefghij"))" == "…ghij")
    #expect("\(Secret("short"))" == "…")
    var shown = ""
    dump(Secret("sk-0123456789abcdefghij"), to: &shown)
    #expect(!shown.contains("0123"))
  }

  @Test(arguments: [
    ("Incorrect API key provided: sk-proj-abcDEF123456.", "Incorrect API key provided: [key]"),
    ("Authorization: Bearer abcdef.123456 was refused", "Authorization: Bearer [key] was refused"),
    ("my configured-secret! is here", "my [key]! is here"),
    ("a\u{1B}[2Jb\nc\u{202E}d", "a [2Jb cd"),
    ("ask-me about risk-taking", "ask-me about risk-taking"),
    ("key=\"sk-abcdef1234567\"", "key=\"[key]\""),
  ])
  func detailsAreMasked(text: String, expected: String) {
    #expect(SecretMask([Secret("configured-secret")]).mask(text) == expected)
  }

  @Test func detailsAreBounded() {
    let masked = SecretMask([]).mask(String(repeating: "é", count: 100_000))
    #expect(masked.count == SecretMask.characterLimit + 1)
  }

  private let key = "sk-sk-abcabcd-12"

  private func filtered(_ pieces: [ArraySlice<UInt8>]) -> [String] {
    var filter = KeyFilter(key: Secret(key))
    var shown: [String] = []
    for piece in pieces {
      var text = Array(piece)
      filter.filter(&text)
      shown.append(String(decoding: text, as: UTF8.self))
    }
    return shown + [String(decoding: filter.finish(), as: UTF8.self)]
  }

  @Test func theKeyIsMaskedInRepliesHoweverTheyAreCut() {
    let bytes = Array("It is sk-sk-sk-abcabcd-12, twice \(key)\(key), nearly sk-sk-abcabcd-1".utf8)
    let expected = "It is sk-[key], twice [key][key], nearly sk-sk-abcabcd-1"
    for cut in 0...bytes.count {
      #expect(filtered([bytes[..<cut], bytes[cut...]]).joined() == expected)
    }
    #expect(filtered(bytes.indices.map { bytes[$0...$0] }).joined() == expected)
  }

  @Test func onlyWhatCouldBeTheKeyIsHeldBack() {
    #expect(filtered([Array("Ask".utf8)[...], Array(" me".utf8)[...]]) == ["A", "sk me", ""])
    #expect(filtered([Array("Well then".utf8)[...]]) == ["Well then", ""])
  }
}
