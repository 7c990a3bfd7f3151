import ContextQuality
import Foundation
import Signals
import TestSupport
import Testing

/// What code alone reads in an answer to the question for height and weight.
struct BodyFactsTests {
  struct Answer: Sendable, CustomTestStringConvertible {
    var text: String
    var height: Double?
    var weight: Double?
    var testDescription: String { text }

    init(_ text: String, _ height: Double?, _ weight: Double?) {
      (self.text, self.height, self.weight) = (text, height, weight)
    }
  }

  private let words: MeasureWords

  init() throws {
    let path = "Prompts/shared/signals/measures.json"
    words = try MeasureWords(
      text: String(contentsOf: CaseFile.packageRoot().appending(path: path), encoding: .utf8),
      file: path)
  }

  @Test(arguments: [
    (#"{"unit": {}}"#, "unit: expected one of units, numbers, hundreds, infixes, beside, target"),
    (#"{"units": []}"#, "units: expected an object, found []"),
    (#"{"units": {"mile": []}}"#, "mile: expected one of "),
    (#"{"units": {"cm": "cm"}}"#, #"cm: expected a list of texts, found "cm""#),
    (#"{"units": {"cm": ["cm", 1]}}"#, #"cm: expected a list of texts, found ["cm",1]"#),
    (#"{"numbers": {"one": "1"}}"#, #"one: expected a number, found "1""#),
    (#"{"infixes": "und"}"#, #"infixes: expected a list of texts, found "und""#),
    (#"{"beside": {}}"#, "beside: expected a list of texts, found {}"),
    (#"{"beside": ["#, "measures:1: "),
  ])
  func aMistakeIsNamed(text: String, reason: String) {
    let error = #expect(throws: PackError.self) { try MeasureWords(text: text, file: "measures") }
    #expect(error?.file == "measures" && error?.description.contains(reason) == true)
  }

  @Test(arguments: [
    Answer("5'10\" 180lbs", 177.8, 81.6),
    Answer("5\u{2019}10\u{201D}, 180 lbs", 177.8, 81.6),
    Answer("5'10 180", 177.8, 81.6),
    Answer("5-11, 268", 180.3, 121.6),
    Answer("178 cm, 81 kilos", 178, 81),
    Answer("81 kilos, 178 cm", 178, 81),
    Answer("178cm 81kg", 178, 81),
    Answer("178 81", 178, 81),
    Answer("178/81", 178, 81),
    Answer("1,78m 81kg", 178, 81),
    Answer("1.78 and 81", 178, 81),
    Answer("1m78, 81 kg", 178, 81),
    Answer("5 foot 10", 177.8, nil),
    Answer("five foot ten", 177.8, nil),
    Answer("5 ft 10 in and 12 st 4", 177.8, 78),
    Answer("6ft, 13 stone", 182.9, 82.6),
    Answer("six feet, 200 pounds", 182.9, 90.7),
    Answer("81,5 kg", nil, 81.5),
    Answer("I'm 178 cm and 81 kg", 178, 81),
    Answer("Mido 1,70 m y peso 68 kilos", 170, 68),
    Answer("1,70 y 68", 170, 68),
    Answer("1,68 m und 79 Kilo", 168, 79),
    Answer("1,68 groß, 79 Kilo schwer", 168, 79),
    Answer("ein Meter achtundsechzig, 79 Kilo", 168, 79),
  ])
  func bareMeasurementsAreReadInMetric(answer: Answer) {
    let facts = words.bareAnswer(answer.text)
    #expect(facts?.heightCentimetres == answer.height)
    #expect(facts?.weightKilograms == answer.weight)
    #expect(facts != nil && facts?.implausible == nil)
  }

  @Test(arguments: [
    "want to lose 20 lbs", "my goal is 70 kg", "I'm 20 lbs over what I was", "I weigh 90kg want 80",
    "lost 10 kg, 82 kg now, 178 cm", "I bench 100 kg and weigh 82 kg", "178 cm, weight is private",
    "skip", "no idea", "180", "70 170", "70 kg 80 kg", "178 cm 81 kg 42", "", "👍", "and",
    "quiero pesar 70 kg", "80 Kilo waren es mal",
  ])
  func whatTakesAReaderIsLeftToOne(text: String) {
    #expect(words.bareAnswer(text) == nil)
  }

  @Test(arguments: [
    ("5'10\" and 1800 lbs", "1800 lbs"), ("178 kg and 18 cm", "18 cm"), ("9 kg", "9 kg"),
    ("3 m", "3 m"),
  ])
  func whatCannotBeRightIsAskedAbout(text: String, implausible: String) {
    #expect(words.bareAnswer(text)?.implausible == implausible)
  }

  @Test func theWordsThatWereReadAreKept() {
    #expect(words.bareAnswer("178 cm, roughly 81 kilos.")?.quotes == ["178 cm", "81 kilos"])
  }

  @Test(arguments: [
    (34.0, "I'm 34"), (34, "thirty-four"), (34, "treinta y cuatro años"), (34, "vierunddreißig"),
    (1.78, "1,78 m"), (1.64, "1m64"), (11, "5'11"), (15, "quince"),
    (205, "two hundred five pound"), (178, "a hundred and seventy eight"), (190, "ciento noventa"),
    (178, "hundertachtundsiebzig"), (204, "zweihundertvier Pfund"), (105, "hundertundfünf"),
  ])
  func aNumberIsFoundInDigitsAndInWords(number: Double, quote: String) {
    #expect(words.holds(number, in: quote))
    #expect(!words.holds(number + 1, in: quote))
  }

  /// The last words of a number alone are another weight.
  @Test(arguments: ["two hundred pounds", "ciento ochenta kilos", "I'm a hundred eighty lbs"])
  func hundredsInWordsAreNoWeight(text: String) {
    #expect(words.bareAnswer(text) == nil)
    #expect(words.weight(in: text) == nil)
  }

  @Test(
    arguments: [
      ("lose 20 lbs", true), ("160lb", true), ("5'8\"", true), ("not 20 lbs, 10 kg", false),
      ("80 kilos", false), ("a 10k on the 1st at 5 in the morning", nil), ("3 'hard' ones", nil),
    ] as [(String, Bool?)])
  func theUnitsOfAPersonAreThoseThatTheyName(text: String, isImperial: Bool?) {
    #expect(words.isImperial(text) == isImperial)
  }

  @Test func digitsInARowAreNotAddedUp() {
    #expect(!words.holds(180, in: "bench 100, 80, 60") && words.holds(80, in: "bench 100, 80, 60"))
  }

  @Test func withoutAPacksWordsDigitsAreRead() {
    #expect(MeasureWords().holds(34, in: "34 years"))
    #expect(MeasureWords().bareAnswer("178 cm") == nil)
  }

  @Test(
    arguments: [
      ("I want to weigh 45 kg", 45.0), ("quiero bajar a 42 kg", 42),
      ("weigh 40 kg by Christmas", 40),
      ("Ich will auf 42 kg runter", 42), ("get down to 100 pounds", 45.4),
      ("slim down to 7 stone", 44.5),
      ("I'd like to get my bench to 40 kg", nil), ("get to 40 kg dumbbells", nil),
      ("I want to weigh 5 kg less", nil), ("my son wants to weigh 40 kg", nil),
      ("down to 20 minutes", nil), ("run 5k", nil),
    ] as [(String, Double?)])
  func aWeightToReachIsRead(_ text: String, _ kilograms: Double?) throws {
    let target = words.targetWeight(in: text)
    #expect(target.map { ($0 * 10).rounded() / 10 } == kilograms)
  }

  @Test(
    arguments: [
      ("I am 170 cm tall and sit all day", 170.0), ("I'm 5'7 and want to lose weight", 170.2),
      ("I'm six foot tall", 182.9), ("mido 1,65 m", 165), ("ich bin 1 m 72 groß", 172),
      ("ran 800 m", nil), ("2 m of rope", nil), ("my waist is 95 cm", nil),
      ("six foot of snow", nil),
    ] as [(String, Double?)])
  func aHeightToldInPassingIsRead(_ text: String, _ centimetres: Double?) throws {
    let height = words.height(in: text)
    #expect(height.map { ($0 * 10).rounded() / 10 } == centimetres)
  }
}
