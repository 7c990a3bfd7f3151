package import ContextQuality
import Mustache
import Signals

/// What a program says around the conversation: its lists, questions and hints. Translations have
/// them under `screens`, by raw value.
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
  package var english: String {
    switch self {
    case .you: "You"
    case .welcomeBack: "Welcome back. Here's where we left off."
    case .picksUp:
      "{{#isSaved}}Our conversation is saved. {{/isSaved}}`{{command}}`"
        + "{{#hasOptions}} with the same options{{/hasOptions}} picks up where we left off."
    case .finishedInstead: "We've already had our first conversation, so here it is again."
    case .resumeLater: "Resume with `{{command}}`."
    case .keys:
      """
        Tab            pick a suggestion; Shift-Tab goes back
        Up, Down       your earlier lines; Ctrl-R searches them
        \\ Enter        continue on the next line
        Ctrl-X Ctrl-E  open the line in your editor
        Ctrl-C         stop a reply, or clear the line; on an empty line, leave
        Ctrl-D         leave
      """
    case .suggestions: "Press Tab for a suggestion, then edit it."
    case .forgetQuestion: "Delete it? (yes/no)"
    case .forgetAnswers: "yes y"
    case .forgotten: "It's gone."
    case .commandInsight: "what I know about you, with your words behind it"
    case .commandHealth: "what I saw in your health data; /health FILE shows me an export"
    case .commandLog: "what you did lately, and what it adds up to"
    case .commandGoals: "your goal, and the limits I plan around"
    case .commandPlan: "what is planned"
    case .commandReview: "a look back, and one change to consider"
    case .commandAgain: "retry a reply that failed or was cut off"
    case .commandEdit: "write your message in your editor ($VISUAL or $EDITOR)"
    case .commandDone: "stop the questions and get my summary"
    case .commandForget: "permanently delete this conversation"
    case .commandQuit: "leave; your conversation is saved"
    case .commandHelp: "show this list"
    case .insightOverall:
      "overall {{score}}, {{#isReady}}ready{{/isReady}}{{^isReady}}not ready yet{{/isReady}} "
        + "(above {{bar}})"
    case .insightQuote: "{{title}}: \"{{quote}}\" (turn {{turn}})"
    case .insightFailure: "not scored: {{reason}}"
    case .insightUnknown: "{{title}}: not known"
    case .insightUnderstood: "What I make of you (it never counts for the score)"
    case .insightSupposed: "What I noticed in how you write (I don't count on any of it)"
    case .signalShortAnswers: "{{n}} answers under 5 words"
    case .signalLongAnswers: "{{n}} answers over 80 words"
    case .signalQuickAnswers: "{{n}} answers within 10 seconds"
    case .signalSlowAnswers: "{{n}} answers after more than 2 minutes"
    case .signalUsualTime: "wrote around {{value}}:00 on {{n}} days"
    case .signalVisits: "{{n}} visits, usually {{value}} days apart"
    case .signalRewrites: "{{n}} messages rewritten before they were sent"
    case .waitReading: "reading what you wrote …"
    case .waitReadingLong: "Ctrl-C answers without a reading"
    case .waitPuttingTogether: "putting it all together …"
    case .waitOverloaded: "The model is overloaded; trying again in {{n}} s …"
    case .waitServerError: "The model's server had a problem; trying again in {{n}} s …"
    case .waitUnreachable: "I can't reach the model; trying again in {{n}} s …"
    case .waitRest: "waiting for the rest …"
    case .waitHealth: "looking at your health data …"
    case .waitWriting: "waiting for the model …"
    case .healthTitle:
      "Your health data ({{source}}, up to {{day}}{{#isToday}}, today{{/isToday}}"
        + "{{#isYesterday}}, yesterday{{/isYesterday}}{{#days}}, {{days}} days ago{{/days}})."
    case .healthOld:
      "{{#days}}Your health data is {{days}} days old. {{/days}}To update it, make a new export: "
        + "`rapport chat --health export.zip`."
    case .healthFindings: "What I see"
    case .healthReadings: "What I take as known"
    case .healthFigures: "The figures I use"
    case .healthPrivacy:
      "That's everything the model sees; your raw data stays on this computer. If you'd rather I "
        + "didn't use it, say \u{201C}Don't use my health data\u{201D} or run `rapport chat "
        + "--no-health`."
    case .healthUnfinished: "I'm still reading your health data."
    case .healthRefused: "You opted out of health data, so I don't have any."
    case .healthConnect:
      "To let me look, type /health and the path of your export.zip (on your iPhone: Health, your "
        + "picture, Export All Health Data)."
    case .healthExport:
      "To export your data on your iPhone, open Health, tap your picture, then Export All Health "
        + "Data, and copy export.zip to this computer. I read it here and keep only what I see in "
        + "it, such as your average steps and sleep."
    case .healthSent:
      "Those findings and figures go to the model with our conversation; your raw data never does."
    case .healthNone: "I don't have any health data from you."
    case .offerConnect: "Connect"
    case .offerSkip: "Skip"
    case .offerChoose: "Type 1 to let me look, or 2 to skip."
    case .offerPath: "Where is it? (a path, or Enter to skip)"
    case .offerNotStarted: "We haven't started yet, so there's nothing to do for /{{command}}."
    case .offerSkipped:
      "OK, we'll continue without it. I won't ask again; /health shows how if you change your mind."
    case .offerUnanswered:
      "We'll continue without it for now; /health shows how to connect it.{{#isKept}} What you "
        + "wrote is on the line below, ready to send.{{/isKept}}"
    case .offer: "I can look at an Apple Health export before we start. /health tells you more."
    }
  }

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
