import ContextQuality
import Signals

// What a message comes to.
extension IntakeEngine {
  /// The number, the id or the label of a choice that the last message offered is that choice; a
  /// number or an id is stored as the words it stands for.
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
