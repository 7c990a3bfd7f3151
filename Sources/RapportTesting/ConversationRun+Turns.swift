public import ContextQuality
import Intake

extension ConversationRun {
  /// The results of a user turn.
  public struct Turn: Sendable {
    public var turn: Int
    public var text: String
    public var components: ContextComponents
    public var new: [Facet]
    /// The components that the next question is about.
    public var asks: [String]
    /// Everything the coach replied.
    public var reply: String

    /// Whether the reply contains the text, ignoring case.
    func replies(_ text: String) -> Bool { reply.lowercased().contains(text.lowercased()) }

    /// The user's words, shortened.
    var quoted: String {
      text.count > 60 ? "\u{201C}\(text.prefix(60))…\u{201D}" : "\u{201C}\(text)\u{201D}"
    }
  }

  /// Counted from 1; nil if there was no such turn.
  public func turn(_ number: Int) -> Turn? { turns.first { $0.turn == number } }

  /// The results of each user turn, from the events before the next one.
  public var turns: [Turn] {
    guard let state else { return [] }
    var turns: [Turn] = []
    var ledger = Ledger()
    var replay = state.atStart
    for recorded in events {
      replay.apply(recorded)
      switch recorded.event {
      case .userSaid(let said):
        turns.append(
          Turn(
            turn: said.turn, text: said.text, components: replay.components(), new: [], asks: [],
            reply: ""))
      case .asked(let question): turns.updateLast { $0.asks = question.components }
      default: break
      }
      let fresh = replay.ledger.known.subtracting(ledger.known)
      ledger = replay.ledger
      turns.updateLast { turn in
        turn.components = replay.components()
        turn.new += fresh.sorted()
        if let said = recorded.event?.saidByCoach { turn.reply += said + "\n" }
      }
    }
    return turns
  }
}

extension [ConversationRun.Turn] {
  fileprivate mutating func updateLast(_ change: (inout ConversationRun.Turn) -> Void) {
    if !isEmpty { change(&self[count - 1]) }
  }
}

extension IntakeEvent {
  /// Nil if the coach said nothing with it.
  fileprivate var saidByCoach: String? {
    switch self {
    case .greeted(let reply), .summarised(let reply), .coached(let reply): reply.text
    case .asked(let question): question.reply.text
    case .cared(let answer): answer.text
    case .offered(let offer): offer.text
    case .bodyAsked(let question): question.text
    default: nil
    }
  }
}

extension SessionOutput {
  /// The texts that a view prints.
  var shownTexts: [String] {
    switch self {
    // A message's content arrived in pieces before.
    case .delta: []
    case .message(let message): [message.text]
    case .notice(let notice): [notice.text]
    case .choices(let choices): choices.map(\.label)
    case .profile, .scored, .understood, .waiting, .starters, .done: []
    case .paywall(let paywall):
      [paywall.title, paywall.insight, paywall.note] + paywall.options.map(\.label)
    case .resumed(let resumed): [resumed.lastMessage]
    }
  }
}
