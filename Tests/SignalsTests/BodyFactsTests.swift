import Intake
import Signals
import Testing

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
    Answer("I'm like 180 lbs", nil, 81.6),
    Answer("about 70 kilos, no idea how tall", nil, 70),
    Answer("81,5 kg", nil, 81.5),
  ])
  func measurementsAreReadInMetric(answer: Answer) {
    let facts = BodyFacts.stated(in: answer.text)
    #expect(facts.heightCentimetres == answer.height)
    #expect(facts.weightKilograms == answer.weight)
    #expect(facts.implausible == nil)
    #expect(!facts.skipped)
  }

  @Test(arguments: [
    Answer("want to lose 20 lbs", nil, nil),
    Answer("I have 20 kg to lose", nil, nil),
    Answer("my goal is 70 kg", nil, nil),
    Answer("I'd like to be 80 kg by summer", nil, nil),
    Answer("I'm 20 lbs over what I was", nil, nil),
    Answer("I weigh 90kg want 80", nil, 90),
    Answer("goal 70 kg, now 85 kg, 180 cm", 180, 85),
    Answer("I'd like to lose 20 lbs, I'm 190 lbs and 5'9\"", 175.3, 86.2),
    Answer("lost 10 kg, 82 kg now, 178 cm", 178, 82),
    Answer("used to weigh 95 kg but now 82 kg", nil, 82),
    Answer("I bench 100 kg and weigh 82 kg", nil, 82),
  ])
  func aWishOrADifferenceIsNotAMeasurement(answer: Answer) {
    let facts = BodyFacts.stated(in: answer.text)
    #expect(facts.heightCentimetres == answer.height)
    #expect(facts.weightKilograms == answer.weight)
  }

  @Test(arguments: [
    "skip", "I'd rather not say", "pass", "no thanks", "next question please", "idk", "not sure",
    "whatever",
  ])
  func aRefusalIsASkip(text: String) {
    let facts = BodyFacts.stated(in: text)
    #expect(facts.skipped)
    #expect(facts.quotes.isEmpty)
  }

  @Test(arguments: [
    ("5'10\" and 1800 lbs", "1800 lbs"), ("178 kg and 18 cm", "18 cm"), ("9 kg", "9 kg"),
    ("3 m", "3 m"),
  ])
  func whatCannotBeRightIsAskedAbout(text: String, implausible: String) {
    let facts = BodyFacts.stated(in: text)
    #expect(facts.implausible == implausible)
    #expect(!facts.skipped)
  }

  @Test func theWordsThatWereReadAreKept() {
    let facts = BodyFacts.stated(in: "Sure: 178 cm, roughly 81 kilos.")
    #expect(facts.quotes == ["178 cm", "81 kilos"])
  }
}
