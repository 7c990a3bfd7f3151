import Coaching
import Foundation
import IncrementalJSON
import Intake
import LanguageModels
import Signals
import TestSupport
import Testing
import WireFormats

@testable import Cassettes

/// The committed schema and the reader take and refuse the same files.
struct CassetteSchemaTests {
  private let root: URL
  private let schema: JSONSchema
  private let text: JSONValue

  init() throws {
    root = try CaseFile.packageRoot()
    let file = root.appending(path: "Fixtures/cassette.schema.json")
    text = try JSONValue(parsing: Array(try Data(contentsOf: file)))
    schema = JSONSchema(text)
  }

  @Test func everyFixtureFollowsIt() throws {
    let folder = root.appending(path: "Fixtures/conversations").path
    guard FileManager.default.fileExists(atPath: folder) else { return }
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".json") }
    #expect(!paths.isEmpty)
    for path in paths {
      let bytes = Array(try Data(contentsOf: URL(filePath: folder + "/" + path)))
      #expect(try schema.problems(try JSONValue(parsing: bytes)) == [], "\(path)")
      #expect(throws: Never.self, "\(path)") { try Cassette(parsing: bytes) }
    }
  }

  @Test func itNamesEverythingThatTheReaderKnows() throws {
    func names(_ value: JSONValue?) -> Set<String> {
      Set(value?["enum"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    }
    let definitions = text["$defs"]
    let expect = definitions?["expectations"]?["properties"]
    #expect(names(definitions?["purpose"]) == Set(RequestPurpose.allCases.map(\.rawValue)))
    #expect(names(expect?["events"]?["items"]) == Set(IntakeEvent.Kind.allCases.map(\.rawValue)))
    #expect(
      names(definitions?["coachingKind"]) == Set(CoachingEvent.Kind.allCases.map(\.rawValue))
    )
    #expect(names(expect?["outcome"]) == Set(Expectations.Outcome.allCases.map(\.rawValue)))
    #expect(
      names(expect?["paywall"]?["items"]) == Set(Expectations.PaywallStep.allCases.map(\.rawValue)))
    #expect(names(text["properties"]?["wireFormat"]) == Set(WireFormat.allCases.map(\.rawValue)))
    #expect(
      names(definitions?["settings"]?["properties"]?["followUp"])
        == Set(FollowUpPolicy.allCases.map(\.rawValue)))
    #expect(
      names(definitions?["response"]?["properties"]?["ending"])
        == Set(RecordedResponse.Ending.allCases.map(\.rawValue)))
    let faults = definitions?["exchange"]?["properties"]?["fault"]?["pattern"]?.stringValue ?? ""
    for fault in Fault.Name.allCases {
      #expect(
        faults.contains("|\(fault.rawValue)|") || faults.contains("(\(fault.rawValue)|")
          || faults.contains("|\(fault.rawValue))"), "\(fault)")
    }
  }

  /// Everything there can be, in one cassette.
  private static let full: JSONValue = [
    "$schema": "../cassette.schema.json", "version": 1, "title": "t", "tags": ["a"],
    "source": ["recorded": "2026-01-05", "model": "m"], "wireFormat": "anthropic",
    "rubricVersion": 1,
    "settings": [
      "pack": "fitness", "packVersion": "1", "threshold": 0.8, "maxTurns": 5, "timeLimit": 240,
      "followUp": "lowest", "startsAt": "2026-01-05T08:00:00Z", "subscribed": true,
      "models": ["fast": "f", "coach": "c", "deep": "d"],
    ],
    "health": [
      "beforeStep": 1, "source": "Apple Health", "through": "2026-01-04",
      "evidence": [
        [
          "facet": "currentState.activity", "reading": "7,412 steps", "source": "Apple Health",
          "topics": ["calories"],
        ]
      ],
      "findings": [["about": "steps", "text": "You walk."]],
      "figures": [["about": "weight", "text": "Weight: 81 kg", "isWeight": true]],
      "forDoctor": ["Your heart.", ["kind": "spo2Low", "isUrgent": true, "text": "Your oxygen."]],
      "isMinor": true,
    ],
    "otherEvents": [
      ["beforeStep": 2, "version": 3, "event": ["type": "journeyBegun", "name": "spring"]]
    ],
    "script": [
      ["open": true], ["user": "x", "wait": 1.5, "interrupt": ["afterText": "y"]],
      ["again": true, "kill": ["during": "ask"]],
    ],
    "transcript": [["coach": "hi"], ["user": "x"]],
    "expect": [
      "outcome": "ready", "discoveryComplete": ["afterTurn": 2],
      "turns": [
        [
          "turn": 1, "overall": 0.2, "components": ["goalClarity": [0.1, 0.9]],
          "new": ["goalClarity.outcome"], "asks": ["obstacles"], "replyContains": ["a"],
          "replyLacks": ["b"],
        ]
      ],
      "facets": [
        "goalClarity.outcome": ["turn": 1, "quote": "x"],
        "currentState.activity": ["reading": "7,412 steps", "source": "Apple Health"],
      ],
      "asksOnlyWhatIsMissing": true,
      "neverAsked": ["q"], "care": [["turn": 1, "kind": "minor"]],
      "synthesis": [
        ["at": "/a", "equals": 1], ["at": "", "contains": "x"], ["at": "/b", "matches": "x+"],
        ["at": "/c", "absent": true],
      ],
      "constraintsRestOnTurns": true, "paywall": ["shown"], "notices": ["n"],
      "events": ["started"], "usage": ["input": 1, "output": 2], "neverShown": ["z"],
    ],
    "exchanges": [
      [
        "purpose": "greet",
        "request": [
          "model": "m", "structure": "a,b", "messages": 1, "words": "0", "conversation": "1",
          "prompt": "2",
        ],
        "response": [
          "status": 429, "headers": ["retry-after": "1"],
          "frames": [
            ["at": 1, "event": "e", "data": ["x": 1]], ["at": 2, "raw": ": x\n\n"],
            ["at": 2, "base64": "/w=="], ["at": 9, "data": "[DONE]"],
          ],
          "ending": "cut",
        ],
        "fault": "cut:after=2,close=reset",
      ],
      ["response": ["text": "x", "usage": ["input": 1, "output": 1], "finish": "length"]],
      ["response": ["json": ["a": 1]]], ["response": ["body": "<p>"]],
    ],
    "prompts": [["purpose": "ask", "lines": ["a"]]],
  ]

  @Test func aCassetteWithEverythingIsTakenByBoth() throws {
    let full = Self.full
    #expect(try schema.problems(full) == [])
    let cassette = try Cassette(json: full)
    #expect(try schema.problems(cassette.json) == [])
    #expect(try Cassette(json: cassette.json) == cassette)
  }

  /// A place, and something that must not stand there; nil takes away what does.
  private static let wrong: [(path: [String], value: JSONValue?)] = [
    (["version"], 2), (["version"], "1"), (["version"], nil), (["title"], nil), (["title"], 1),
    (["rubricVersion"], nil), (["rubricVersion"], -1), (["rubricVersion"], 1.5), (["tags"], "a"),
    (["tags", "0"], 1), (["source"], "found"), (["source", "recorded"], nil), (["extra"], 1),
    (["wireFormat"], "openai"), (["settings", "threshold"], 1.2),
    (["settings", "maxTurns"], 20_000),
    (["settings", "followUp"], "random"), (["settings", "startsAt"], "yesterday"),
    (["settings", "subscribed"], "yes"), (["settings", "models", "tiny"], "x"),
    (["settings", "timeout"], 3), (["health"], .null), (["health"], "none"),
    (["health", "extra"], 1),
    (["health", "beforeStep"], -1), (["health", "beforeStep"], "1"), (["health", "source"], nil),
    (["health", "source"], " "), (["health", "through"], nil), (["health", "through"], "2026-1-4"),
    (["health", "through"], "yesterday"), (["health", "through"], "2026-01-04T08:00:00Z"),
    (["health", "evidence"], [:]), (["health", "evidence", "0", "facet"], "activity"),
    (["health", "evidence", "0", "reading"], nil), (["health", "evidence", "0", "reading"], ""),
    (["health", "evidence", "0", "source"], nil), (["health", "evidence", "0", "turn"], 1),
    (["health", "findings", "0"], "You walk."), (["health", "findings", "0", "text"], nil),
    (["health", "findings", "0", "about"], 1), (["health", "figures", "0", "isWeight"], "yes"),
    (["health", "figures", "0", "text"], .null), (["health", "figures", "0", "unit"], "kg"),
    (["health", "forDoctor"], "Your heart."), (["health", "forDoctor", "0"], "\n"),
    (["health", "isMinor"], 1), (["health", "isMinor"], .null), (["script", "0", "say"], "x"),
    (["script", "1", "user"], 3),
    (["script", "1", "user"], nil), (["script", "1", "open"], true), (["script", "1", "wait"], -1),
    (["script", "1", "wait"], 1e18), (["script", "1", "interrupt"], [:]),
    (["script", "1", "interrupt", "during"], "ask"), (["script", "2", "kill", "during"], "sing"),
    (["script", "2", "kill", "at"], 3), (["transcript", "0", "user"], "both"),
    (["exchanges", "0", "response", "frames", "0", "raw"], "both"),
    (["transcript", "0"], [:]), (["transcript", "0", "system"], "x"),
    (["expect", "outcome"], "won"), (["expect"], [:]), (["expect", "outcome"], .null),
    (["expect", "turns", "0", "components"], "goalClarity=0.9"),
    (["expect", "turns", "0", "components"], []),
    (["expect", "synthesis", "0"], ["at": "/userGoals", "absent": false]),
    (["expect", "turns", "0", "turn"], nil), (["expect", "turns", "0", "overall"], 2),
    (["expect", "turns", "0", "overall"], [0.1]),
    (["expect", "turns", "0", "new", "0"], "outcome"),
    (["expect", "turns", "0", "components", "goalClarity"], "high"),
    (["expect", "facets", "outcome"], ["turn": 1, "quote": "x"]),
    (["expect", "facets", "goalClarity.outcome", "quote"], nil),
    (["expect", "facets", "goalClarity.outcome", "reading"], "x"),
    (["expect", "facets", "currentState.activity", "source"], nil),
    (["expect", "facets", "currentState.activity", "turn"], 1),
    (["expect", "events", "0"], "sung"),
    (["expect", "care", "0", "kind"], "A flu"), (["expect", "synthesis", "0", "at"], "a"),
    (["expect", "synthesis", "0", "contains"], "x"), (["expect", "synthesis", "0", "equals"], nil),
    (["expect", "discoveryComplete"], "often"),
    (["expect", "discoveryComplete", "afterTurn"], "2"),
    (["expect", "paywall", "0"], "climbed"), (["expect", "usage", "input"], -1),
    (["expect", "neverShow"], ["x"]), (["exchanges", "0", "purpose"], "sing"),
    (["exchanges", "0", "request", "words"], nil), (["exchanges", "0", "request", "body"], "x"),
    (["exchanges", "0", "response"], nil), (["exchanges", "0", "response", "status"], 99),
    (["exchanges", "0", "response", "status"], 700), (["exchanges", "0", "response", "body"], "x"),
    (["exchanges", "0", "response", "frames"], nil),
    (["exchanges", "0", "response", "ending"], "x"),
    (["exchanges", "0", "response", "headers", "retry-after"], 1),
    (["exchanges", "0", "response", "headers", "x"], "a\r\nb"),
    (["exchanges", "0", "fault"], "rust"),
    (["exchanges", "0", "response", "bodyFile"], "../../../../etc/passwd"),
    (["exchanges", "0", "response", "frames", "0", "at"], -5),
    (["exchanges", "0", "response", "frames", "1", "at"], 1e18),
    (["exchanges", "0", "response", "frames", "0", "data"], nil),
    (["exchanges", "0", "response", "frames", "2", "base64"], "@@@"),
    (["exchanges", "0", "response", "frames", "2", "chunk"], "x"),
    (["exchanges", "1", "response", "finish"], 1), (["prompts", "0", "purpose"], nil),
    (["prompts", "0", "lines"], "a"),
  ]

  @Test func whatIsWrongIsRefusedByBothWithItsPlace() throws {
    let full = Self.full
    for (path, value) in Self.wrong {
      let bad = full.replacing(path[...], with: value)
      #expect(bad != full, "\(path)")
      #expect(try !schema.problems(bad).isEmpty, "the schema takes \(path) \(value as Any)")
      let error = #expect(throws: FieldError.self, "the reader takes \(path) \(value as Any)") {
        try Cassette(json: bad)
      }
      let place = error?.path ?? ""
      #expect(
        place.contains(path.last { Int($0) == nil } ?? "") || place.contains(path[0]), "\(place)")
    }
  }
}

extension JSONValue {
  /// The value with another at a place; nil takes it away.
  fileprivate func replacing(_ path: ArraySlice<String>, with value: JSONValue?) -> JSONValue {
    guard let step = path.first else { return value ?? .null }
    let isLast = path.count == 1
    if var elements = arrayValue, let index = Int(step), elements.indices.contains(index) {
      elements[index] = elements[index].replacing(path.dropFirst(), with: value)
      return .array(elements)
    }
    guard var object = objectValue else { return self }
    object[step] = isLast ? value : (object[step] ?? [:]).replacing(path.dropFirst(), with: value)
    return .object(object)
  }
}
