import Journeys
import Plans
import Synchronization
import Terminal

/// What somebody types at a question, beside the suggestions that Tab puts in its place.
final class OwnWords: Sendable {
  private struct State {
    var typed = ""
    var line: String
  }
  private let known: String
  private let state: Mutex<State>
  private let remark: @Sendable (String) -> String?
  /// What the line comes to, above it.
  let board = LineBoard()

  /// - Parameters:
  ///   - known: What stands in the line at first.
  ///   - remark: What a line comes to, such as how long hours are; nil for nothing.
  init(_ known: String, remark: @escaping @Sendable (String) -> String? = { _ in nil }) {
    (self.known, self.remark) = (known, remark)
    state = Mutex(State(line: known))
  }

  /// The line as it stands.
  @Sendable func note(_ line: String) {
    state.withLock { $0.line = line }
    board.lines = remark(line).map { [LineBoard.Line($0, as: .dim)] } ?? []
  }

  /// What would be lost by leaving; nil if it is nothing new.
  var draft: String? {
    state.withLock { state in
      let isNew = !state.line.allSatisfy(\.isWhitespace) && state.line != known
      return isNew && !state.line.hasSuffix("<") ? state.line : nil
    }
  }

  /// The suggestion behind a line, or the person's own words behind the last one.
  func next(after line: String, among pills: [String], isBackward: Bool) -> String {
    let typed = state.withLock { state in
      if !pills.contains(line), !line.allSatisfy(\.isWhitespace) { state.typed = line }
      return state.typed
    }
    let all = typed.isEmpty ? pills : pills + [typed]
    let place = all.firstIndex(of: line).map { $0 + (isBackward ? all.count - 1 : 1) } ?? 0
    return all[place % all.count]
  }
}

extension JourneyScreen {
  /// How long the hours are that a line names, where hours are asked for.
  @Sendable func remark(_ line: String) -> String? {
    guard case .timeRange = input else { return nil }
    return ClockRange(typed: line)?.lengthInWords
  }
}
