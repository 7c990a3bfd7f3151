import ContextQuality
import Foundation
import IncrementalJSON
import Intake
import Signals
import TestSupport
import Testing
import WireFormats

@testable import Simulation

struct PersonaTests {
  @Test func aSheetIsReadAsItIsWritten() throws {
    let persona = try Sheets.persona()
    #expect(persona.facts.map(\.facet.component).first == "goalClarity")
    #expect(persona.facts.count == 8)
    #expect(persona.mood(at: 2) == .open)
    #expect(persona.mood(at: 3) == .brief)
    #expect(persona.distress.map(\.care) == [.crisis])
    #expect(persona.facts.filter(\.matters).map(\.facet.name) == ["physical"])
  }

  @Test(arguments: [
    (#""register": "hedged""#, #""register": "posh""#, "register: expected one of sms-steps"),
    (#""use": "tuning","#, "", "use: expected a value, found nothing"),
    (#""mood": "brief""#, #""mood": "gloomy""#, "moods[1].mood: expected one of open"),
    (
      "goalClarity.target", "goalClarity.dream",
      "facts.goalClarity.dream: expected a facet of the pack fitness"
    ),
    (
      #""willing": "inPassing","#, #""willing": "asked","#,
      "facts.lifestyle.recovery.with: expected nothing unless it is told inPassing"
    ),
    (
      #""with": "exercisePreferences""#, #""with": "sport""#,
      "facts.lifestyle.recovery.with: expected one of goalClarity"
    ),
    (#""care": "crisis""#, #""care": "hug""#, "distress[0].care: expected one of"),
    (#""bare": ["Well."]"#, #""bare": []"#, "phrases.bare: expected at least 1 text, found none"),
    (#""says": "A boat at the club.""#, #""says": "  ""#, "expected 1 to 1000 characters"),
    (#""patience": 2"#, #""patience": "two""#, "patience: expected a whole number"),
    (#""name": "Ottoline","#, #""name": "Ottoline", "mod": 1,"#, "mod: expected one of"),
    ("Food is not", "Food\u{22} is not", "not valid JSON"),
  ])
  func whatIsWrongIsNamed(_ old: String, _ new: String, _ message: String) throws {
    let text = Sheets.text.replacing(old, with: new, maxReplacements: 1)
    #expect(text != Sheets.text)
    let pack = try Sheets.pack.get()
    let error = #expect(throws: FieldError.self) {
      try Persona(parsing: Array(text.utf8), for: pack)
    }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test func aFolderNamesTheFile() throws {
    let folder = NSTemporaryDirectory() + "personas-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let pack = try Sheets.pack.get()
    #expect(throws: FieldError.self) { try PersonaFolder.personas(at: folder, for: pack) }
    for name in ["a", "b"] {
      try Data(Sheets.text.utf8).write(to: URL(filePath: "\(folder)/\(name).json"))
    }
    let error = #expect(throws: FieldError.self) {
      try PersonaFolder.personas(at: folder, for: pack)
    }
    #expect(
      error?.description.hasPrefix("\(folder)/b.json: name: expected a name no other sheet has")
        == true)
    #expect(
      try PersonaFolder.personas(at: folder + "/a.json", for: pack).map(\.name) == ["Ottoline"])
  }
}

/// The people that ship.
struct ShippedPersonaTests {
  private let root = Fixtures.root.appending(path: "Fixtures/personas")

  @Test func halfOfThemAreOnlyForMeasuring() throws {
    let pack = try Sheets.pack.get()
    for use in Persona.Use.allCases {
      let folder = root.appending(path: use.rawValue).path
      let personas = try PersonaFolder.personas(at: folder, for: pack)
      #expect(personas.count == 20)
      #expect(personas.allSatisfy { $0.use == use })
      #expect(Set(personas.map(\.register)).count == Persona.Register.allCases.count)
      #expect(Set(personas.map(\.language)) == ["en", "es", "de"])
    }
  }

  @Test func theyAreBuiltIn() throws {
    let pack = try Sheets.pack.get()
    #expect(
      try PersonaFolder.embedded(for: pack) == PersonaFolder.personas(at: root.path, for: pack))
  }

  @Test func everySheetFollowsTheSchema() throws {
    let schema = JSONSchema(
      try JSONValue(parsing: Array(Data(contentsOf: root.appending(path: "persona.schema.json")))))
    for path in try sheets() {
      let value = try JSONValue(parsing: Array(Data(contentsOf: root.appending(path: path))))
      #expect(try schema.problems(value) == [], "\(path)")
    }
  }

  @Test func theSchemaNamesWhatTheReaderKnows() throws {
    let schema = try JSONValue(
      parsing: Array(Data(contentsOf: root.appending(path: "persona.schema.json"))))
    func names(_ value: JSONValue?) -> [String] {
      value?["enum"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
    let properties = schema["properties"]
    #expect(names(properties?["use"]) == Persona.Use.allCases.map(\.rawValue))
    #expect(names(properties?["register"]) == Persona.Register.allCases.map(\.rawValue))
    #expect(
      names(properties?["moods"]?["items"]?["properties"]?["mood"])
        == Persona.Mood.allCases.map(\.rawValue))
    #expect(
      names(properties?["facts"]?["additionalProperties"]?["properties"]?["willing"])
        == Persona.Willingness.allCases.map(\.rawValue))
    #expect(
      names(
        properties?["month"]?["properties"]?["visits"]?["items"]?["properties"]?["does"])
        == PersonaMonth.Doing.allCases.map(\.rawValue))
  }

  @Test func noTwoShareASentence() throws {
    let pack = try Sheets.pack.get()
    var seen: [String: String] = [:]
    for persona in try PersonaFolder.personas(at: root.path, for: pack) {
      for sentence in persona.sentences {
        let other = seen.updateValue(persona.name, forKey: sentence)
        #expect(
          other == nil || other == persona.name, "\(persona.name), \(other ?? ""): \(sentence)")
      }
    }
    #expect(seen.count > 700)
  }

  private func sheets() throws -> [String] {
    let sheets = try FileManager.default.subpathsOfDirectory(atPath: root.path)
      .filter { $0.hasSuffix(".json") && $0.contains("/") }
    #expect(sheets.count == 40)
    return sheets
  }
}

extension Persona {
  /// What they say, in sentences of more than three words.
  fileprivate var sentences: [String] {
    let texts =
      facts.flatMap { [$0.says, $0.partly ?? ""] } + [opening ?? ""] + refuses.values
      + distress.flatMap { [$0.says, $0.after ?? ""] } + phrases.sidestep + phrases.question
      + phrases.nothing
    return texts.flatMap { $0.split(whereSeparator: ".!?".contains) }.compactMap { sentence in
      let words = Words(String(sentence)).all
      return words.count > 3 ? words.joined(separator: " ") : nil
    }
  }
}
