import ContextQuality
import IncrementalJSON
import LanguageModels
import Signals

// Corrections and wishes after the summary.
extension PromptPack {
  private static let mostChanges = 4

  /// What a reading looks for; nil before there is a summary to amend.
  func amends(_ state: IntakeState) -> ReadingMember? {
    guard state.phase.conclusion != nil, state.phase.name != .greeting,
      let system = state.synthesis?.system,
      let instructions = try? fixedText(
        "amend",
        { () throws(PackError) in
          try render(.amend, [:])
        })
    else { return nil }
    let text: JSONValue = ["type": "string"]
    let changed = state.amendments.suffix(Self.mostChanges).map { amendment in
      JSONValue.members([
        ("path", .string(amendment.pointer)), ("old", .string(amendment.old ?? "")),
        ("new", .string(amendment.new ?? "")),
      ])
    }
    var material: JSONObject = ["profile": system.amendableJSON]
    if !changed.isEmpty { material["changed"] = .array(changed) }
    return ReadingMember(
      name: "amends",
      schema: .schema(list: [
        ("path", text), ("value", text), ("turn", ["type": "integer"]), ("quote", text),
      ]),
      instructions: instructions, material: material)
  }
}

extension IntakeEngine {
  /// The amendments that a reading asks for, as far as the user's words bear them out.
  ///
  /// A correction of the summary has it written again, so nothing is amended then.
  ///
  /// - Returns: The amendments, and the words whose change cannot be made.
  func amendments(
    _ reading: TurnReading, _ turns: [Int]
  ) -> (taken: [Amendment], refused: String?) {
    guard let claims = reading.amends?.arrayValue, var system = state.synthesis?.system else {
      return ([], nil)
    }
    let acts = reading.scoring.acts ?? []
    let isSummary = state.phase.name == .confirming
    let isYes =
      acts.has(.agrees, .goesOn, .continues) && !acts.has(.corrects, .rejects, .postpones, .notNow)
    if isSummary, !isYes { return ([], nil) }
    let said = state.transcript.visibleTurns
    var fitter = QuoteFitter(state.transcript, pack.signals.quoteWords)
    var taken: [Amendment] = []
    var refused: String?
    for claim in Self.inOrder(claims.prefix(Self.mostAmendments)) {
      guard let path = claim["path"]?.stringValue, let value = claim["value"]?.stringValue,
        let turn = claim["turn"]?.intValue, let quote = claim["quote"]?.stringValue,
        let fit = try? fitter.fit(quote, turn: turn, isStatement: true), turns.contains(fit.turn),
        !system.says(value, at: path)
      else { continue }
      guard value.utf8.count <= Self.longestAmendment,
        var amendment = system.amendment(path, to: PlainText.line(value)),
        isSaid(amendment, said + [system.amendableJSON.serialized()])
      else {
        if system.canSay(path) { refused = refused ?? fit.quote }
        continue
      }
      (amendment.turn, amendment.quote) = (fit.turn, fit.quote)
      if amendment.isNewLimit { amendment.notedAt = today }
      system.take(amendment)
      taken.append(amendment)
    }
    return (taken, taken.isEmpty ? refused : nil)
  }

  /// What is taken out comes last and from the end, so that the places of the others stay.
  private static func inOrder(_ claims: ArraySlice<JSONValue>) -> [JSONValue] {
    func isRemoval(_ claim: JSONValue) -> Bool {
      claim["value"]?.stringValue.map(PlainText.isBlank) ?? false
    }
    func place(_ claim: JSONValue) -> Int {
      claim["path"]?.stringValue?.split(separator: "/").last.flatMap { Int($0) } ?? 0
    }
    let removals = claims.filter(isRemoval).sorted { place($0) > place($1) }
    return claims.filter { !isRemoval($0) } + removals
  }

  private static let mostAmendments = 12
  /// In bytes.
  private static let longestAmendment = 600
  /// Years ahead that a date may name although only its day was said.
  private static let yearsAhead = 5

  /// Whether each figure of the new text stands in the profile, or was said. The day that follows from what was
  /// said need not be.
  private func isSaid(_ amendment: Amendment, _ said: [String]) -> Bool {
    // "12th" holds a figure, too.
    func figures(_ text: String) -> Set<Double> {
      let words = text.split { !$0.isNumber && !$0.isLetter }.map(String.init)
      return Set(
        words.compactMap { PhrasePattern.value($0) ?? Double($0.prefix(while: \.isNumber)) })
    }
    let before = state.amendments.compactMap(\.old)
    let texts = said + before
    var known = texts.reduce(into: Set<Double>()) { $0.formUnion(figures($1)) }
    let year = Int(today.prefix(4)) ?? 0
    let years = year...year + Self.yearsAhead
    let new = (amendment.new ?? "").replacing(/\b\d{4}-\d{2}-\d{2}\b/) { match in
      let day = String(match.output)
      guard CalendarDay(day) != nil, Int(day.prefix(4)).map(years.contains) == true else {
        return day
      }
      // "The twenty-third" is written as "23 August (2027-08-23)".
      if amendment.pointer == "/userGoals/timeline" { known.formUnion(figures(day)) }
      return ""
    }
    return figures(new).allSatisfy { figure in
      known.contains(figure) || Int(exactly: figure).map(years.contains) == true
        || texts.contains { pack.measureWords.holds(figure, in: $0) }
    }
  }

  func notice(of amendments: [Amendment]) throws(PackError) -> SessionOutput.Notice {
    let changes = amendments.enumerated().map { index, amendment -> [String: Any] in
      [
        amendment.kind: true, "isFirst": index == 0,
        "gone": amendment.new == nil
          ? String((amendment.old ?? "").prefix(Amendment.mostShown)) : "",
        "new": amendment.shown,
      ]
    }
    let about = amendments.map { amendment in
      JSONValue.members([
        ("pointer", .string(amendment.pointer)), ("old", amendment.old.map { .string($0) }),
        ("new", amendment.new.map { .string($0) }), ("quote", amendment.quote.map { .string($0) }),
      ])
    }
    return SessionOutput.Notice(
      code: "amended", level: .info,
      text: try pack.render(.amended, ["changes": changes], in: translation),
      about: ["amendments": .array(about)])
  }
}

extension SessionOutput.Notice {
  static func leftAsItWas(_ quote: String) -> Self {
    let words = PlainText.line(quote)
    return Self(
      code: "left-as-it-was", level: .info,
      text: "I left what I wrote down as it was, because I couldn't tell what “\(words)” changes. "
        + "Tell me how it should read.",
      values: ["said": words])
  }
}

extension Amendment {
  /// What it changes, as the text that says so calls it.
  fileprivate var kind: String {
    switch pointer.split(separator: "/").dropFirst().first {
    case "primary": "goal"
    case "timeline": "timeline"
    case "deeper": "reason"
    case "milestones": "milestone"
    case "communicationStyle", "styleNotes": "style"
    case "checkInFrequency": "checkIn"
    case "notes": "note"
    case let name? where ["physical", "time", "resources", "temporary"].contains(name): "limit"
    default: "plan"
    }
  }

  /// The new text; of a long one, what is around the first change.
  fileprivate var shown: String {
    guard let new, new.count > Self.mostShown else { return new ?? "" }
    let same = zip(new, old ?? "").prefix { $0 == $1 }.count
    // A few words before it, so that it can be understood.
    let before = new.prefix(max(0, same - Self.mostBefore))
    let start = before.lastIndex(of: " ").map(new.index(after:)) ?? new.startIndex
    let part = new[start...].prefix(Self.mostShown)
    let isCut = part.endIndex < new.endIndex
    let end = isCut ? part.lastIndex(of: " ") ?? part.endIndex : part.endIndex
    return (start > new.startIndex ? "… " : "") + part[..<end] + (isCut ? " …" : "")
  }

  private static let mostBefore = 40

  fileprivate static let mostShown = 100
}

extension CoachingSystem {
  /// What can be amended, as it stands.
  fileprivate var amendableJSON: JSONValue {
    func members(_ section: ProfileField.Section) -> (String, JSONValue) {
      let fields = ProfileField.all(in: section).filter(\.isAmendable)
      return (section.rawValue, .members(fields.map { ($0.name, json(of: $0) ?? .null) }))
    }
    let limits = Constraints.lists.compactMap { name, path -> (String, JSONValue)? in
      let details = constraints[keyPath: path].map { limit in
        JSONValue.members([
          ("detail", .string(limit.detail)), ("impact", limit.impact.map { .string($0) }),
          ("availability", limit.availability.map { .string($0) }),
          ("limitations", limit.limitations.map { .array($0.map { .string($0) }) }),
        ])
      }
      return details.isEmpty ? nil : (name, .array(details))
    }
    let notes = about?.notes ?? []
    return .members([
      ("about", notes.isEmpty ? nil : ["notes": .array(notes.map { .string($0) })]),
      ("constraints", .members(limits)),
      members(.userGoals), members(.personaProfile), members(.coachingPlan),
    ])
  }
}
