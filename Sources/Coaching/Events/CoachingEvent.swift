public import Intake
public import Journeys

/// Something that happened in coaching, in the session's log beside the intake's events.
public enum CoachingEvent: Hashable, Sendable {
  case noted(LogEntry)
  /// The entry with this number now says this.
  case corrected(LogEntry)
  case removed(entry: Int)
  case unitsChosen(Units)
  case constraintProposed(KeptConstraint)
  case constraintAsked(ConstraintQuestion)
  case constraintSettled(ConstraintAnswer)
  case reviewed(Review)
  case proposalAnswered(ProposalAnswer)
  case reviewAnswered(ReviewAnswer)
  case goalChanged(GoalChange)
}

extension CoachingEvent: SessionEvent {
  public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
    case noted = "coachingNoted"
    case corrected = "coachingCorrected"
    case removed = "coachingRemoved"
    case unitsChosen = "coachingUnitsChosen"
    case constraintProposed = "coachingConstraintProposed"
    case constraintAsked = "coachingConstraintAsked"
    case constraintSettled = "coachingConstraintSettled"
    case reviewed = "coachingReviewed"
    case proposalAnswered = "coachingProposalAnswered"
    case reviewAnswered = "coachingReviewAnswered"
    case goalChanged = "coachingGoalChanged"
  }

  public static func version(of kind: Kind) -> Int { 1 }

  public var kind: Kind {
    switch self {
    case .noted: .noted
    case .corrected: .corrected
    case .removed: .removed
    case .unitsChosen: .unitsChosen
    case .constraintProposed: .constraintProposed
    case .constraintAsked: .constraintAsked
    case .constraintSettled: .constraintSettled
    case .reviewed: .reviewed
    case .proposalAnswered: .proposalAnswered
    case .reviewAnswered: .reviewAnswered
    case .goalChanged: .goalChanged
    }
  }

  private enum Key: String, CodingKey { case type, entry, units }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    switch try container.decode(Kind.self, forKey: .type) {
    case .noted: self = .noted(try LogEntry(from: decoder))
    case .corrected: self = .corrected(try LogEntry(from: decoder))
    case .removed: self = .removed(entry: try container.decode(Int.self, forKey: .entry))
    case .unitsChosen: self = .unitsChosen(try container.decode(Units.self, forKey: .units))
    case .constraintProposed: self = .constraintProposed(try KeptConstraint(from: decoder))
    case .constraintAsked: self = .constraintAsked(try ConstraintQuestion(from: decoder))
    case .constraintSettled: self = .constraintSettled(try ConstraintAnswer(from: decoder))
    case .reviewed: self = .reviewed(try Review(from: decoder))
    case .proposalAnswered: self = .proposalAnswered(try ProposalAnswer(from: decoder))
    case .reviewAnswered: self = .reviewAnswered(try ReviewAnswer(from: decoder))
    case .goalChanged: self = .goalChanged(try GoalChange(from: decoder))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(kind, forKey: .type)
    switch self {
    case .noted(let payload), .corrected(let payload): try payload.encode(to: encoder)
    case .removed(let entry): try container.encode(entry, forKey: .entry)
    case .unitsChosen(let units): try container.encode(units, forKey: .units)
    case .constraintProposed(let payload): try payload.encode(to: encoder)
    case .constraintAsked(let payload): try payload.encode(to: encoder)
    case .constraintSettled(let payload): try payload.encode(to: encoder)
    case .reviewed(let payload): try payload.encode(to: encoder)
    case .proposalAnswered(let payload): try payload.encode(to: encoder)
    case .reviewAnswered(let payload): try payload.encode(to: encoder)
    case .goalChanged(let payload): try payload.encode(to: encoder)
    }
  }
}

extension CoachingEvent {
  /// The number of the entry that it corrects; nil for any other event.
  var corrected: Int? {
    if case .corrected(let entry) = self { entry.number } else { nil }
  }
}
