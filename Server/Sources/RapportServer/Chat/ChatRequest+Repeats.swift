import Intake
import SessionStore

// Requests that clients send again.
extension ChatRequest {
  /// The position after which this very request was stored; nil if it was not.
  func position(in events: [RecordedEvent], _ pack: PromptPack) -> Int? {
    if let repeatedPosition { return repeatedPosition - 1 }
    guard let clientMessageID else { return nil }
    // The request that begins a conversation names it.
    if act == .firstMessage { return conversation == nil && !events.isEmpty ? 0 : nil }
    return ChatRequestLog.positions(before: clientMessageID, in: events).first { position in
      isStored(after: position, in: events, pack)
    }
  }

  /// Whether the message behind a request's name is this one. Other words under the same name are another
  /// message, which must not be lost.
  private func isStored(
    after position: Int, in events: [RecordedEvent], _ pack: PromptPack
  ) -> Bool {
    guard let text else { return true }
    for recorded in events where recorded.position > position {
      if let message = StoredMessage(recorded), !message.isFromCoach {
        return message.text.withoutOuterBlanks == text.withoutOuterBlanks
      }
      switch recorded.event {
      case .paywallDeclined, .entitled: return pack.answersPaywall(text)
      default: continue
      }
    }
    return true
  }

  /// Whether the reply to this very request is the one that is being written.
  func isRepeated(in run: Run) -> Bool {
    let isNamed = clientMessageID != nil && clientMessageID == run.clientMessageID
    return (isNamed || takesRepeats) && text == run.said
  }
}
