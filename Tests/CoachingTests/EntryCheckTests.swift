import HealthRecords
import IncrementalJSON
import Intake
import IntakeTestSupport
import Testing

@testable import Coaching

/// What a model claims about somebody's words, held against them.
struct EntryCheckTests {
  /// The entries of one claim whose figures are `5 repetitions, 100 kg`.
  private func checked(
    _ activity: String, _ figures: String, of quote: String, effort: String = "unsaid"
  ) throws -> [LogNote] {
    let list = figures.split(separator: ",").map { figure -> JSONValue in
      let parts = figure.split(separator: " ")
      var members: JSONObject = [
        "value": JSONValue(Double(parts[0]) ?? 0) ?? .null, "unit": .string(String(parts[1])),
      ]
      if parts.count > 2 { members["said"] = .string(String(parts[2])) }
      return .object(members)
    }
    let claim: JSONValue = [
      "what": "done", "activity": .string(activity), "day": "today", "figures": .array(list),
      "effort": .string(effort), "note": "", "turn": 3, "quote": .string(quote),
    ]
    return try EntryCheck(pack(), today: monday).notes([claim]) { .init(turn: $1, text: $0) }
  }

  @Test func theExampleForModelsFitsItsSchema() throws {
    let member = try pack().member
    let example = try #require(JSONValue(exampleIn: member.instructions))
    #expect(JSONValue.array([example]).faults(member.schema).isEmpty)
    let quote = try #require(example["quote"]?.stringValue)
    let notes = try EntryCheck(pack(), today: monday).notes([example]) { .init(turn: $1, text: $0) }
    #expect(notes.count == 1, "\(quote)")
  }

  @Test(arguments: [
    ("walking", "1 h an", "walked an hour", "walk 1:00 h"),
    ("yoga", "0.5 h half", "half an hour of yoga", "yoga 30 min"),
    ("pullUp", "8 repetitions,7 repetitions,6 repetitions", "pull ups 8, 7, 6", "pull-ups 8, 7, 6"),
    (
      "benchPress", "135 lb,5 repetitions,145 lb,5 repetitions", "bench 135x5, 145x5 lb",
      "bench press 5 at 135 lb, 5 at 145 lb"
    ),
    ("swimming", "40 laps", "swam 40 laps", "swim 40 laps"),
    ("walking", "10000 steps", "walked 10000 steps", "walk 10000 steps"),
    ("running", "3 mi three", "ran three miles", "run 3 mi"),
  ])
  func figuresRestOnTheWords(
    _ activity: String, _ figures: String, _ quote: String, _ expected: String
  ) throws {
    let text = EntryText(try pack())
    let notes = try checked(activity, figures, of: quote)
    #expect(
      notes.map { if case .new(let entry) = $0 { text.asTold(entry) } else { "" } } == [expected])
  }

  @Test(arguments: [
    ("walking", "2 h", "walked an hour"),
    ("pullUp", "8 repetitions,9 repetitions", "pull ups 8, 7"),
  ])
  func aFigureThatNobodySaidIsNoEntry(
    _ activity: String, _ figures: String, _ quote: String
  ) throws {
    #expect(try checked(activity, figures, of: quote) == [.unclear(quote)])
  }

  @Test func whatCantBeRightIsAskedAbout() throws {
    let notes = try checked("running", "400 km", of: "ran 400 km")
    guard case .implausible(_, let breach)? = notes.first else {
      Issue.record("\(notes)")
      return
    }
    #expect(breach.figure == .kilometers && breach.range.upperBound == 250)
  }
}
