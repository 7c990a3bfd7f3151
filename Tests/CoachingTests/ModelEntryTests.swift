import HealthRecords
import IncrementalJSON
import Testing

@testable import Coaching

/// What a model reads goes into the log as far as the words have it.
@Suite struct ModelEntryTests {
  private func notes(
    _ message: String, _ members: [(String, JSONValue)], log: [LogEntry] = []
  ) throws -> [LogNote] {
    let usual: [(String, JSONValue)] = [
      ("what", "done"), ("corrects", 0), ("activity", "running"), ("day", ""), ("figures", []),
      ("effort", "unsaid"), ("note", ""), ("turn", 1), ("quote", .string(message)),
    ]
    var claim = JSONObject(usual)
    for (name, value) in members { claim[name] = value }
    return try EntryCheck(pack(), today: monday).notes(
      [.object(claim)], in: message, log: state(log).log
    ) { .init(turn: $1, text: $0) }
  }

  private func figure(_ unit: String, _ value: Double, _ said: String) -> JSONValue {
    ["unit": .string(unit), "value": JSONValue(value) ?? .null, "said": .string(said)]
  }

  private func line(_ note: LogNote?) throws -> String {
    let text = EntryText(try pack())
    return switch note {
    case .new(let entry), .corrected(let entry): "\(entry.day - monday) \(text.asTold(entry))"
    case .unclear: "unclear"
    case .unmatched: "unmatched"
    case .implausible: "implausible"
    case .removed(let entry): "removed \(text.asTold(entry))"
    case nil: "nothing"
    }
  }

  /// A unit of one's own is one, and a word can count how often.
  @Test(arguments: [
    ("bin meinen Kilometer geschwommen", "km", "meinen Kilometer", 1.0, "0 run 1 km"),
    ("did my hour on the bike", "h", "my hour", 1, "0 run 1:00 h"),
    ("did my hour on the bike", "h", "my hour", 2, "unclear"),
    ("did my hour on the bike", "sets", "my hour", 1, "unclear"),
    ("dreimal die Treppe hoch", "sets", "dreimal", 3, "0 run 3 sets"),
    ("up the hill twice", "sets", "twice", 2, "0 run 2 sets"),
  ])
  func aNumberNeedsNoNumeral(
    _ message: String, _ unit: String, _ said: String, _ value: Double, _ wanted: String
  ) throws {
    let found = try notes(message, [("figures", [figure(unit, value, said)])])
    #expect(try line(found.first) == wanted)
  }

  @Test(arguments: [
    ("kettlebells for seven minutes", "seven", 7.0, "0 run 7 min"),
    ("hice bici doce minutos", "doce", 12, "0 run 12 min"),
    ("bin fünfzehn Minuten gelaufen", "fünfzehn", 15, "0 run 15 min"),
    ("walked for thirty-six minutes", "thirty-six", 36, "0 run 36 min"),
    ("corrí treinta y seis minutos", "treinta y seis", 36, "0 run 36 min"),
    ("walked for thirty-six minutes", "thirty-six", 37, "unclear"),
    ("achtunddreißig Minuten auf dem Rad", "achtunddreißig", 38, "0 run 38 min"),
    ("ran for seven minutes", "seven", 8, "unclear"), ("ran for a while", "seven", 7, "unclear"),
    ("ran 17 minutes", "7", 7, "unclear"),
    ("ran for sixteen minutes and a half", "sixteen minutes and a half", 16.5, "0 run 16:30 min"),
    ("lief eine Dreiviertelstunde", "eine", 45, "unclear"),
    ("ran for an hour and a half", "an hour and a half", 90, "0 run 1:30 h"),
    ("ran for five minutes and more", "five minutes", 50, "unclear"),
  ])
  func aNumberIsInTheQuoteAsDigitsOrAsItsWord(
    _ message: String, _ said: String, _ value: Double, _ wanted: String
  ) throws {
    let found = try notes(message, [("figures", [figure("min", value, said)])])
    let noted = try line(found.first)
    #expect(noted == wanted)
  }

  @Test func theDayIsTheOneThatTheModelReckoned() throws {
    let day = JSONValue.string("\(monday + -5)")
    let found = try notes(
      "Wednesday I ran 5 km", [("day", day), ("figures", [figure("km", 5, "5")])])
    #expect(try line(found.first) == "-5 run 5 km")
  }

  @Test func stonesAndPoundsAreOneWeight() throws {
    let found = try notes(
      "10 st 5 lb this morning",
      [("what", "weighed"), ("figures", [figure("st", 10, "10"), figure("lb", 5, "5")])])
    #expect(try line(found.first) == "0 weight 145 lb")
  }

  /// An amount without a unit, such as floors, is in the note, and a correction stands behind it.
  @Test func aNoteIsCorrectedToo() throws {
    var before = LogEntry(day: monday, kind: .timed, activity: "stairs")
    before.note = "twelve floors"
    let found = try notes(
      "the twelve floors were only ten",
      [("corrects", 1), ("activity", "stairs"), ("note", "only ten")], log: [before])
    guard case .corrected(let entry)? = found.first else { throw Missing() }
    #expect(entry.note == "twelve floors; only ten")
    let material = EntryCheck(try pack(), today: monday).material(
      try state([before]).log, EntryText(try pack()))
    #expect(JSONValue.object(material).serialized().contains("twelve floors"))
  }

  @Test func halfALapLosesNothingElse() throws {
    let figures: JSONValue = [
      figure("min", 15, "15"), figure("laps", 1.5, "one and a half times"),
    ]
    let found = try notes("15 min, one and a half times round", [("figures", figures)])
    #expect(try line(found.first) == "0 run 15 min")
  }

  @Test func intervalsKeepTheirRepetitions() throws {
    let figures: JSONValue = [figure("repetitions", 6, "6"), figure("m", 800, "800")]
    let found = try notes("did 6 x 800 m", [("figures", figures)])
    #expect(try line(found.first) == "0 run 6×800 m")
  }

  @Test func aCorrectionNamesItsEntry() throws {
    var before = LogEntry(day: monday, kind: .timed, activity: "running")
    before.seconds = 600
    let figures: JSONValue = [figure("min", 7, "seven")]
    let message = "it wasn't ten minutes, it was seven"
    let found = try notes(message, [("corrects", 1), ("figures", figures)], log: [before])
    guard case .corrected(let entry)? = found.first else { throw Missing() }
    #expect(entry.number == 1 && entry.seconds == 420)
    #expect(entry.corrections?.last?.text == message)
    #expect(try line(notes(message, [("corrects", 4), ("figures", figures)]).first) == "unmatched")
  }

  @Test func whatACorrectionRepeatsNeedNotBeSaidAgain() throws {
    var before = LogEntry(day: monday, kind: .distance, activity: "running")
    (before.kilometers, before.seconds) = (16, 5_280)
    let figures: JSONValue = [
      figure("km", 15.2, "15.2"), figure("h", 1, "1"), figure("min", 28, "28"),
    ]
    let found = try notes(
      "that run was 15.2 km, not 16", [("corrects", 1), ("figures", figures)], log: [before])
    guard case .corrected(let entry)? = found.first else { throw Missing() }
    #expect(entry.kilometers == 15.2 && entry.seconds == 5_280)
  }

  @Test func whatCannotBeToldIsAskedAbout() throws {
    #expect(try line(notes("did the thing again", [("what", "unsure")]).first) == "unclear")
  }

  @Test func whatDidNotHappenIsRemoved() throws {
    var before = LogEntry(day: monday, kind: .timed, activity: "running")
    before.seconds = 600
    let claim: [(String, JSONValue)] = [("what", "removed"), ("corrects", 1)]
    #expect(try line(notes("I never ran that", claim, log: [before]).first) == "removed run 10 min")
    #expect(try line(notes("I never ran that", claim).first) == "unmatched")
  }

  /// "Corrected" is only said where something was.
  @Test func aCorrectionThatChangesNothingSaysSo() throws {
    var before = LogEntry(number: 1, day: monday, kind: .timed, activity: "tennis")
    before.seconds = 3_600
    let claim: [(String, JSONValue)] = [
      ("corrects", 1), ("activity", "tennis"), ("figures", [figure("h", 1, "an hour")]),
    ]
    let found = try notes("no, that was squash", claim, log: [before])
    #expect(try line(found.first) == "unclear")
    let other = try notes(
      "badminton, not tennis", claim.map { $0.0 == "activity" ? ("activity", "badminton") : $0 },
      log: [before])
    guard case .corrected(let entry)? = other.first else { throw Missing() }
    #expect(entry.activity == "badminton" && entry.seconds == 3_600)
  }

  @Test func aNoteBesideTheQuoteIsKept() throws {
    let found = try notes(
      "ran 5 km. heart rate 150, shins fine",
      [
        ("quote", "ran 5 km"), ("note", "heart rate 150, shins fine"),
        ("figures", [figure("km", 5, "5")]),
      ])
    guard case .new(let entry)? = found.first else { throw Missing() }
    #expect(entry.note == "heart rate 150, shins fine")
  }

  private struct Missing: Error {}
}
