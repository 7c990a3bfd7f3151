/// A pack's templates, with the names that each may use.
enum TemplateName: String, CaseIterable {
  case greet = "prompts/greet"
  case score = "prompts/score"
  case scoreRepair = "prompts/score-repair"
  case understand = "prompts/understand"
  case acts = "prompts/acts"
  case amend = "prompts/amend"
  case read = "prompts/read"
  case aside = "prompts/aside"
  case author = "prompts/author"
  case known = "prompts/known"
  case manner = "prompts/manner"
  case memory = "prompts/memory"
  case ask = "prompts/ask"
  case checkIn = "prompts/check-in"
  case synthesise = "prompts/synthesise"
  case synthesiseRepair = "prompts/synthesise-repair"
  case confirm = "prompts/confirm"
  case coach = "prompts/coach"
  case offerGoOn = "texts/offer-go-on"
  case offerMinimal = "texts/offer-minimal"
  case bodyQuestion = "texts/body-question"
  case bodyHeight = "texts/body-height"
  case bodyImplausible = "texts/body-implausible"
  case bodyReason = "texts/body-reason"
  case correctionQuestion = "texts/correction-question"
  case confirmationQuestion = "texts/confirmation-question"
  case confirmationWaits = "texts/confirmation-waits"
  case choose = "texts/choose"
  case service = "texts/service"
  case amended = "texts/amended"
  case asideFallback = "texts/aside-fallback"
  case summaryFallback = "texts/summary-fallback"
  case paywallTitle = "texts/paywall-title"
  case paywallNote = "texts/paywall-note"
  case paywallHeld = "texts/paywall-held"
  case paywallDeclined = "texts/paywall-declined"
  case choicesLine = "texts/choices-line"
  case paywallAnswered = "texts/paywall-answered"
  case draftGoal = "prompts/draft-goal"
  case draftProgram = "prompts/draft-program"
  case editDocument = "prompts/edit-document"
  case starters = "prompts/starters"
  case plainWords = "prompts/plain-words"
  case greetingFallback = "texts/greeting-fallback"
  case questionFallback = "texts/question-fallback"
  case checkInFallback = "texts/check-in-fallback"
  case coachingFallback = "texts/coaching-fallback"

  /// Without it, a pack offers only its fixed suggestions, if any.
  var isOptional: Bool { self == .starters }

  /// Whether it goes to a model.
  var isPrompt: Bool { rawValue.hasPrefix("prompts/") }

  /// Whether a model would get nothing if it came out blank. Nothing may be known of somebody.
  var needsText: Bool { isPrompt && self != .known }

  var path: String { "\(rawValue).mustache" }

  var variables: Set<String> {
    let list: String =
      switch self {
      case .greet: "hasHealth findings oldHealth language"
      case .score: "components name weight title facets id knownWhen notEnough isBody"
      case .scoreRepair, .synthesiseRepair: "problems"
      case .understand: "parts hasParts id means acts"
      case .acts, .amend, .author, .service: ""
      case .amended:
        "changes isFirst goal timeline reason milestone style checkIn plan limit note gone new"
      case .read: "facets id title isBody acts"
      case .aside:
        "today known system service isQuestion isLow isPostponement isTalk isOffer closing careNotes"
      case .known:
        "hasKept kept kind turn quote isDoubted hasKnown known title isLikely isFresh hasPerhaps perhaps"
      case .choose: "isSummary first second"
      case .asideFallback:
        "isQuestion isAboutQuestion isAboutPlan isAboutService isAboutCoaching isLow isPostponement "
          + "isTalk service"
      case .manner:
        "understanding hasUnderstanding title confidence quote kilograms speak isTerse wordLimit "
          + "signals hasSignals hasMood"
      case .memory:
        "changes hasChanges programme hasProgramme entries hasEntries current hasCurrent isShortened "
          + "notes hasNotes turn quote question"
      case .ask:
        "today known title missing knownWhen notEnough companion hasCompanion alsoAsk isBroad explicit setAside "
          + "isTerse wordLimit careNotes component hasReadings readings reading isNewHealth findings "
          + "figures hasFigures oldHealth isUnread isFirst service"
      case .checkIn: "known careNotes"
      case .synthesise:
        "known title turn turns text careNotes today minimal heightAndWeight "
          + "hasReadings readings reading hasAnswers answers question answer earlier corrections "
          + "limitsUnknown"
      case .confirm: "today system minimal missing isRenewed corrections limitsUnknown"
      case .coach:
        "system known firstReply minimal careNotes today hasHealth healthAge "
          + "isOldHealth figures findings limitsUnknown"
      case .offerGoOn, .offerMinimal:
        "known missing isRehearsal goAhead keepTalking"
      case .bodyQuestion, .bodyHeight: "asksHealth"
      case .bodyReason, .correctionQuestion, .confirmationWaits: ""
      case .confirmationQuestion: "missing"
      case .bodyImplausible: "implausible"
      case .summaryFallback: "goal timeline deeper constraints firstAction isMinimal"
      case .paywallTitle: "isLittle goal"
      case .paywallNote, .paywallDeclined, .paywallAnswered: ""
      case .choicesLine: "first second"
      case .paywallHeld: "count isOne"
      case .draftGoal, .draftProgram: "today careNotes"
      case .editDocument: "today careNotes isProgram"
      case .starters: "categories name title most"
      case .questionFallback: "component"
      case .plainWords, .greetingFallback, .checkInFallback, .coachingFallback: ""
      }
    let names = Set(list.split(separator: " ").map(String.init))
    return isPrompt ? names.union(PackManifest.words.keys) : names
  }
}
