/// Where in a conversation a message stands, which decides what it can do.
public enum ActMoment: String, CaseIterable, Sendable {
  /// After a question of the coach's.
  case question
  /// After the offer to continue with what is known, or to keep talking.
  case offer
  /// After the coach has said back what it understood.
  case summary
  /// Where the free part ends.
  case wall
  /// In the coaching that follows, after the coach has asked or proposed something.
  case coaching
}

/// What a message does, as far as ``ActReader`` can tell.
///
/// Acts have the names of ``names``.
public struct ActReading: Sendable {
  /// What the message surely does.
  public var sure: [String]
  /// What else it may do: neither sure nor ruled out.
  public var possible: [String]

  public init(sure: [String] = [], possible: [String] = []) {
    (self.sure, self.possible) = (sure, possible)
  }

  /// Whether nothing that would change the course of the conversation is in doubt. A message that
  /// surely does nothing is decided, too.
  public var isDecided: Bool { !possible.contains(where: Self.changesCourse) }

  /// Every act that the reader knows, in the model's order.
  public static let names = [
    "agrees", "corrects", "rejects", "postpones", "goes-on", "talks-on", "stops", "declines",
    "unsure", "asks-reason", "asks-plan", "asks-service", "asks-coaching", "continues", "not-now",
    "reports", "changes-limit", "ends-limit", "changes-goal", "low",
  ]

  /// Leaves what moves the conversation on in doubt.
  mutating func withdrawConsent(at moment: ActMoment) {
    guard let place = sure.firstIndex(of: moment.consent) else { return }
    possible.append(sure.remove(at: place))
  }

  /// The others only add to what is known.
  private static func changesCourse(_ act: String) -> Bool {
    !["reports", "changes-limit", "ends-limit", "changes-goal"].contains(act)
  }
}

extension ActMoment {
  /// What moves the conversation on.
  fileprivate var consent: String {
    switch self {
    case .question: "stops"
    case .offer: "goes-on"
    case .summary, .coaching: "agrees"
    case .wall: "continues"
    }
  }
}
