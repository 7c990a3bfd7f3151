import CoachServer
import Foundation
import IncrementalJSON
import TestSupport
import Testing

/// The store's hostile cases that are a text, through the front door.
@Suite(.integration)
struct StoreCaseTests {
  private func text(_ name: String) throws -> String {
    let found = try CaseFile("hostile-cases").cases.first { $0.name == name }
    return String(decoding: try #require(found?.input), as: UTF8.self)
  }

  private func chat(_ household: Household, _ typed: String) async throws -> RunResult {
    let model = try await CoachServer()
    defer { model.stop() }
    return try household.run(
      "chat", "--json", "--base-url", model.baseURL, "--model", CoachServer.modelName,
      typing: typed + "\n")
  }

  @Test(arguments: ["store-sql-in-text", "store-nul-in-text"])
  func whatIsTypedIsStoredAndShownAsText(name: String) async throws {
    let household = try Household()
    let typed = try text(name)
    let status = try await chat(household, typed).status
    #expect(status == 0)
    let exported = try household.run("sessions", "export", "--format", "jsonl")
    let record = try JSONValue(parsing: exported.output)
    let said = (record["messages"]?.arrayValue ?? []).filter { $0["role"]?.stringValue == "user" }
    #expect(said.compactMap { $0["content"]?.stringValue } == [typed])
    let shown = try household.run("sessions", "show")
    #expect(shown.output.contains(typed.filter { $0 != "\0" }))
  }

  /// A file or a pipe gets every character; only a terminal is spared the invisible ones.
  @Test(arguments: ["json", "jsonl", "markdown"])
  func anExportIsExact(format: String) async throws {
    let household = try Household()
    let typed = "zero\u{200B}width, \u{202E}turned, caf\u{65}\u{301}"
    let status = try await chat(household, typed).status
    #expect(status == 0)
    let exported = try household.run("sessions", "export", "--format", format).output
    let texts = format == "markdown" ? [exported] : try JSONValue(parsing: exported).texts
    #expect(texts.contains { Array($0.utf8).firstRange(of: Array(typed.utf8)) != nil })
    let shown = try household.run("sessions", "show").output
    #expect(!shown.unicodeScalars.contains("\u{200B}") && shown.contains("zerowidth"))
  }

  @Test func anExportHasTheFacetsOfThePackThatTheSessionWasBegunWith() throws {
    let household = try Household()
    let chat = try household.run(
      "chat", "--offline", "--prompts", "life",
      typing: "I want to find a new job as a nurse by June\n")
    #expect(chat.status == 0)
    let exported = try household.run("sessions", "export", "--format", "jsonl").output
    let facets = try JSONValue(parsing: exported)["facets"]?.objectValue ?? [:]
    #expect(facets.map(\.name).contains("direction.change"))
  }

  @Test func aHugeTurnIsRefusedBeforeAnythingIsStored() async throws {
    let household = try Household()
    let result = try await chat(household, try text("store-huge-turn"))
    #expect(result.output.contains(#""code":"turn-too-long""#))
    let exported = try household.run("sessions", "export", "--format", "jsonl")
    #expect(!exported.output.contains(#""role":"user""#))
  }

  @Test func aTextFileIsNoStoreAndStaysAsItIs() async throws {
    let household = try Household()
    let content = try text("store-not-a-database")
    try household.write(content, to: "notes.txt")
    let path = household.folder + "/notes.txt"
    let model = try await CoachServer()
    defer { model.stop() }
    let result = try household.run(
      "chat", "--store", path, "--base-url", model.baseURL, "--model", CoachServer.modelName)
    #expect(result.status == 65)
    #expect(result.errors.contains(path))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == content)
  }
}

extension JSONValue {
  fileprivate var texts: [String] {
    switch self {
    case .string(let text): [text]
    case .array(let values): values.flatMap(\.texts)
    case .object(let members): members.flatMap(\.value.texts)
    case .null, .bool, .number: []
    }
  }
}
