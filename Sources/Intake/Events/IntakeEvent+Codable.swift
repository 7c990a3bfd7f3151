import Signals

extension IntakeEvent {
  /// The kind of an event, as encoded under `type`.
  public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
    case started, greeted, userSaid, scored, cared, asked, offered, bodyAsked, bodyNoted
    case synthesised, summarised, discoveryCompleted, paywallShown, paywallDeclined, messageHeld
    case entitled, coached, healthNoted, healthWithdrawn, answered
    case supposed, settled, replied, amended
  }

  public var kind: Kind { content.kind }

  private var content: (kind: Kind, payload: (any Encodable)?) {
    switch self {
    case .started(let payload): (.started, payload)
    case .greeted(let payload): (.greeted, payload)
    case .userSaid(let payload): (.userSaid, payload)
    case .scored(let payload): (.scored, payload)
    case .cared(let payload): (.cared, payload)
    case .asked(let payload): (.asked, payload)
    case .offered(let payload): (.offered, payload)
    case .bodyAsked(let payload): (.bodyAsked, payload)
    case .bodyNoted(let payload): (.bodyNoted, payload)
    case .synthesised(let payload): (.synthesised, payload)
    case .summarised(let payload): (.summarised, payload)
    case .discoveryCompleted: (.discoveryCompleted, nil)
    case .paywallShown: (.paywallShown, nil)
    case .paywallDeclined: (.paywallDeclined, nil)
    case .messageHeld(let payload): (.messageHeld, payload)
    case .entitled(let payload): (.entitled, payload)
    case .coached(let payload): (.coached, payload)
    case .healthNoted(let payload): (.healthNoted, payload)
    case .healthWithdrawn: (.healthWithdrawn, nil)
    case .answered(let payload): (.answered, payload)
    case .supposed(let payload): (.supposed, payload)
    case .settled(let payload): (.settled, payload)
    case .replied(let payload): (.replied, payload)
    case .amended(let payload): (.amended, payload)
    }
  }
}

extension IntakeEvent: SessionEvent {
  /// Version 2 of `userSaid` leaves `intent` out where the reading tells what the message does, and
  /// version 2 of `scored` tells it under `acts`. In version 3 of `scored`, evidence adds to what is known of
  /// its facet unless it says what it corrects. `messageHeld` 2 names the turn that holds the words.
  public static func version(of kind: Kind) -> Int {
    switch kind {
    case .scored: 3
    case .userSaid, .messageHeld: 2
    default: 1
    }
  }

  private enum Key: String, CodingKey { case type }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    switch try container.decode(Kind.self, forKey: .type) {
    case .started: self = .started(try SessionStart(from: decoder))
    case .greeted: self = .greeted(try CoachReply(from: decoder))
    case .userSaid:
      var turn = try UserTurn(from: decoder)
      if decoder.eventVersion == 1 { turn.intent = turn.intent ?? .other }
      self = .userSaid(turn)
    case .scored:
      var scoring = try Scoring(from: decoder)
      if let version = decoder.eventVersion {
        scoring.addsUp = version >= 3
        if version == 1 { scoring.acts = nil }
      }
      self = .scored(scoring)
    case .cared: self = .cared(try CareAnswer(from: decoder))
    case .asked: self = .asked(try Question(from: decoder))
    case .offered: self = .offered(try Offer(from: decoder))
    case .bodyAsked: self = .bodyAsked(try BodyQuestion(from: decoder))
    case .bodyNoted: self = .bodyNoted(try BodyNote(from: decoder))
    case .synthesised: self = .synthesised(try Synthesis(from: decoder))
    case .summarised: self = .summarised(try CoachReply(from: decoder))
    case .discoveryCompleted: self = .discoveryCompleted
    case .paywallShown: self = .paywallShown
    case .paywallDeclined: self = .paywallDeclined
    case .messageHeld: self = .messageHeld(try HeldMessage(from: decoder))
    case .entitled: self = .entitled(try Entitlement(from: decoder))
    case .coached: self = .coached(try CoachReply(from: decoder))
    case .healthNoted: self = .healthNoted(try HealthNote(from: decoder))
    case .healthWithdrawn: self = .healthWithdrawn
    case .answered: self = .answered(try FormAnswer(from: decoder))
    case .supposed: self = .supposed(try Hypothesis(from: decoder))
    case .settled: self = .settled(try HypothesisAnswer(from: decoder))
    case .replied: self = .replied(try Aside(from: decoder))
    case .amended: self = .amended(try Amendment(from: decoder))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    let content = content
    try container.encode(content.kind, forKey: .type)
    try content.payload?.encode(to: encoder)
  }
}
