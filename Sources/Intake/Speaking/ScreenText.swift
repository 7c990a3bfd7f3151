package import ContextQuality
import IncrementalJSON
import Mustache
import Signals

/// What a program says around the conversation: its lists, questions and hints. Translations have
/// them under `screens`, by raw value, and `screens.json` of the shared prompts has the English ones.
package enum ScreenText: String, CaseIterable, Sendable {
  case you
  case welcomeBack, picksUp, finishedInstead, resumeLater
  case commandHelp = "command.help"
  case commandInsight = "command.insight"
  case commandHealth = "command.health"
  case commandLog = "command.log"
  case commandGoals = "command.goals"
  case commandPlan = "command.plan"
  case commandReview = "command.review"
  case commandAgain = "command.again"
  case commandEdit = "command.edit"
  case commandDone = "command.done"
  case commandForget = "command.forget"
  case commandQuit = "command.quit"
  case keys, suggestions
  case insightOverall = "insight.overall"
  case insightQuote = "insight.quote"
  case insightUnknown = "insight.unknown"
  case insightFailure = "insight.failure"
  case insightUnderstood = "insight.understood"
  case insightSupposed = "insight.supposed"
  case signalShortAnswers = "signal.shortAnswers"
  case signalLongAnswers = "signal.longAnswers"
  case signalQuickAnswers = "signal.quickAnswers"
  case signalSlowAnswers = "signal.slowAnswers"
  case signalUsualTime = "signal.usualTime"
  case signalVisits = "signal.visits"
  case signalRewrites = "signal.rewrites"
  case waitReading = "wait.reading"
  case waitReadingLong = "wait.reading-long"
  case waitWriting = "wait.writing"
  case waitPuttingTogether = "wait.puttingTogether"
  case waitOverloaded = "wait.overloaded"
  case waitServerError = "wait.serverError"
  case waitUnreachable = "wait.unreachable"
  case waitRest = "wait.rest"
  case waitHealth = "wait.health"
  case healthTitle = "health.title"
  case healthOld = "health.old"
  case healthFindings = "health.findings"
  case healthReadings = "health.readings"
  case healthFigures = "health.figures"
  case healthPrivacy = "health.privacy"
  case healthUnfinished = "health.unfinished"
  case healthRefused = "health.refused"
  case healthNone = "health.none"
  case healthConnect = "health.connect"
  case healthExport = "health.export"
  case healthSent = "health.sent"
  case offer
  case offerConnect = "offer.connect"
  case offerSkip = "offer.skip"
  case offerChoose = "offer.choose"
  case offerPath = "offer.path"
  case offerNotStarted = "offer.notStarted"
  case offerSkipped = "offer.skipped"
  case offerUnanswered = "offer.unanswered"
  case forgetQuestion = "forget.question"
  case forgetAnswers = "forget.answers"
  case forgotten

  /// With `{{variables}}`, as translations have them.
  package var english: String { Self.english?[rawValue]?.stringValue ?? rawValue }

  private static let english = try? JSONValue(
    parsing: PromptPack.sharedFiles()["screens.json"] ?? "")

  /// The names that a translation may use.
  var variables: Set<String> { Set(PackReader.tags(english).map(\.tag)) }
}

/// The program's own texts in the language that the user writes.
package struct ScreenTexts: Sendable {
  package static let english = ScreenTexts(translation: nil)

  let translation: Translation?

  /// False for English.
  package var isTranslated: Bool { translation != nil }

  /// - Parameter values: By variable; an empty one counts as missing.
  package func callAsFunction(_ text: ScreenText, _ values: [String: String] = [:]) -> String {
    let english = PromptTemplate(text.english)
    guard let template = try? (translation?.screen(text) ?? english).parsed(text.rawValue) else {
      return text.english
    }
    return template.render(values.filter { !$0.value.isEmpty })
  }

  /// What the coach says once before something that exists in English only; nil in English.
  package var fallback: String? { translation?.fallback }

  package func title(of component: Rubric.Component) -> String {
    translation?.title(component.name) ?? component.title
  }

  package func title(of facet: Rubric.FacetDefinition) -> String {
    translation?.title(facet.facet.description) ?? facet.title
  }

  /// - Parameter part: A part of the understanding.
  package func title(of part: Understanding.Part, in pack: PromptPack) -> String {
    translation?.title(part.id) ?? pack.understandingTerms[part.id]?.title ?? part.name
  }

  package func evidence(of signal: Signal) -> String { self(signal.text, signal.values) }

  /// A notice in this language.
  package func translated(_ notice: SessionOutput.Notice) -> SessionOutput.Notice {
    translation?.translated(notice) ?? notice
  }
}

extension IntakeEngine {
  /// The program's texts in the user's language.
  ///
  /// - Parameter text: What the user has just written.
  package func screenTexts(hearing text: String = "") -> ScreenTexts {
    ScreenTexts(translation: translation(hearing: text))
  }

  /// Whether a reply to a yes-or-no question of the program says yes; nil if it says neither.
  package nonisolated func isYes(_ reply: String) -> Bool? {
    pack.consent.isYes(PlainText.visible(reply))
  }
}
