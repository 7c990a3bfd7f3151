import ContextQuality
import Signals

// Interpreting messages.
extension IntakeEngine {
  /// A choice's number, id or label selects that choice from the last message. A number or an id
  /// is stored as the choice's words.
  @inline(never)
  func reading(_ text: String, releasesHeld: Bool = false) -> UserTurn {
    if Self.isEndCommand(text) { return endTurn }
    let choice = offeredChoice(text)
    let visible = PlainText.visible(text)
    let net = pack.careNet
    let age = state.isMinor ? net.answeredAge(in: visible) : net.statedAge(in: visible)
    let isLabel = choice?.label.lowercased() == visible.trimmed.lowercased()
    return UserTurn(
      turn: state.turns.count + 1, text: isLabel ? text : choice?.label ?? text,
      intent: choice?.intent ?? intent(of: visible),
      care: pack.care(in: visible, body: state.body, said: state.turns.map(\.text)), statedAge: age,
      releasesHeld: releasesHeld)
  }

  /// The message that ends the questions and asks for a summary of what is known.
  public static let endCommand = "/done"

  static func isEndCommand(_ text: String) -> Bool { text.trimmed.lowercased() == endCommand }

  /// The words are those of the choice that an offer would show.
  private var endTurn: UserTurn {
    let label = pack.offerChoices(.goOn, translation).first?.label ?? Self.endCommand
    return UserTurn(turn: state.turns.count + 1, text: label, intent: .stop)
  }

  /// At a menu, the pack's listed replies come first. Elsewhere, words such as "go on with what you
  /// have" end the questions before a listed reply counts.
  private func intent(of text: String) -> ReplyIntent {
    let (words, listed) = (EndingWords(pack.signals), pack.intents.intent(of: text))
    switch state.pending {
    case .offer, .confirmation:
      return listed == .other ? words.intent(of: text, isOffered: true) ?? .other : listed
    case .nothing, .question, .body:
      return words.intent(of: text, isOffered: false) ?? listed
    }
  }

  private func offeredChoice(_ text: String) -> SessionOutput.Choice? {
    let choices: [SessionOutput.Choice] =
      switch state.pending {
      case .offer(let offer):
        pack.offerChoices(offer.kind, translation) + pack.offerChoices(offer.kind)
      case .confirmation: pack.confirmationChoices(translation) + pack.confirmationChoices()
      case .nothing, .question, .body: []
      }
    let typed = text.trimmed.lowercased()
    // Labels count in English, too. A number is that of a choice as it was shown.
    let shown = choices.prefix(choices.count / 2)
    if let number = Int(typed), shown.indices.contains(number - 1) { return shown[number - 1] }
    return choices.first { typed == $0.id.lowercased() || typed == $0.label.lowercased() }
  }
}

extension SessionOutput.Notice {
  /// The user wants to end questions that are over.
  static let nothingToEnd = Self(
    code: "intake-done", level: .info,
    text: "I've finished asking, and you have my summary. /insight shows what I know about you.")
}
