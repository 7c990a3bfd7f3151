import Foundation
import TestSupport
import Testing

/// `rapport pack`: what it writes works, and what is wrong is named all at once.
@Suite(.integration)
struct PackCommandTests {
  private static let prompts = Fixtures.root.appending(path: "Prompts").path

  private func household(_ change: (inout [String: String]) -> Void) throws -> Household {
    let household = try Household()
    #expect(try household.run("pack", "new", "garden").status == 0)
    let folder = household.folder + "/garden/"
    var files: [String: String] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      files[path] = try? String(contentsOfFile: folder + path, encoding: .utf8)
    }
    change(&files)
    for (path, text) in files { try household.write(text, to: "garden/" + path) }
    return household
  }

  @Test func aNewPackPassesTheCheckAndRehearses() throws {
    let household = try household { _ in }
    let check = try household.run("pack", "check", "garden")
    #expect(check.status == 0, "\(check.errors)")
    #expect(
      check.output
        == "garden: 7 files, nothing is wrong. 4 components with 8 facets, a rehearsal.\n")
    let talk = try household.run(
      "chat", "--new", "--offline", "--prompts", "garden",
      typing:
        "I want to grow tomatoes on the balcony\nnothing yet\nno rush\nsaturdays\nnothing really\ngo on with what you have\n"
    )
    #expect(talk.status == 0 && talk.output.contains("I want to grow tomatoes"), "\(talk.output)")
    for word in ["train", "workout", "squat", "health", "exercise", "fitness"] {
      #expect(!talk.output.lowercased().contains(word), "\(word): \(talk.output)")
    }
  }

  @Test func theLogOfAnotherPackSpeaksOfNoTraining() throws {
    let household = try household { _ in }
    let pack = ["--prompts", "garden"]
    _ = try household.run(
      ["chat", "--new", "--offline"] + pack, typing: "I want to grow tomatoes\n")
    let refused = try household.run(["log", "add", "this and that"] + pack)
    #expect(refused.status == 64 && refused.errors.contains("reading 30 min"), "\(refused.errors)")
    #expect(try household.run(["log", "add", "weeding 45 min"] + pack).status == 0)
    #expect(try household.run(["log", "add", "weeding"] + pack).status == 64)
    let pages = try [["log"], ["log", "progress"], ["goals"], ["review"]].map { command in
      try household.run(command + pack)
    }
    #expect(pages.allSatisfy { $0.status == 0 } && pages[0].output.contains("weeding 45 min"))
    for page in pages + [refused] {
      for word in ["train", "squat", "run 5k", "exercise"] {
        #expect(!(page.output + page.errors).contains(word), "\(word): \(page.output)")
      }
    }
  }

  @Test func nothingIsOverwritten() throws {
    let household = try household { _ in }
    let again = try household.run("pack", "new", "garden")
    #expect(again.status == 64 && again.errors.contains("already exists"), "\(again.errors)")
    for (name, reason) in [("life", "is built in"), ("no/ there", "letters"), ("7", "letters")] {
      let refused = try household.run("pack", "new", name)
      #expect(refused.status == 64 && refused.errors.contains(reason), "\(refused.errors)")
    }
  }

  /// One of each kind, in as many files.
  @Test func everythingThatIsWrongIsNamedAtOnce() throws {
    let household = try household { files in
      files["rubric.json"]?.replace("\"weight\": 0.25,", with: "\"weight\": 0.2,")
      files["rubric.json"]?.replace("\"notEnough\": \"\\\"soon", with: "\"notenough\": \"\\\"soon")
      files["pack.json"]?.replace("\"likeness\"", with: "\"likenes\"")
      files["starters.json"]?.replace("\"covers\": \"goal\"", with: "\"covers\": \"goals\"")
      files["starters.json"]?.replace(
        "\"label\": \"little time\"", with: "\"lable\": \"little time\"")
      files["rehearsal/questions.txt"]?.replace("[ask start.level]", with: "[ask start.levle]")
      files["rehearsal/questions.txt"]?.replace("[greet]", with: "[great]")
      files["rehearsal/profile.txt"]?.replace("{style.tone}", with: "{style.tune}")
      files["rehearsal/profile.json"]?.replace("\"deeper\"", with: "\"deepr\"")
      files["rehearsal/profile.json"]?.replace("\"conditions.time\"", with: "\"condition.time\"")
      files["hypotheses.json"] = """
        {
          "late": {"signal": "usualTime", "facet": "conditions.tim", "ask": "At {{hours}}?"},
          "busy": {"part": "obstacle.tme", "facet": "conditions.time", "ask": "No time?"}
        }
        """
      files["prompts/check-in.mustache"] = "Hello.\nYou are a {{coch}}.\n"
      files["prompts/grete.mustache"] = "Hello."
      files["prompts/score.mustache"] = """
        Read {{#components}}{{name}}{{/components}}. "Nothing yet" is start.levle.
        {"evidence":[{"facet":"direction.change","turn":3,"quote":"e.g. this","mark":"none"}]}
        """
      files["signals/evidence.txt"] = "[request except styl.*]\n"
      files["languages/es.json"] = "{\"titles\": {\n\"goal.outcom\": \"lo que quieres\"}}"
      files["journeys/walk.json"] = """
        {
          "name": "walk", "version": 1, "title": "Walk",
          "steps": [
            {"id": "hello", "kind": "intro", "title": "Hello", "buton": "Go"},
            {"id": "talk", "kind": "conversation", "title": "Talk", "topics": [
              {"id": "a", "title": "A", "facets": ["goal.outcome"]}], "ends": "topics", "next": "end"}
          ]
        }
        """
    }
    let check = try household.run("pack", "check", "garden")
    #expect(check.status == 65)
    for fault in [
      "rubric.json:6: the components' weights sum to",
      "rubric.json:18: notenough: expected one of",
      "did you mean notEnough?",
      "pack.json:7: likenes: expected one of", "did you mean likeness?",
      "starters.json:4: goals.covers: expected a component", "did you mean goal?",
      "starters.json:13: lable: expected one of label, text; did you mean label?",
      "start.levle: expected a facet of the rubric; did you mean start.level?",
      "great: expected one of", "did you mean [greet]?",
      "style.tune: expected a facet of the rubric; did you mean style.tone?",
      "rehearsal/profile.json:4: deepr: expected one of", "did you mean deeper?",
      "rehearsal/profile.json:7: facet: expected a facet of the rubric",
      "hypotheses.json:2: late: facet: expected a facet of the rubric",
      "{{hours}} is not known here",
      "did you mean {{hour}}?", "hypotheses.json:3: busy: part: obstacle.tme",
      "did you mean obstacle.time?",
      "prompts/check-in.mustache:2: {{coch}} is not known here", "did you mean {{coach}}?",
      "prompts/grete.mustache: no such file is read; did you mean prompts/greet.mustache?",
      "prompts/score.mustache:1: start.levle: expected a facet of the rubric; did you mean start.level?",
      "prompts/score.mustache:2: direction.change: expected a facet of the rubric; the rubric has",
      "signals/evidence.txt:1: styl.*: expected a facet of the rubric",
      "languages/es.json:2: titles: goal.outcom:", "did you mean goal.outcome?",
      "languages/es.json: titles: goal.reason is missing",
      "journeys/walk.json:4: step hello: buton: no such member here", "did you mean button?",
    ] {
      #expect(check.errors.contains(fault), "\(fault) isn't in\n\(check.errors)")
    }
    #expect(!check.errors.contains("[ask start.level]"), "it's misspelled, not missing")
    let chat = try household.run("chat", "--offline", "--prompts", "garden")
    #expect(
      chat.status == 65 && chat.errors.contains("did you mean likeness?"), "all at the start, too")
  }

  private static let plan = """
    {
      "name": "plan", "version": 1, "title": "Plan",
      "steps": [
        {"id": "talk", "kind": "conversation", "title": "Talk", "topics": [
          {"id": "a", "title": "A", "facets": ["goal.outcome"]}], "ends": "topics"},
        {"id": "aim", "kind": "review", "document": "goal", "title": "Goal", "approve": "Yes"},
        {"id": "weeks", "kind": "review", "document": "program", "title": "Program",
          "approve": "Yes", "next": "end"}
      ]
    }
    """

  @Test func whatADraftedDocumentLacksIsNamed() throws {
    let household = try household { $0["journeys/plan.json"] = Self.plan }
    let missing = try household.run("pack", "check", "garden")
    #expect(missing.status == 65)
    for fault in [
      "journeys/plan.json:6: step aim: shows a goal, but documents/rules.json is missing",
      "journeys/plan.json:7: step weeks: shows a program, but documents/rules.json is missing",
    ] {
      #expect(missing.errors.contains(fault), "\(fault) isn't in\n\(missing.errors)")
    }
    try household.write(
      """
      {
        "goal": {"primry": ["goal.outcome"]},
        "said": {"days": ["conditions.tim"]},
        "dayz": {},
        "template": {
          "goalNote": "A template.", "programNote": "A template.", "sessionTitle": "Garden",
          "days": ["mon"],
          "exercises": [{"name": "Weed"}]
        }
      }
      """, to: "garden/documents/rules.json")
    try household.write(
      """
      {"type": "object", "properties": {
        "primary": {"type": "string"}, "measure": {}, "byWhen": {}, "date": {}, "whi": {},
        "milestones": {"type": "array", "items": {"properties": {"what": {}, "byWhen": {}}}},
        "restsOn": {"type": "array", "items": {"properties": {"path": {}, "quote": {}}}}}}
      """, to: "garden/documents/goal.schema.json")
    let check = try household.run("pack", "check", "garden")
    #expect(check.status == 65)
    for fault in [
      "documents/rules.json:2: primry: expected one of primary", "did you mean primary?",
      "documents/rules.json:2: goal: expected primary", "the rubric has goal.outcome",
      "documents/rules.json:3: documents: expected a facet", "did you mean conditions.time?",
      "documents/rules.json:4: dayz: expected one of goal, said", "did you mean days?",
      "documents/rules.json:5: template: title is missing",
      "documents/rules.json:7: template: days: expected a day such as monday, found \"mon\"",
      "documents/rules.json:8: template: exercises[0]: expected sets or minutes",
      "documents/goal.schema.json:1: why is missing",
      "documents/goal.schema.json:2: whi: expected one of primary", "did you mean why?",
    ] {
      #expect(check.errors.contains(fault), "\(fault) isn't in\n\(check.errors)")
    }
    try household.write(
      """
      {
        "goal": {"primary": ["goal.outcome"]},
        "template": {
          "goalNote": "A template.", "programNote": "A template.", "title": "Spring",
          "sessionTitle": "Garden", "days": ["monday"], "exercises": [{"name": "Weed", "minutes": 20}]
        }
      }
      """, to: "garden/documents/rules.json")
    try FileManager.default.removeItem(
      atPath: household.folder + "/garden/documents/goal.schema.json")
    let whole = try household.run("pack", "check", "garden")
    #expect(whole.status == 0, "\(whole.errors)")
  }

  @Test func aStoreIsScoredByTheNamedPackAlone() throws {
    let household = try household { _ in }
    _ = try household.run(
      "chat", "--new", "--offline", "--prompts", "garden", typing: "I want to grow tomatoes\n")
    let score = ["score", "--store", household.store]
    let other = try household.run(score)
    #expect(
      other.status == 64 && other.errors.contains("Others began with garden (1)"), "\(other.errors)"
    )
    let named = ["--prompts", "garden"]
    let offline = try household.run(score + named)
    #expect(
      offline.status == 64 && offline.errors.contains("no offline scorer"), "\(offline.errors)")
    let estimate = try household.run(score + named + ["--scorer", "model", "--dry-run"])
    #expect(
      estimate.status == 0 && estimate.output.contains("1 conversations"), "\(estimate.errors)")
    _ = try household.run("chat", "--new", "--offline", typing: "I want to run a 10k\n")
    let mixed = try household.run(score + ["--summary"])
    #expect(mixed.status == 0 && mixed.errors.contains("garden (1)"), "\(mixed.errors)")
  }

  @Test func aPackWithoutAProgramSaysSo() throws {
    let household = try household { _ in }
    let none = try household.run("program", "--prompts", "garden")
    #expect(
      none.status == 64 && none.errors.contains("The pack garden makes no program"),
      "\(none.errors)")
    try household.write(Self.plan, to: "garden/journeys/plan.json")
    let later = try household.run("program", "--prompts", "garden")
    #expect(
      later.status == 64 && later.errors.contains("There's no active program yet"),
      "\(later.errors)")
  }

  @Test(arguments: ["fitness", "life", "nutrition"])
  func theBuiltInPacksAreWhole(name: String) throws {
    let check = try Household().run("pack", "check", Self.prompts + "/" + name)
    #expect(check.status == 0, "\(check.errors)")
  }

  @Test func aFolderThatIsNoPackIsNamed() throws {
    let household = try Household()
    #expect(try household.run("pack", "check", "nowhere").status == 65)
    try household.write("{", to: "half/pack.json")
    let check = try household.run("pack", "check", "half")
    #expect(check.status == 65 && check.errors.contains("half/pack.json:1:"), "\(check.errors)")
    #expect(check.errors.contains("half/rubric.json: the file is missing"), "\(check.errors)")
  }
}
