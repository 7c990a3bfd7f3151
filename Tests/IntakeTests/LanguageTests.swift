import ContextQuality
import Foundation
import IncrementalJSON
import IntakeTestSupport
import LanguageModels
import Signals
import TestSupport
import Testing

@testable import Intake

/// What code says is in the language that the user writes.
struct LanguageTests {
  private static func script(_ request: ModelRequest) -> ModelReply {
    switch request.purpose {
    case .score: .text(Evidences.json([]))
    case .synthesise: .text(UsualConversation.synthesis)
    default: .text("…?")
    }
  }

  private static let spanish = "Quiero adelgazar, pero tengo poco tiempo por el trabajo"
  private static let german = "Ich möchte abnehmen, aber ich habe keine Zeit"

  @Test(arguments: [
    (spanish, "no puedo respirar", "112 en España"),
    (german, "ich bekomme keine Luft", "ruf jetzt den Notruf an: 112"),
    ("I want to lose weight", "I can't breathe at all", "112 in Europe"),
  ])
  func careComesInTheLanguageTheyWrite(first: String, danger: String, expected: String) async throws
  {
    let session = try await ScriptedSession(Self.script)
    try await session.say(first)
    try await session.say(danger)
    #expect(session.messages.map(\.purpose) == [.care])
    #expect(session.messages[0].text.contains(expected), "\(session.messages[0].text)")
    #expect(session.notices.isEmpty)
  }

  private func session(on device: String?) async throws -> ScriptedSession {
    var settings = IntakeSettings()
    settings.language = device
    return try await ScriptedSession(settings: settings, Self.script)
  }

  @Test func theDeviceDecidesUntilTheirWordsDo() async throws {
    let session = try await session(on: "de")
    try await session.open()
    #expect(session.model.requests[0].system.contains("whose ISO 639 code is \"de\""))
    #expect(await session.engine.screenTexts().translation?.code == "de")
    // Of a word that shows no language, nothing follows.
    try await session.say("Yoga")
    #expect(await session.engine.screenTexts().translation?.code == "de")
    try await session.say("I want to lose weight and sleep better")
    #expect(await session.engine.screenTexts().translation == nil)
    try await session.say(Self.spanish)
    #expect(await session.engine.screenTexts().translation?.code == "es")
  }

  /// A language without texts is named to the model, and what code says is in English.
  @Test(arguments: [nil, "fr"])
  func otherDevicesGetEnglishTexts(device: String?) async throws {
    let session = try await session(on: device)
    try await session.open()
    #expect(session.model.requests[0].system.contains("ISO 639") == (device != nil))
    #expect(await session.engine.screenTexts().translation == nil)
  }

  @Test func aRehearsalIsInEnglish() async throws {
    var settings = IntakeSettings()
    settings.language = "de"
    let session = try await OfflineRehearsal(settings: settings)
    try await session.open()
    #expect(await session.state.start?.language == nil)
  }

  @Test func aWordThatRepeatsIsNoLanguage() throws {
    let pack = try PromptPack.embedded()
    let said = ["YES man, a dat mi seh! Yuh hear mi good. Mi ready fi dance"]
    #expect(pack.languageCode(of: said) == nil)
  }

  /// Three words after a conversation in another language.
  @Test(arguments: [
    ("I want to lose weight and sleep better", "no quiero vivir", "024"),
    ("I want to lose weight and sleep better", "hab Abführmittel genommen", "0221"),
    (spanish, "I passed out on my run", "such as 112, 911 or 999"),
  ])
  func careComesInTheLanguageOfTheWordsThatNeedIt(
    first: String, danger: String, expected: String
  ) async throws {
    let session = try await ScriptedSession(Self.script)
    try await session.say(first)
    try await session.say(danger)
    #expect(session.messages.map(\.purpose).first == .care)
    #expect(session.messages.first?.text.contains(expected) == true, "\(session.messages)")
    #expect(!session.notices.contains { $0.code == "language-fallback" })
  }

  @Test(arguments: [
    (
      spanish, "¿Trabajo con lo que tengo|Con lo que sé", "un primer paso prudente",
      "¿Es así?",
      "vamos", "¿Seguimos?"
    ),
    (
      german, "Soll ich mit dem arbeiten|Mit dem, was ich weiß",
      "ein vorsichtiger erster Schritt",
      "Stimmt das so?", "los geht's", "Bereit für mehr?"
    ),
  ])
  func offerSummaryAndPaywallCome(
    first: String, offer: String, takes: String, question: String, agrees: String, title: String
  ) async throws {
    let session = try await ScriptedSession(
      settings: IntakeSettings(maxTurns: 1), Self.script)
    try await session.open()
    try await session.say(first) { $0.shownPhase == .offer }
    let text = try #require(session.messages.first?.text)
    #expect(offer.split(separator: "|").contains { text.contains($0) }, "\(text)")
    try await session.say(takes)
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
    #expect(session.messages.last?.text.contains(question) == true)
    try await session.say(agrees)
    #expect(session.paywalls.map { $0.title.hasSuffix(title) } == [true])
  }

  @Test func whoeverChangesTheLanguageIsAnsweredInIt() async throws {
    let session = try await ScriptedSession(Self.script)
    try await session.say(Self.spanish)
    try await session.say("Sorry, let me write this in English from now on, it is easier")
    try await session.say("I can't breathe at all")
    #expect(session.messages[0].text.contains("112 in Europe"))
  }

  @Test func noticesComeInTheLanguageToo() async throws {
    let session = try await ScriptedSession { request in
      request.purpose == .ask ? .failing(.overloaded) : Self.script(request)
    }
    try await session.say(Self.german)
    #expect(session.notices.map(\.code) == ["model-busy"])
    #expect(
      session.notices[0].text
        == "Das Modell ist überlastet. Alles Geschriebene ist gespeichert. Bitte in etwa einer "
        + "Minute noch einmal versuchen.")
  }

  @Test func whatIsMissingComesInEnglishAndIsSaidOnce() async throws {
    let session = try await ScriptedSession(Self.script)
    try await session.say("Je voudrais perdre du poids mais je n'ai pas le temps")
    try await session.say("narrive plus a respirer, je suis seul")
    #expect(session.messages[0].text.contains("112 in Europe"))
    #expect(session.notices.map(\.code) == ["language-fallback"])
    try await session.say("ma soeur est avec moi")
    try await session.say("je veux mourir")
    #expect(session.messages.map(\.purpose) == [.care])
    #expect(session.notices.isEmpty)
  }

  @Test func aPackThatChangesATextNeedsItsOwnTranslation() throws {
    var files = try PromptPack.embeddedFiles("fitness")
    files["texts/body-question.mustache"] = "How tall, how heavy?"
    files["languages/es.json"] = nil
    let pack = try PromptPack(files: files, folder: "mine")
    let spanish = try #require(pack.translations.all.first { $0.code == "es" })
    #expect(spanish.template(.bodyQuestion) == nil)
    #expect(spanish.template(.paywallTitle) != nil)
    #expect(try pack.render(.bodyQuestion, [:], in: spanish) == "How tall, how heavy?")
  }

  @Test func everyTextOfTheScreensIsThereInEnglish() throws {
    let file = try #require(PromptPack.sharedFiles()["screens.json"])
    let english = try JSONValue(parsing: file).objectValue ?? [:]
    #expect(Set(english.map(\.0)) == Set(ScreenText.allCases.map(\.rawValue)))
    for text in ScreenText.allCases { #expect(text.english != text.rawValue) }
  }

  @Test(arguments: ["es", "de"], PromptPack.embeddedNames)
  func everyTextIsTranslated(code: String, name: String) throws {
    let pack = try PromptPack(files: try PromptPack.embeddedFiles(name), folder: name)
    let translation = try #require(pack.translations.all.first { $0.code == code })
    for text in TemplateName.allCases where !text.isPrompt {
      #expect(translation.template(text) != nil, "\(text.rawValue)")
    }
    for text in pack.careNet.textNames { #expect(translation.careText(text) != nil, "\(text)") }
    for facet in pack.rubric.facets {
      #expect(translation.title(facet.facet.description) != nil, "\(facet.facet)")
    }
    for component in pack.rubric.components {
      #expect(translation.title(component.name) != nil, "\(component.name)")
    }
    #expect(translation.starters?.groups.count == pack.starters?.groups.count)
    for unit in WaitTime.Unit.allCases {
      #expect(translation.time(unit) != nil, "\(unit.rawValue)")
    }
    for text in ScreenText.allCases {
      let translated = translation.screen(text)?.source
      #expect(translated != nil, "\(text.rawValue)")
      #expect(Self.names(in: translated ?? "") == Self.names(in: text.english), "\(text.rawValue)")
    }
  }

  private static func names(in text: String) -> Set<String> {
    Set(text.matches(of: /\{\{[#^\/]?(\w+)\}\}/).map { String($0.output.1) })
  }

  /// Every notice of a conversation and label of a choice, found in the sources.
  @Test(arguments: ["es", "de"])
  func everyNoticeAndLabelIsTranslated(code: String) throws {
    // A system's own words, or a text that is already in the user's language.
    let exceptions: Set = [
      "amended", "health", "editor-failed", "language-fallback", "message-held",
      "paywall-declined",
    ]
    var (codes, labels): (Set<String>, Set<String>) = ([], [])
    for folder in ["Sources/Intake", "Sources/rapport/Chat", "Sources/rapport/Health"] {
      let root = Fixtures.root.appending(path: folder)
      let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String }
      for path in try #require(paths) where path.hasSuffix(".swift") {
        let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        let found =
          text.matches(of: /(?:code: |note\(|self\.init\()\s*"([a-z]+(?:-[a-z]+)*)"/)
          .map { String($0.output.1) }
        codes.formUnion(found)
        labels.formUnion(
          text.matches(of: /label\("([a-z]+\.[a-zA-Z]+)"\)/).map { String($0.output.1) })
      }
    }
    #expect(codes.isSuperset(of: ["forget", "held-sent", "model-slow", "health-old"]))
    let pack = try PromptPack.embedded()
    let translation = try #require(pack.translations.all.first { $0.code == code })
    #expect(labels.isSuperset(of: ["offer.minimal", "paywall.notNow"]))
    for name in labels.union(["again"]).sorted() {
      #expect(translation.label(name) != nil, "\(name)")
    }
    for name in codes.subtracting(exceptions).sorted() {
      #expect(translation.notice(name) != nil, "\(name)")
    }
  }

  @Test(arguments: [
    ("sí", true), ("ja", true), ("sure", true), ("no, gracias", false), ("nein danke", false),
    ("no thanks", false), ("lieber nicht", false), ("ahora no", false), ("maybe", nil),
    ("~/export.zip", nil),
  ])
  func aYesOrNoIsUnderstoodInEachLanguage(reply: String, expected: Bool?) async throws {
    let session = try await ScriptedSession(Self.script)
    #expect(session.engine.isYes(reply) == expected)
  }

  @Test(arguments: [
    "No uses mis datos de salud", "no quiero que mires mis datos de salud",
    "Por favor, borra mis datos de salud", "Nutze meine Gesundheitsdaten nicht",
    "Bitte vergiss meine Gesundheitsdaten", "No quiero que se usen mis datos de salud",
    "Ich möchte nicht, dass meine Gesundheitsdaten genutzt werden",
  ])
  func aNoToHealthDataIsUnderstood(text: String) throws {
    #expect(try PromptPack.embedded().consent.withdrawsHealth(text))
  }

  @Test(arguments: [
    "No tengo mis datos de salud aquí", "Meine Gesundheitsdaten sind auf dem Telefon",
    "Ich nutze meine Gesundheitsdaten oft",
  ])
  func otherTalkOfHealthDataIsNoRefusal(text: String) throws {
    #expect(try !PromptPack.embedded().consent.withdrawsHealth(text))
  }

  @Test(arguments: [
    (#"{"texts":{"body-qestion":"x"}}"#, "texts: body-qestion: there is no such text"),
    (
      #"{"texts":{"body-reason":"{{tall}}"}}"#,
      "body-reason: {{tall}} is not known here; this template has no variables"
    ),
    (#"{"care":{"doom":"x"}}"#, "care: doom: there is no such text"),
    (#"{"titles":{"doom":"x"}}"#, "titles: doom: expected a component or facet of the rubric"),
    (#"{"screens":{"doom":"x"}}"#, "screens: doom: there is no such text"),
    (#"{"screens":{"wait.overloaded":"{{m}}"}}"#, "wait.overloaded: {{m}} is not known here"),
    (#"{"tonguetwisters":{}}"#, "tonguetwisters: expected one of "),
  ])
  func aTranslationsMistakesAreNamed(json: String, expected: String) throws {
    var files = try PromptPack.embeddedFiles("fitness")
    files["languages/es.json"] = json
    let error = #expect(throws: PackError.self) { try PromptPack(files: files, folder: "mine") }
    #expect(error?.description.contains("mine/languages/es.json:1: \(expected)") == true)
  }

  @Test(arguments: [("tune", 100), ("held-out", 91)])
  func theLanguageOfAMessageIsTold(part: String, share: Int) throws {
    let pack = try ScriptedSession.pack.get()
    let path = Fixtures.root.appending(path: "Fixtures/signals/spoken.\(part).tsv")
    let rows = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.map {
        $0.split(separator: "\t", maxSplits: 1).map(String.init)
      }
    let wrong = rows.filter { row in
      pack.translations.language(of: [row[1]], pack.signals)?.code ?? "none" != row[0]
    }
    print("spoken \(part): \(rows.count - wrong.count) of \(rows.count)")
    #expect((rows.count - wrong.count) * 100 >= rows.count * share, "\(wrong)")
  }
}
