import ContextQuality
import Intake
import Synchronization
import Terminal

/// Works between a reply and the next message: suggests what to say, and reads the draft while it
/// is typed.
final class TypingAssistant: Sendable {
  private let engine: IntakeEngine
  private let rubric: Rubric
  /// Without a person at a terminal, suggestions go to the program that reads the outputs.
  private let isPerson: Bool
  /// A recording holds only the conversation's own requests.
  private let asksModels: Bool
  private let previews: Bool
  private let showsInsight: Bool
  private let clock: any Clock<Duration>
  /// The position in the session, and what was suggested there.
  private let made = Mutex<(position: Int, starters: Starters)?>(nil)

  /// How often the last message was changed before it was sent.
  private let rewrites = Mutex(0)

  /// False if the next message is already there: nobody would read the suggestions.
  private static let grace = Duration.milliseconds(150)

  init(
    engine: IntakeEngine, rubric: Rubric, isPerson: Bool, asksModels: Bool, previews: Bool,
    showsInsight: Bool, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.rubric = rubric
    (self.engine, self.isPerson, self.asksModels) = (engine, isPerson, asksModels)
    (self.previews, self.showsInsight, self.clock) = (previews, showsInsight, clock)
  }

  /// Starts when the last reply is complete. Cancel the result when the next message arrives.
  func accompany(_ view: any SessionView) async -> TypingAid {
    let position = await engine.state.position
    let texts = await engine.screenTexts()
    let aid = TypingAid(isPerson: isPerson, texts: texts)
    if previews { aid.read(with: reader(aid, texts, at: position)) }
    await suggest(aid, view, at: position)
    return aid
  }

  func keep(rewrites count: Int) { rewrites.withLock { $0 = count } }

  func takeRewrites() -> Int {
    rewrites.withLock { count in
      defer { count = 0 }
      return count
    }
  }

  private func suggest(_ aid: TypingAid, _ view: any SessionView, at position: Int) async {
    let show: @Sendable (Starters) -> Void = { [self] starters in
      let isNew = made.withLock { made in
        defer { made = (position, starters) }
        return made?.position != position
      }
      aid.offer(engine.picker(for: starters))
      if isNew { view.show(.starters(starters)) }
    }
    if let made = made.withLock(\.self), made.position == position { return show(made.starters) }
    guard await engine.startersTakeTime else {
      if let starters = await engine.starters() { show(starters) }
      return
    }
    guard asksModels else { return }
    aid.begin { [engine, clock] in
      guard (try? await clock.sleep(for: Self.grace)) != nil else { return }
      guard let starters = await engine.starters(clock: clock), !Task.isCancelled else { return }
      show(starters)
    }
  }

  private func reader(
    _ aid: TypingAid, _ texts: ScreenTexts, at position: Int
  ) -> DraftReader {
    DraftReader(clock: clock) { [engine, rubric, weak aid] draft in
      // Someone who is typing no longer needs new suggestions.
      await aid?.stopMaking()
      return await engine.preview(draft, at: position)?.new.map {
        rubric[$0.facet].map(texts.title(of:)) ?? $0.facet.name
      }
    } show: { [showsInsight, weak aid] draft, facets in
      if showsInsight { aid?.explain(draft, facets) }
    }
  }
}

/// Helps with one message.
final class TypingAid: Sendable {
  private struct State {
    var picker: StarterPicker?
    var making: Task<Void, Never>?
    var reader: DraftReader?
    var draft = ""
    var edits = DraftEdits()
    /// What the draft reveals.
    var facets: [String] = []
  }

  private let isPerson: Bool
  private let texts: ScreenTexts
  private let board = LineBoard()
  private let state = Mutex(State())

  init(isPerson: Bool, texts: ScreenTexts) { (self.isPerson, self.texts) = (isPerson, texts) }

  /// Nil if nobody types.
  var assist: LineAssist? {
    guard isPerson else { return nil }
    return LineAssist(
      choose: { [self] in choose($0, $1) }, draft: { [self] in note($0) }, board: board)
  }

  func read(with reader: DraftReader) { state.withLock { $0.reader = reader } }

  func begin(_ work: @escaping @Sendable () async -> Void) {
    state.withLock { $0.making = Task { await work() } }
  }

  /// How often the draft was changed so far.
  var rewrites: Int { state.withLock(\.edits.count) }

  /// After it returns, no more suggestions appear.
  func stopMaking() async {
    let making = state.withLock { $0.making.take() }
    making?.cancel()
    await making?.value
  }

  /// After it returns, nothing more is shown.
  func end() async {
    let reader = state.withLock(\.reader)
    reader?.end()
    await stopMaking()
  }

  func offer(_ picker: StarterPicker) {
    state.withLock { $0.picker = picker }
    draw()
  }

  func explain(_ draft: String, _ facets: [String]) {
    state.withLock { if $0.draft == draft { $0.facets = facets } }
    draw()
  }

  private func choose(_ key: LineAssist.Key, _ line: String) -> String? {
    state.withLock { state in
      switch key {
      case .tab: state.picker?.cycle(line: line)
      case .backTab: state.picker?.cycle(forward: false, line: line)
      case .edit: nil
      }
    }
  }

  private func note(_ line: String) {
    let reader = state.withLock { state in
      state.picker?.note(line)
      state.edits.typed(line.count)
      // Findings for another draft don't apply to this one.
      if line != state.draft { (state.draft, state.facets) = (line, []) }
      return state.reader
    }
    reader?.typed(line)
    draw()
  }

  private func draw() {
    state.withLock { state in
      var lines: [LineBoard.Line] = []
      if let picker = state.picker, !picker.isGone {
        lines +=
          StarterText.lines(picker.starters, hint: texts(.suggestions)) + [.init("", as: .dim)]
      }
      if !state.facets.isEmpty {
        let facets = state.facets.map { "+ " + $0 }
        lines.append(.init("", as: .dim, isAtRight: true, items: facets, separator: "  "))
      }
      board.lines = lines
    }
  }
}

/// Suggestions as a person sees them, one line per category.
enum StarterText {
  static func lines(_ starters: Starters, hint: String) -> [LineBoard.Line] {
    let shown = starters.shown
    let categories = Starters.Category.allCases.filter { !starters[$0].isEmpty }
    let width = categories.map { starters.title(of: $0).count }.max() ?? 0
    var lines = [LineBoard.Line("", as: .dim, items: parts(of: hint))]
    for category in categories {
      let title = starters.title(of: category)
      let labels = shown.filter { $0.category == category }.map(\.label)
      lines.append(
        .init(title.padded(to: width + 2), as: .accent, items: labels, separator: " · "))
    }
    return lines
  }

  /// A narrow screen breaks the line behind a comma.
  private static func parts(of hint: String) -> [String] {
    let parts = hint.split(separator: ", ").map(String.init)
    return parts.dropLast().map { $0 + "," } + parts.suffix(1)
  }
}
