public import ContextQuality
import IncrementalJSON
public import LanguageModels
import Signals

/// A note with its words, for finding what a message is about.
package struct RememberedNote: Hashable, Sendable {
  let note: MemoryNote
  let words: Set<String>

  init(_ note: MemoryNote) {
    self.note = note
    words = Set(Words(note.quote).all)
  }
}

/// Fits what a coach remembers into a number of tokens.
///
/// The last messages come first, then notes of those before them: first the notes that have words of
/// the user's message, then the newest.
struct CoachingMemory {
  /// The tokens that are left.
  private(set) var left: Int

  init(tokens: Int) { left = tokens }

  /// An upper estimate for most languages and tokenizers.
  static func tokens(_ text: String) -> Int { text.utf8.count / 3 + 4 }

  /// Of the tokens that are left, this many percent may go to the last messages.
  private static let shareOfMessages = 70
  /// The last messages that are sent whatever they cost: the user's, and what it answers.
  private static let leastMessages = 2

  mutating func spend(on text: String) { left -= Self.tokens(text) }

  /// As many lines as fit, in order.
  mutating func lines(_ lines: [String], most: Int) -> [String] {
    var kept: [String] = []
    for line in lines.prefix(most) {
      let line = PlainText.line(line)
      guard Self.tokens(line) <= left else { break }
      spend(on: line)
      kept.append(line)
    }
    return kept
  }

  /// The first of the last messages that fit.
  mutating func start(of messages: [Transcript.Message]) -> Int {
    let share = max(0, left) * Self.shareOfMessages / 100
    var (start, spent) = (messages.count, 0)
    while start > 0 {
      let cost = Self.tokens(messages[start - 1].text)
      let isNeeded = messages.count - start < Self.leastMessages
      guard isNeeded || spent + cost <= share else { break }
      spent += cost
      start -= 1
    }
    left -= spent
    return start
  }

  /// The notes of turns up to a turn that fit, in the order of the conversation.
  ///
  /// - Parameter message: The user's last message.
  mutating func notes(
    _ notes: [RememberedNote], through turn: Int, about message: String, little: Set<String>
  ) -> [MemoryNote] {
    let words = Set(Words(message).all).subtracting(little)
    let older = notes.enumerated().filter { $0.element.note.turn <= turn }
      .map { index, note in
        (index: index, shared: note.words.count(where: words.contains), note: note.note)
      }
    let ranked = older.sorted { ($0.shared, $0.index) > ($1.shared, $1.index) }
    var kept: [(index: Int, note: MemoryNote)] = []
    for item in ranked {
      let cost = Self.tokens(item.note.quote) + 6
      guard cost <= left else { continue }
      left -= cost
      kept.append((item.index, item.note))
    }
    return kept.sorted { $0.index < $1.index }.map(\.note)
  }
}

extension PromptPack {
  /// The request that a model gets for the next coaching reply, for looking at what it costs.
  ///
  /// - Parameters:
  ///   - today: As `yyyy-MM-dd`.
  ///   - tokens: See ``IntakeSettings/coachingTokens``.
  /// - Throws: `PackError` if the pack's prompt cannot be rendered.
  public func coachingRequest(
    _ state: IntakeState, today: String, tokens: Int = IntakeSettings().coachingTokens
  ) throws(PackError) -> ModelRequest {
    var scene = Scene(today: today)
    scene.signals = state.signals().map(\.evidence)
    scene.budget = tokens
    return try Interviewer(pack: self).coaching(state, scene)
  }
}

// The coaching prompt.
extension Interviewer {
  /// The most lines of each kind. Older ones are in the log.
  private static let mostLines = 14
  /// A quote this long is shortened if the prompt would not fit otherwise, in characters.
  private static let longestQuote = 160

  /// Persona, constraints and goals are always whole. What is left of the budget goes to the changes
  /// since, this week's program, the last entries, the last messages, and notes of those before.
  func coaching(_ state: IntakeState, _ scene: Scene) throws(PackError) -> ModelRequest {
    var memory = CoachingMemory(tokens: scene.budget)
    var fixed = try profile(state, scene, longestQuote: nil)
    if CoachingMemory.tokens(fixed) > scene.budget / 2 {
      fixed = try profile(state, scene, longestQuote: Self.longestQuote)
    }
    fixed = try withManner(fixed, state, scene, .coaching)
    memory.spend(on: fixed)
    let facts = scene.facts
    let changes = memory.lines(facts.changes, most: Self.mostLines)
    let programme = memory.lines(facts.programme, most: Self.mostLines)
    let entries = memory.lines(facts.entries, most: Self.mostLines)
    let current = memory.lines(facts.currentState, most: Self.mostLines)
    let messages = state.transcript.messages
    let start = memory.start(of: messages)
    let dropped = messages[..<start].count { $0.speaker == .user }
    let notes = memory.notes(
      state.remembered, through: dropped, about: state.turns.last?.text ?? "",
      little: pack.signals.littleWords)
    var system = fixed
    if !(changes + programme + entries + current).isEmpty || !notes.isEmpty || start > 0
      || scene.question != nil
    {
      let values: [String: Any] = [
        "changes": changes, "hasChanges": !changes.isEmpty,
        "programme": programme, "hasProgramme": !programme.isEmpty,
        "entries": entries, "hasEntries": !entries.isEmpty,
        "current": current, "hasCurrent": !current.isEmpty,
        "isShortened": start > 0,
        "notes": notes.map { ["turn": "\($0.turn)", "quote": PlainText.quoted($0.quote)] },
        "hasNotes": !notes.isEmpty, "question": scene.question ?? "",
      ]
      system += "\n\n" + (try pack.render(.memory, values))
    }
    return ModelRequest(
      purpose: .coach, system: system, messages: Array(self.messages(state)[start...]),
      maxOutputTokens: Self.longReply)
  }

  private func profile(
    _ state: IntakeState, _ scene: Scene, longestQuote: Int?
  ) throws(PackError) -> String {
    var profile = state.synthesis?.system.withoutUnsupported
    // One state for each limit: what is over stands among the changes alone.
    for (_, path) in Constraints.lists {
      profile?.constraints[keyPath: path].removeAll { scene.facts.over.contains($0.detail) }
    }
    if scene.facts.hasBegun { profile?.coachingPlan.firstAction = nil }
    let system = profile?.json.serialized(pretty: true) ?? "{}"
    let values: [String: Any] = [
      "system": system, "known": try known(state, longest: longestQuote),
      "firstReply": !state.wasCoached,
      "minimal": state.synthesis?.isMinimal ?? false, "limitsUnknown": limitsUnknown(state),
      "careNotes": Self.careNotes(state) + privacyNotes(state),
      "today": CalendarDay.withWeekday(scene.today),
    ]
    return try pack.render(
      .coach, values.merging(currentState(state, today: scene.today)) { first, _ in first })
  }
}
