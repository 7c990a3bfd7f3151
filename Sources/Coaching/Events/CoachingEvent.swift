public import Intake
public import Plans

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
    case coachingNoted, coachingCorrected, coachingRemoved, coachingUnitsChosen
    case coachingConstraintProposed, coachingConstraintAsked, coachingConstraintSettled
    case coachingReviewed, coachingProposalAnswered, coachingReviewAnswered, coachingGoalChanged
  }

  public static func version(of kind: Kind) -> Int { 1 }

  public var kind: Kind { content.kind }

  private var content: (kind: Kind, payload: any Encodable) {
    switch self {
    case .noted(let entry): (.coachingNoted, entry)
    case .corrected(let entry): (.coachingCorrected, entry)
    case .removed(let entry): (.coachingRemoved, ["entry": entry])
    case .unitsChosen(let units): (.coachingUnitsChosen, ["units": units])
    case .constraintProposed(let constraint): (.coachingConstraintProposed, constraint)
    case .constraintAsked(let question): (.coachingConstraintAsked, question)
    case .constraintSettled(let answer): (.coachingConstraintSettled, answer)
    case .reviewed(let review): (.coachingReviewed, review)
    case .proposalAnswered(let answer): (.coachingProposalAnswered, answer)
    case .reviewAnswered(let answer): (.coachingReviewAnswered, answer)
    case .goalChanged(let change): (.coachingGoalChanged, change)
    }
  }

  private enum Key: String, CodingKey { case type, entry, units }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    switch try container.decode(Kind.self, forKey: .type) {
    case .coachingNoted: self = .noted(try LogEntry(from: decoder))
    case .coachingCorrected: self = .corrected(try LogEntry(from: decoder))
    case .coachingRemoved: self = .removed(entry: try container.decode(Int.self, forKey: .entry))
    case .coachingUnitsChosen: self = .unitsChosen(try container.decode(Units.self, forKey: .units))
    case .coachingConstraintProposed: self = .constraintProposed(try KeptConstraint(from: decoder))
    case .coachingConstraintAsked: self = .constraintAsked(try ConstraintQuestion(from: decoder))
    case .coachingConstraintSettled: self = .constraintSettled(try ConstraintAnswer(from: decoder))
    case .coachingReviewed: self = .reviewed(try Review(from: decoder))
    case .coachingProposalAnswered: self = .proposalAnswered(try ProposalAnswer(from: decoder))
    case .coachingReviewAnswered: self = .reviewAnswered(try ReviewAnswer(from: decoder))
    case .coachingGoalChanged: self = .goalChanged(try GoalChange(from: decoder))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    let content = content
    try container.encode(content.kind, forKey: .type)
    try content.payload.encode(to: encoder)
  }
}

extension CoachingEvent {
  /// The entry that it notes or corrects; nil for any other event.
  var entry: LogEntry? {
    switch self {
    case .noted(let entry), .corrected(let entry): entry
    default: nil
    }
  }
}
