import IncrementalJSON
import TestSupport
import Testing

@testable import Cassettes

struct RedactionTests {
  static let key = "sk-proj-Canary7Q2mZ9xL4vT8bN3kW6rJ1hF5cD"

  private func redacted(_ text: String, names: [String] = []) -> String {
    Redactor(configured: [Self.key], names: names, learningFrom: [text]).redact(text)
  }

  static let phones = [
    "+49 171 2345678", "+49 (0)171 234 56 78", "0049 171 2345678", "0171/2345678", "0431-1234567",
    "415-555-0132", "(415) 555-0132", "+1 (415) 555-0132", "1-800-931-2237", "415.555.0132",
    "4155550132", "020 7946 0958", "07700 900123", "06 12 34 56 78", "+33 6 12 34 56 78",
    "612 345 678", "+34 612 34 56 78", "98765 43210", "+91-98765-43210", "138 0013 8000",
    "13800138000", "(11) 91234-5678", "11 91234-5678", "+55 11 91234-5678", "55 1234 5678",
    "090-1234-5678", "010-1234-5678", "0412 345 678", "079 123 45 67", "8 (912) 345-67-89",
    "8 912 345-67-89", "+7 912 345 67 89", "052-123-4567", "0803 123 4567", "347 123 4567",
    "070-123 45 67", "+45 20 12 34 56", "+47 912 34 567", "601\u{A0}234\u{A0}567",
    "+353 86 123 4567",
    "٠٥٠ ١٢٣ ٤٥٦٧",
  ]

  @Test(arguments: phones)
  func aPhoneNumberGoesHoweverItIsWritten(number: String) {
    #expect(redacted("you get me on \(number), evenings") == "you get me on [phone-1], evenings")
    #expect(redacted(number) == "[phone-1]")
  }

  @Test(arguments: [
    "call me: 555-0132", "my cell is 20 12 34 56", "text 9123 4567 any time", "Tel. 555 01 32",
    "my phone number is 12345678",
  ])
  func wherePhonesAreSpokenOfAnyGroupingIsANumber(text: String) {
    #expect(redacted(text).contains("[phone-1]"))
    #expect(!redacted(text).contains { $0.isNumber && $0 != "1" })
  }

  static let ordinary = [
    "20 lbs by June 2026", "4000 steps", "I'm 42, 4000 steps a day", "between 2019 and 2024",
    "185 lbs at 180 cm", "10,000 to 12,000 steps", "1500-2000 kcal", "call it 1500-2000 calories",
    "06:30 to 07:15", "2026-01-05", "05.01.2026", "1/5/2026", "2026-01-05T08:00:00Z",
    "5 x 5 at 225, 3 x 8 at 185", "135 185 225 275", "10 12 15 20", "12 10 8 6",
    "4x400m in 75 75 76 78",
    "5k in 24:30", "1000000 excuses", "$2000 a year", "3.5 hours, 12.25 miles", "60h weeks",
    "24/7", "the 90s, the 2000s", "age 42, 180 cm, 82.5 kg, 4000 steps", "chatcmpl-4155550132",
    "set of 100 200 300 reps", "1 2 3 4 5 6 7 8", "bpm 120 130 140", "text me 500-1000 words",
    "I call 20 30 40 a ladder", "0.5 0.75 1.0",
  ]

  @Test(arguments: ordinary)
  func numbersOfACoachingChatStay(text: String) {
    #expect(redacted(text) == text)
  }

  @Test(arguments: [
    "marta.k@example.com", "Marta+run@mail.example.co.uk", "m_k-1@x.io", "josé@exämple.de",
    "o'neil@example.com",
  ])
  func anAddressGoesAndWhatIsAroundItStays(address: String) {
    let text = redacted("write to \(address).")
    #expect(text.hasSuffix("[email-1]."))
    #expect(!text.contains("@"))
  }

  @Test func atSignsThatAreNoAddressStay() {
    for text in ["3 sets @ 80 kg", "@marta", "5@100", "a@b"] { #expect(redacted(text) == text) }
  }

  @Test func aNameGoesAsAWholeWordInAnyCaseAndWithItsS() {
    let names = ["Marta", "Al", "Anna Maria", "José", "O'Neil"]
    func check(_ text: String, _ expected: String) {
      #expect(redacted(text, names: names) == expected)
    }
    check("I'm Marta. MARTA's knee, marta!", "I'm [name-1]. [name-1]'s knee, [name-1]!")
    check("Martas, Martak, also, tidal, Al?", "Martas, Martak, also, tidal, [name-2]?")
    check("anna  maria and Anna", "[name-3] and Anna")
    check("Jose\u{301} or JOSÉ", "[name-4] or [name-4]")
    check("o\u{2019}neil here", "[name-5] here")
    check("marta_92 and Marta-Lena", "[name-1]_92 and [name-1]-Lena")
  }

  @Test func theSameValueHasTheSamePlaceholderAndAnotherHasAnother() {
    let text =
      "a@example.com, b@example.com, A@Example.com; +49 171 2345678, 0171 2345678, 0171 2345679"
    #expect(
      redacted(text) == "[email-1], [email-2], [email-1]; [phone-1], [phone-1], [phone-2]")
  }

  @Test func whatWasLearntInOneTextGoesFromAllOthers() {
    let redactor = Redactor(
      configured: [], names: [], learningFrom: ["what's your phone number?\n555-0132"])
    #expect(redactor.redact("555-0132") == "[phone-1]")
    #expect(redactor.redact("555 01 32 at noon") == "[phone-1] at noon")
    #expect(
      redactor.redact("5550132 steps, 15550132, 55501320") == "[phone-1] steps, 15550132, 55501320")
  }

  @Test func aPlaceholderThatSomebodyTypedIsNobodyElses() {
    let text = "[name-1] is what I type; I'm Marta, [email-7]"
    #expect(redacted(text, names: ["Marta"]) == "[name-1] is what I type; I'm [name-8], [email-7]")
    #expect(redacted("my name is [name-2]", names: ["name"]) == "my [name-3] is [name-2]")
  }

  @Test func theConfiguredKeyGoesAsModelsRepliesShowIt() {
    #expect(redacted("it is \(Self.key).") == "it is [key].")
    #expect(redacted("x\(Self.key)y") == "x[key]y")
    let other = Redactor(configured: ["Zm9v+YmFy/cXV4=="], names: [], learningFrom: [])
    #expect(other.redact(#"{"k":"Zm9v+YmFy\/cXV4=="}"#) == #"{"k":"[key]"}"#)
  }

  private static let samples: [String] =
    phones + ordinary
    + [
      "I'm Marta\nmarta@example.com\t+49 171 2345678 \"Marta\"", "C:\\notes\\Marta",
      "key \(key), sk-test-1234567890abcdef and sk-test-1234567890abcdef",
      "Bearer abcdefgh12345678, AKIAIOSFODNN7EXAMPLE", "call Marta at 555-0132 or 555-0133",
      "<b>Marta</b> & Marta@example.com", "שרה marta 🙂 marta",
    ]

  /// JSON in a string of JSON, as scorers are asked, and with markup escaped.
  @Test(arguments: samples)
  func redactingAndEscapingMayComeInAnyOrder(text: String) throws {
    let redactor = Redactor(configured: [Self.key], names: ["Marta"], learningFrom: [text])
    let plain = JSONValue.string(redactor.redact(text))
    #expect(redactor.redact(JSONValue.string(text).serialized()) == plain.serialized())
    let nested = JSONValue.string(JSONValue.string(text).serialized()).serialized()
    #expect(redactor.redact(nested) == JSONValue.string(plain.serialized()).serialized())
    let escaped = JSONValue.string(text).serialized().unicodeScalars.map { scalar in
      scalar.value > 0x7F && scalar.value < 0xFFFF || "<>&".unicodeScalars.contains(scalar)
        ? "\\u" + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count)
          + String(scalar.value, radix: 16)
        : String(scalar)
    }.joined()
    #expect(try JSONValue(parsing: redactor.redact(escaped)) == plain)
  }

  @Test func redactingAgainChangesNothing() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<400 {
      let text = (0..<8).map { _ in Self.samples.randomElement(using: &random) ?? "" }
        .joined(separator: [" ", "\n", ", ", " call "].randomElement(using: &random) ?? " ")
      let once = redacted(text, names: ["Marta", "call"])
      #expect(redacted(once, names: ["Marta", "call"]) == once, "\(text)")
    }
  }

  /// However it is cut into events, the text that comes out is the same.
  @Test func valuesThatAreSplitOverEventsGoAsOne() throws {
    let text = #"Marta: "+49 171 2345678", "# + Self.key + " — é🙂 marta@example.com, Marta's\nknee"
    let redactor = Redactor(configured: [Self.key], names: ["Marta"], learningFrom: [text])
    let expected = redactor.redact(text)
    #expect(expected == "[name-1]: \"[phone-1]\", [key] — é🙂 [email-1], [name-1]'s\nknee")
    var random = SeededGenerator(seed: 11)
    for _ in 0..<200 {
      let pieces = text.cutAtRandom(longest: 9, using: &random).map(String.init)
      let events = pieces.map { piece in
        Array(
          #"data: {"id":"c1","choices":[{"index":0,"delta":{"content":\#(JSONValue.string(piece).serialized())}}]}"#
            .utf8) + [10, 10]
      }
      let result = redactor.redact(events, isEventStream: true)
      #expect(result.count == events.count)
      let texts = try result.map { block in
        try #require(
          try JSONValue(parsing: block.dropFirst(6))["choices"]?[0]?["delta"]?["content"]?
            .stringValue)
      }
      #expect(texts.joined() == expected, "\(pieces)")
    }
  }

  @Test func everyChannelOfAStreamIsATextOfItsOwn() {
    let events = [
      #"{"choices":[{"index":0,"delta":{"content":"Mar"}},{"index":1,"delta":{"content":"ta x"}}]}"#,
      #"{"choices":[{"index":1,"delta":{"content":" Mar"}},{"index":0,"delta":{"content":"ta","reasoning":"mar"}}]}"#,
      #"{"choices":[{"index":0,"delta":{"reasoning":"ta "}},{"delta":{"content":"ta."},"index":1}]}"#,
    ].map { Array("data: \($0)\n\n".utf8) }
    let redactor = Redactor(configured: [], names: ["Marta"], learningFrom: [])
    let texts = StreamTexts(redactor.redact(events, isEventStream: true), isEventStream: true).texts
    #expect(texts.sorted() == ["[name-1]", "[name-1] ", "ta x [name-1]."])
  }

  @Test func wordsOfTheFormatAreNobodysName() {
    let event = Array(
      #"data: {"type":"text","role":"assistant","choices":[{"finish_reason":"stop","delta":{"content":"stop it, Stop"}}]}"#
        .utf8)
    let redactor = Redactor(configured: [], names: ["Stop", "Text", "Content"], learningFrom: [])
    let text = String(decoding: redactor.redact([event], isEventStream: true)[0], as: UTF8.self)
    #expect(text.contains(#""finish_reason":"stop""#))
    #expect(text.contains(#""content":"[name-1] it, [name-1]""#))
    #expect(text.contains(#""type":"text""#))
  }

  @Test func whatTheProgramSaysByItselfStaysAsItIs() {
    let fixed = FixedTexts(["In the US call 1-888-375-7767, in the UK {{other}} will help you now."]
    )
    let redactor = Redactor(
      configured: [], names: ["will"], learningFrom: ["I'm Will, 1-888-375-7767"])
    let text = "In the US call 1-888-375-7767, in the UK Will will help you now. Will"
    #expect(
      redactor.redact(text, sparing: fixed)
        == "In the US call 1-888-375-7767, in the UK [name-1] will help you now. [name-1]")
  }
}
