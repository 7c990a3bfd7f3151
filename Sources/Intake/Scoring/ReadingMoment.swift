/// What the messages that are read answer, as the program tells the reader.
enum ReadingMoment: String {
  case question, offer, body, summary, paywall, coaching

  init(_ state: IntakeState) {
    self =
      switch state.phase.name {
      case .greeting, .discovering: .question
      case .offering: .offer
      case .askingForMeasurements: .body
      case .confirming: .summary
      case .atPaywall: .paywall
      case .coaching: .coaching
      }
  }

  /// Whether what the message does counts most there, so that a short request is enough.
  var isShort: Bool {
    switch self {
    case .offer, .body, .summary, .paywall: true
    case .question, .coaching: false
    }
  }
}
