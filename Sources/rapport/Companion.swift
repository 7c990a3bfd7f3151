import Intake
import Synchronization
import Terminal

/// What goes on between a reply and the next message: suggestions of what could be said.
struct Companion {
  let engine: IntakeEngine
  /// Where there is no person at a terminal, suggestions go to whoever reads the outputs.
  let isPerson: Bool
  /// A recording holds the requests of the conversation alone.
  var asksModels = true
  var clock: any Clock<Duration> = ContinuousClock()

  /// Begins when the last reply is whole; end what it returns when the next message is there.
  func accompany(_ view: any SessionView) async -> TypingAid {
    let aid = TypingAid(isPerson: isPerson)
    let show: @Sendable (Starters) -> Void = { starters in
      aid.offer(starters)
      view.show(.starters(starters))
    }
    guard await engine.startersTakeTime else {
      if let starters = await engine.starters() { show(starters) }
      return aid
    }
    guard asksModels else { return aid }
    aid.begin { [engine, clock] in
      guard let starters = await engine.starters(clock: clock), !Task.isCancelled else { return }
      show(starters)
    }
    return aid
  }
}

/// Helps with one message.
final class TypingAid: Sendable {
  private struct State {
    var picker: StarterPicker?
    var making: Task<Void, Never>?
  }

  private let isPerson: Bool
  private let board = LineBoard()
  private let state = Mutex(State())

  init(isPerson: Bool) { self.isPerson = isPerson }

  /// Nil where nobody types.
  var assist: LineAssist? {
    guard isPerson else { return nil }
    return LineAssist(
      choose: { [self] in choose($0, $1) }, draft: { [self] in note($0) }, board: board)
  }

  func begin(_ work: @escaping @Sendable () async -> Void) {
    state.withLock { $0.making = Task { await work() } }
  }

  /// Nothing is shown any more when it returns.
  func end() async {
    let making = state.withLock { state in
      defer { state.making = nil }
      return state.making
    }
    making?.cancel()
    await making?.value
  }

  func offer(_ starters: Starters) {
    state.withLock { $0.picker = StarterPicker(starters) }
    draw()
  }

  private func choose(_ key: LineAssist.Key, _ line: String) -> String? {
    let text = state.withLock { state in
      switch key {
      case .character(let character): state.picker?.typed(character, line: line)
      case .tab: state.picker?.cycle(line: line)
      case .backTab: state.picker?.cycle(forward: false, line: line)
      }
    }
    return text
  }

  private func note(_ line: String) {
    state.withLock { $0.picker?.note(line) }
    draw()
  }

  private func draw() {
    board.lines = state.withLock { state in
      guard let picker = state.picker, !picker.isGone else { return [] }
      return StarterText.lines(picker) + [.init("", as: .dim)]
    }
  }
}

/// Suggestions as a person sees them: a line a category.
enum StarterText {
  static func lines(_ picker: StarterPicker) -> [LineBoard.Line] {
    let starters = picker.starters
    let shown = starters.numbered
    let categories = Starters.Category.allCases.filter { !starters[$0].isEmpty }
    let width = categories.map { starters.title(of: $0).count }.max() ?? 0
    var lines = [LineBoard.Line(hint(picker), as: .dim)]
    for category in categories {
      let title = starters.title(of: category)
      let labels = shown.enumerated().filter { $0.element.category == category }
        .map { picker.takesNumbers ? "[\($0.offset + 1)] \($0.element.label)" : $0.element.label }
      let margin = String(repeating: " ", count: width - title.count + 2)
      lines.append(
        .init(
          title + margin + labels.joined(separator: picker.takesNumbers ? "  " : " · "), as: .accent
        ))
    }
    return lines
  }

  private static func hint(_ picker: StarterPicker) -> String {
    picker.takesNumbers
      ? "A number or Tab puts words into the line; change them, add to them."
      : "Tab puts words into the line; change them, add to them."
  }
}
