import CoachServer
import IncrementalJSON
import Intake
import SessionStore
import TestSupport
import Testing

/// What the program itself says at a terminal, in the language that the person writes.
@Suite(.serialized, .integration)
struct LanguageChatTests {
  struct Words: Sendable, CustomTestStringConvertible {
    var first: String
    var you: String
    /// Answers the offer of health data, and what comes back.
    var no: String
    var skipped: String
    var help: [String]
    var insight: [String]
    var health: String
    var unknown: String
    var forgetQuestion: String
    var kept: String
    var yes: String
    var gone: String
    var saved: String
    var testDescription: String { yes }
  }

  private static let all = [
    Words(
      first: "I want to lose weight, but I have little time for it", you: "You", no: "no thanks",
      skipped: "OK, we'll continue without it. I won't ask again",
      help: ["show this list", "permanently delete this conversation", "your earlier lines"],
      insight: ["not ready yet", "what you want to achieve: "],
      health: "You opted out of health data", unknown: "I don't know /nope.",
      forgetQuestion: "Delete it? (yes/no)", kept: "Nothing was deleted.", yes: "yes",
      gone: "It's gone.", saved: "Our conversation is saved. `rapport chat --offline`"),
    Words(
      first: "Quiero adelgazar, pero tengo poco tiempo para eso", you: "Yo\u{1B}[0m",
      no: "no, gracias",
      skipped: "De acuerdo, seguimos sin ellos. No volveré a preguntar",
      help: ["muestra esta lista", "borra esta conversación para siempre", "líneas anteriores"],
      insight: ["todavía no es suficiente", "aún no lo sé"],
      health: "Quedamos en no usar datos de salud", unknown: "No conozco /nope.",
      forgetQuestion: "¿Lo borro? (sí/no)", kept: "No se ha borrado nada.", yes: "Sí",
      gone: "Borrado.", saved: "Nuestra conversación está guardada. Con `rapport chat --offline`"),
    Words(
      first: "Ich möchte abnehmen, aber ich habe wenig Zeit dafür", you: "Ich\u{1B}[0m",
      no: "nein danke",
      skipped: "Okay, wir machen ohne sie weiter. Ich frage nicht noch einmal",
      help: ["zeigt diese Liste", "löscht dieses Gespräch für immer", "frühere Zeilen"],
      insight: ["noch nicht genug", "noch nicht bekannt"],
      health: "Gesundheitsdaten waren nicht erwünscht", unknown: "/nope kenne ich nicht.",
      forgetQuestion: "Löschen? (ja/nein)", kept: "Es wurde nichts gelöscht.", yes: "ja",
      gone: "Es ist gelöscht.",
      saved: "Unser Gespräch ist gespeichert. Mit `rapport chat --offline`"),
  ]

  private func send(_ line: String, to terminal: PseudoTerminal, as words: Words) throws {
    terminal.type(line + "\r")
    try terminal.expect(line)
  }

  @Test(arguments: all)
  func everyCommandAnswersInTheLanguage(words: Words) throws {
    let household = try Household()
    let terminal = try household.startOnTerminal("chat", "--offline")
    try terminal.expect("You")
    try send(words.first, to: terminal, as: words)
    try terminal.expect(words.you)
    for (command, expected) in [
      ("/help", words.help), ("/insight", words.insight), ("/health", [words.health]),
      ("/nope", [words.unknown]), ("/forget", [words.forgetQuestion]),
      ("no", [words.kept]),
    ] {
      try send(command, to: terminal, as: words)
      for text in expected { try terminal.expect(text) }
      if command != "/forget" { try terminal.expect(words.you) }
    }
    terminal.type("\u{4}")
    try terminal.expect(words.saved)
    #expect(try terminal.expectExit() == 0)
    let again = try household.startOnTerminal("chat", "--offline")
    try again.expect(words.you)
    try send("/forget", to: again, as: words)
    try again.expect(words.forgetQuestion)
    again.type(words.yes + "\r")
    try again.expect(words.gone)
    #expect(try again.expectExit() == 0)
  }

  @Test(arguments: all)
  func theOfferOfHealthDataUnderstandsTheAnswer(words: Words) async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let terminal = try household.startOnTerminal(
      "chat", "--base-url", model.baseURL, "--model", CoachServer.modelName, offersHealth: true)
    try terminal.expect("[1] Connect   [2] Skip:")
    terminal.type(words.no + "\r")
    try terminal.expect(words.skipped)
    try terminal.expect("You")
    terminal.type("\u{4}")
    #expect(try terminal.expectExit() == 0)
    let memory = try #require(try SessionStore(path: household.store).health())
    #expect(memory.snapshot == nil)
  }

  @Test(arguments: [
    ("sí", "Where is it?|¿Dónde está?", "Conectar"), ("ja", "Wo liegt die Datei?", "Verbinden"),
  ])
  func aYesIsFollowedInTheSameLanguage(yes: String, question: String, label: String) async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    try household.write(HealthChatTests.snapshot(), to: "s.json")
    let terminal = try household.startOnTerminal(
      "chat", "--base-url", model.baseURL, "--model", CoachServer.modelName, offersHealth: true)
    try terminal.expect("[2] Skip:")
    terminal.type(yes + "\r")
    try terminal.expect(String(question.split(separator: "|").last ?? ""))
    terminal.type("s.json\r")
    try terminal.expect("You")
    terminal.type("\u{4}")
    #expect(try terminal.expectExit() == 0)
  }

  @Test func healthDataIsShownWithALineAboutItsEnglish() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    try household.write(HealthChatTests.snapshot(), to: "s.json")
    let terminal = try household.startOnTerminal(
      "chat", "--base-url", model.baseURL, "--model", CoachServer.modelName, "--health", "s.json",
      offersHealth: true)
    try terminal.expect("You")
    terminal.type("Quiero adelgazar, pero tengo poco tiempo para eso\r")
    try terminal.expect("Yo\u{1B}[0m")
    terminal.type("/health\r")
    for text in [
      "Datos de salud (Apple Health, hasta el", "Algunas cosas solo sé decirlas en inglés",
      "Lo que veo", "You walk about 7,400 steps a day", "Las cifras que uso",
      "Eso es todo lo que ve el modelo",
    ] { try terminal.expect(text) }
    try terminal.expect("Yo\u{1B}[0m")
    terminal.type("No uses mis datos de salud, por favor\r")
    try terminal.expect("Ya no usaré los datos de salud.")
    terminal.type("\u{4}")
    #expect(try terminal.expectExit() == 0)
  }
}
