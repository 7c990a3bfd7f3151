extension IntakeEvent {
  /// The kind of an event, as it stands under `type`.
  public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
    case started, greeted, userSaid, scored, cared, asked, offered, bodyAsked, bodyNoted
    case synthesised, summarised, discoveryCompleted, paywallShown, paywallDeclined, messageHeld
    case entitled, coached, healthNoted, healthWithdrawn
  }

  public var kind: Kind {
    switch self {
    case .started: .started
    case .greeted: .greeted
    case .userSaid: .userSaid
    case .scored: .scored
    case .cared: .cared
    case .asked: .asked
    case .offered: .offered
    case .bodyAsked: .bodyAsked
    case .bodyNoted: .bodyNoted
    case .synthesised: .synthesised
    case .summarised: .summarised
    case .discoveryCompleted: .discoveryCompleted
    case .paywallShown: .paywallShown
    case .paywallDeclined: .paywallDeclined
    case .messageHeld: .messageHeld
    case .entitled: .entitled
    case .coached: .coached
    case .healthNoted: .healthNoted
    case .healthWithdrawn: .healthWithdrawn
    }
  }

  private var payload: (any Encodable)? {
    switch self {
    case .started(let payload): payload
    case .greeted(let payload), .summarised(let payload), .coached(let payload): payload
    case .userSaid(let payload): payload
    case .scored(let payload): payload
    case .cared(let payload): payload
    case .asked(let payload): payload
    case .offered(let payload): payload
    case .bodyAsked(let payload): payload
    case .bodyNoted(let payload): payload
    case .synthesised(let payload): payload
    case .messageHeld(let payload): payload
    case .entitled(let payload): payload
    case .healthNoted(let payload): payload
    case .discoveryCompleted, .paywallShown, .paywallDeclined, .healthWithdrawn: nil
    }
  }
}

extension IntakeEvent: SessionEvent {
  public static func version(of kind: Kind) -> Int { 1 }

  private enum Key: String, CodingKey { case type }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    switch try container.decode(Kind.self, forKey: .type) {
    case .started: self = .started(try SessionStart(from: decoder))
    case .greeted: self = .greeted(try CoachReply(from: decoder))
    case .userSaid: self = .userSaid(try UserTurn(from: decoder))
    case .scored: self = .scored(try Scoring(from: decoder))
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
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(kind, forKey: .type)
    try payload?.encode(to: encoder)
  }
}
