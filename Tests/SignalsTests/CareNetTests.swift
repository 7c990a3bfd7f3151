import ContextQuality
import Foundation
import Intake
import Signals
import TestSupport
import Testing

struct CareNetTests {
  private let net: CareNet

  private static func net(_ text: String) throws -> CareNet {
    try CareNet(
      files: [(text: text, name: "care.txt")], kinds: CareNotes.minimum.kinds,
      rules: try SignalRules(shared: [:], own: [:], folder: "mine"))
  }

  init() throws { net = try PromptPack.embedded().careNet }

  /// `kind<TAB>sentence` lines; `none` for the harmless ones.
  static func sentences(_ file: String) throws -> [(kind: String, text: String)] {
    let path = try CaseFile.packageRoot().appending(path: "Fixtures/care/\(file).tsv")
    return try String(contentsOf: path, encoding: .utf8).split(separator: "\n").compactMap { line in
      guard !line.hasPrefix("#"), let tab = line.firstIndex(of: "\t") else { return nil }
      return (String(line[..<tab]), String(line[line.index(after: tab)...]))
    }
  }

  @Test(arguments: ["sentences", "tune", "body.tune", "log.tune"])
  func everySentenceIsCaughtAsLabelled(file: String) throws {
    let sentences = try Self.sentences(file)
    #expect(!sentences.isEmpty)
    for (kind, text) in sentences {
      #expect(net.classify(text)?.kind.rawValue ?? "none" == kind, "\(text)")
    }
  }

  /// Percentages as first seen, rounded down. Only a catch of the right kind counts.
  @Test(arguments: [("held-out", 89), ("body.held-out", 80)])
  func heldOutSentencesAreCaughtAsOftenAsBefore(file: String, recall: Int) throws {
    var (caught, due) = (0, 0)
    var wrong: [String] = []
    var missed: [String] = []
    for (kind, text) in try Self.sentences(file) {
      let found = net.classify(text)?.kind.rawValue ?? "none"
      if kind != "none" { due += 1 }
      if found == kind { caught += kind == "none" ? 0 : 1 } else { missed.append(text) }
      if found != "none" && found != kind { wrong.append("\(found): \(text)") }
    }
    print("\(file): caught \(caught) of \(due)")
    #expect(caught * 100 >= due * recall, "\(missed.joined(separator: "\n"))")
    #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
  }

  @Test(arguments: [
    ("I used to be fit but now I can't breathe and my chest hurts", "emergency"),
    ("I was suicidal in my twenties but it's back", "crisis"),
    ("I was suicidal in my twenties, therapy helped", "none"),
    ("my friend faints at the gym", "none"), ("my friend worries, I fainted at the gym", "medical"),
    ("I don't know if I want to die", "crisis"), ("I don't want to die on a treadmill", "none"),
    ("My chest hurts. My left arm is numb.", "emergency"),
    ("this hill makes me want to die, and I cut myself again last night", "crisis"),
  ])
  func timePersonAndDenialAreHeard(text: String, kind: String) {
    #expect(net.classify(text)?.kind.rawValue ?? "none" == kind)
  }

  @Test(arguments: [
    ("I don't feel faint, dizzy or weak when running", "none"),
    ("I don't feel dizzy, faint or weak when running", "none"),
    ("I don't really feel faint or dizzy", "none"), ("I didn't faint or pass out", "none"),
    ("I feel faint, dizzy or weak when running", "medical"),
    ("I don't feel weak, but I fainted yesterday", "medical"),
    ("I didn't eat and feel faint", "medical"),
    ("he collapsed during squats and isn't responding", "emergency"),
  ])
  func aListIsDeniedAsAWhole(text: String, kind: String) {
    #expect(net.classify(text)?.kind.rawValue ?? "none" == kind)
  }

  /// A first name is somebody else only as the subject.
  @Test(arguments: [
    ("Tom passed out, I ran 5k", "none"), ("I ran 5k, Tom passed out", "none"),
    ("Kenji fainted at the gym, ran 5k", "none"), ("yesterday Tom nearly fainted", "none"),
    ("Maria had chest pain during the run", "none"), ("passed out, ran 5k", "medical"),
    ("Tom says I passed out", "medical"), ("Tom and I passed out", "medical"),
    ("Tom drove me home after I fainted at the gym", "medical"),
    ("ran with Tom, passed out", "medical"), ("Tom, I passed out", "medical"),
    ("ran 5k with Tom and Maria, fainted at the end", "medical"),
    ("Yesterday passed out after the run", "medical"),
    ("Tom passed out. I fainted, too", "medical"),
    ("my name is Tom and I want to die", "crisis"), ("Tom here, want to kill myself", "crisis"),
  ])
  func aNameIsSomebodyElse(text: String, kind: String) {
    #expect(net.classify(text)?.kind.rawValue ?? "none" == kind)
  }

  /// Ordinary first conversations: what is caught in them was read one by one.
  @Test(.slow) func ordinaryConversationsAreLeftAlone() throws {
    let path = try CaseFile.packageRoot().appending(path: "Fixtures/labelled/dev.jsonl")
    let rows = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
    var caught: [String] = []
    for row in rows {
      let json = try JSONDecoder().decode(CaseJSON.self, from: Data(row.utf8))
      for message in json["messages"]?.array ?? [] where message["role"]?.string == "user" {
        guard let text = message["content"]?.string, let found = net.classify(text) else {
          continue
        }
        caught.append("\(found.kind.rawValue)\t\(json["id"]?.string ?? "")\t\(text.prefix(300))")
      }
    }
    #expect(caught.count <= 12, "\(caught.joined(separator: "\n"))")
  }

  @Test(arguments: [
    ("I'm 27", 27), ("im 15 and want abs", 15), ("I am 16 years old", 16),
    ("17 years old here", 17), ("Tengo 34 años", 34), ("ich bin 15 und will abnehmen", 15),
    ("Ich bin 41 Jahre alt", 41), ("tengo 20 kilos de más", nil), ("ich bin 20 Kilo drüber", nil),
    ("47yo dad of two", 47), ("just turned 18", 18), ("I turned 18 last week", 18),
    ("I'm 5 kg over", nil), ("im 14 weeks pregnant", nil), ("my son is 12", nil),
    ("I'm fifteen", 15), ("8-year-old here", 8), ("16F, 55 kg", 16), ("F17", nil), ("age: 15", 15),
    ("I turn 18 in May", nil), ("I'll be 40 next year", nil), ("when I was 15", nil),
    ("I'm 15 minutes away", nil), ("im 12 on 12 off", nil), ("I'm a 14 in dresses", nil),
    ("I have a 6 year old", nil), ("17 year old me would laugh", nil),
    ("that was a joke, I'm 31", 31), ("explain it like I'm 15", nil), ("I feel 17", nil),
    ("I'm 5'4", nil), ("I'm 6'", nil), ("I'm 8 and a half stone", nil), ("I'm 15 and a half", 15),
    ("I'm 12 wks postpartum", nil), ("as a 12 year old I loved swimming, I'm 40 now", 40),
    ("m/16 here", 16), ("I'm 18 next month", nil), ("im 18 in june", nil),
    ("I'm 12 months out", nil), ("my 15 year old brother trains", nil),
    ("I have trained since age 15", nil),
    ("pretend im 19", nil), ("what if i say im 19", nil), ("lets say I'm 19", nil),
    ("say I'm 21", nil), ("next year im 18", nil), ("if I'm 34", nil),
    ("I'm 20 pounds over", nil), ("I'm 42, desk job", 42), ("I've been at it 10 years", nil),
  ])
  func ownAges(text: String, age: Int?) {
    #expect(net.statedAge(in: text) == age)
  }

  @Test(arguments: [
    "F17", "I turn 18 in May", "I'm 18 next month", "im 18 in june", "next year im 17",
  ])
  func anAgeStillToComeOrInLettersIsThatOfAMinor(text: String) {
    #expect(net.classify(text)?.kind == .minor)
  }

  @Test(arguments: [
    ("31", 31), ("I'm 31", 31), ("thirty-eight", 38), ("38 years", 38),
    ("34, that's my daughter's phone", 34), ("5 sets of 12", nil), ("ok", nil),
  ])
  func aBareNumberAnswersHowOldSomebodyIs(text: String, age: Int?) {
    #expect(net.answeredAge(in: text) == age)
  }

  @Test func aPatternCanAskForTheBeginningAndTheEnd() throws {
    let net = try CareNet(
      files: [(text: "[crisis crisis]\n^ gremlins here|$\n", name: "care.txt")], kinds: [.crisis],
      rules: try SignalRules(shared: [:], own: [:], folder: "mine"))
    #expect(net.classify("gremlins")?.kind == .crisis)
    #expect(net.classify("Hello. Gremlins here now")?.kind == .crisis)
    #expect(net.classify("no gremlins here") == nil)
    #expect(net.classify("gremlins everywhere") == nil)
  }

  @Test func listsAreNamedOnceAndUsedInPhrases() throws {
    let text = "@them gremlins|wild_goats\n[crisis crisis]\nsee|fear @them\n!fear gremlins movie\n"
    let net = try Self.net(text)
    #expect(net.classify("I see wild goats")?.kind == .crisis)
    #expect(net.classify("I fear gremlins movie nights") == nil)
  }

  @Test func anUndefinedListIsNamedByItsLine() {
    let error = #expect(throws: PackError.self) {
      try Self.net("[crisis crisis]\nsee @them\n")
    }
    #expect(
      error?.description == "care.txt:2: expected the name of a list defined above, found @them")
  }

  @Test func anUnreadableNetIsNamedByItsLine() {
    let error = #expect(throws: PackError.self) {
      try Self.net("[crisis crisis]\nkill myself\n#<many kcal\n")
    }
    #expect(error?.description == "care.txt:3: expected a number such as # or #<800, found #<many")
  }
}

struct OwnAgeTests {
  @Test(arguments: [
    "I'm 15% body fat", "I'm 5 foot 10 and 180 pounds", "I'm 6 foot 2", "Im 6 ft tall",
    "I'm 10 min from a gym", "I'm 12 hrs a day at my desk", "I'm 12 lb heavier",
    "I'm 1.78m and 80kg", "I am 9 to 5 at a desk", "I'm 2nd shift", "I'm 10k steps a day",
    "I'm 16 weeks out from surgery", "I'm 17 kilos over", "I'm 14 days sober", "I'm on day 12",
  ])
  func numbersBesideMeAreNotMyAge(text: String) throws {
    let pack = try PromptPack.embedded()
    #expect(pack.careNet.classify(text)?.kind != .minor)
    #expect((pack.careNet.statedAge(in: text) ?? 40) >= CareNet.ageOfMajority)
  }

  @Test(arguments: [
    ("I'm 15", 15), ("im 16 and i want abs", 16), ("I'm fifteen", 15), ("I am 14 years old", 14),
    ("38 years old", 38), ("my age is 38", 38), ("I'm 42, out of breath", 42),
  ])
  func agesAreRead(text: String, age: Int) throws {
    #expect(try PromptPack.embedded().careNet.statedAge(in: text) == age)
  }
}
