public import Intake

/// Chooses what the user of a recorded conversation says in a live one that takes its own course.
/// It never awaits and reads no clock.
public struct LiveDriver: Sendable {
  public enum Move: Hashable, Sendable {
    case say(String, wait: Double)
    case stop
  }

  private var lines: [LiveScript.Line]
  /// How many lines of the script have been said.
  public private(set) var linesSaid = 0
  private var askedToTalk = false
  private var agreements = 0

  /// Ids of the choices in an offer and a summary; every pack understands them.
  static let goAhead = "goAhead"
  static let keepTalking = "keepTalking"
  /// How often to confirm a summary that does not end the discovery.
  private static let mostAgreements = 3

  public init(_ script: LiveScript) { lines = script.lines }

  /// - Parameter state: The session's state when it is the user's turn.
  public mutating func next(_ state: IntakeState) -> Move {
    let hadAskedToTalk = askedToTalk
    askedToTalk = false
    switch state.shownPhase {
    case .paywall, .coaching: return .stop
    case .offer: return answerToOffer(hadAskedToTalk)
    case .confirmation: return said(.summary) ?? agreement()
    case .discovery:
      if case .body = state.pending { return said(.body) ?? .say("skip", wait: 0) }
      return said(.talk) ?? said(.body) ?? said(.summary) ?? .stop
    }
  }

  /// An offer that stays up after "keep talking" is answered with the next line, which means the
  /// same and cannot loop forever.
  private mutating func answerToOffer(_ hadAskedToTalk: Bool) -> Move {
    guard lines.contains(where: { $0.occasion == .talk }) else {
      return .say(Self.goAhead, wait: 0)
    }
    if hadAskedToTalk, let line = said(.talk) { return line }
    askedToTalk = true
    return .say(Self.keepTalking, wait: 0)
  }

  private mutating func agreement() -> Move {
    agreements += 1
    return agreements > Self.mostAgreements ? .stop : .say(Self.goAhead, wait: 0)
  }

  private mutating func said(_ occasion: LiveScript.Line.Occasion) -> Move? {
    guard let index = lines.firstIndex(where: { $0.occasion == occasion }) else { return nil }
    let line = lines.remove(at: index)
    linesSaid += 1
    return .say(line.text, wait: line.wait)
  }
}
