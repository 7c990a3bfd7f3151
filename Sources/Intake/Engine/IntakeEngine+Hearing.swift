import ContextQuality
import Signals

// Interpreting messages.
extension IntakeEngine {
  /// A printed choice is stored as its label, and decides at once. What other words do is read.
  @inline(never)
  func reading(_ text: String, releasesHeld: Bool = false) -> UserTurn {
    if Self.isEndCommand(text) { return endTurn }
    let choice = chosen(text)
    let visible = PlainText.visible(text)
    let net = pack.careNet
    let age = state.isMinor ? net.answeredAge(in: visible) : net.statedAge(in: visible)
    let turn = state.turns.count + 1
    let care = pack.care(in: visible, body: state.body, said: state.turns.map(\.text))
      .flatMap { state.safety.hasJustTold($0.name, before: turn) ? nil : $0 }
    let isLabel = choice.map { Self.normalized($0.label) == Self.normalized(visible) } ?? true
    return UserTurn(
      turn: turn, text: isLabel ? text : choice?.label ?? text, intent: choice?.intent, care: care,
      statedAge: age, releasesHeld: releasesHeld)
  }

  /// The message that ends the questions and asks for a summary of what is known.
  public static let endCommand = "/done"

  static func isEndCommand(_ text: String) -> Bool { text.trimmed.lowercased() == endCommand }

  /// The words are those of the choice that an offer would show.
  private var endTurn: UserTurn {
    let label = pack.offerChoices(.goOn, translation).first?.label ?? Self.endCommand
    return UserTurn(turn: state.turns.count + 1, text: label, intent: .stop)
  }

  /// The choice whose number, id or label this is, in any case and with any marks around it but a question's.
  func chosen(_ text: String) -> SessionOutput.Choice? {
    let visible = PlainText.visible(text)
    guard !visible.contains("?") else { return nil }
    let shown = pack.choices(state, translation)
    let typed = Self.normalized(visible)
    if let number = Int(typed), shown.indices.contains(number - 1) { return shown[number - 1] }
    return (shown + pack.otherChoices(state)).first {
      Self.normalized($0.id) == typed || Self.normalized($0.label) == typed
    }
  }

  static func normalized(_ text: String) -> String {
    let words = text.lowercased().replacing("’", with: "'").split(whereSeparator: \.isWhitespace)
    let marks: (Character) -> Bool = { $0.isPunctuation || $0.isSymbol && $0.isASCII }
    let line = words.joined(separator: " ")
    guard let first = line.firstIndex(where: { !marks($0) }),
      let last = line.lastIndex(where: { !marks($0) })
    else { return line }
    return String(line[first...last])
  }
}

extension SessionOutput.Notice {
  /// The user wants to end questions that are over.
  static let nothingToEnd = Self(
    code: "intake-done", level: .info,
    text: "I've finished asking, and you have my summary. /insight shows what I know about you.")
}
