import ContextQuality
import Signals

// Interpreting messages.
extension IntakeEngine {
  /// A choice's number, id or label selects that choice from the last message. A number or an id
  /// is stored as the choice's words.
  func reading(_ text: String, releasesHeld: Bool = false) -> UserTurn {
    let choice = offeredChoice(text)
    let visible = PlainText.visible(text)
    let net = pack.careNet
    let age = state.isMinor ? net.answeredAge(in: visible) : net.statedAge(in: visible)
    let isLabel = choice?.label.lowercased() == visible.trimmed.lowercased()
    return UserTurn(
      turn: state.turns.count + 1, text: isLabel ? text : choice?.label ?? text,
      intent: choice?.intent ?? pack.intents.intent(of: visible),
      care: net.classify(visible), statedAge: age, releasesHeld: releasesHeld)
  }

  private func offeredChoice(_ text: String) -> SessionOutput.Choice? {
    let choices: [SessionOutput.Choice] =
      switch state.pending {
      case .offer(let offer): pack.offerChoices(offer.kind)
      case .confirmation: pack.confirmationChoices
      case .nothing, .question, .body: []
      }
    let typed = text.trimmed.lowercased()
    return choices.enumerated()
      .first {
        let (id, label) = ($0.element.id.lowercased(), $0.element.label.lowercased())
        return typed == "\($0.offset + 1)" || typed == id || typed == label
      }?.element
  }
}
