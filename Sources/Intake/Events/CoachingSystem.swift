/// What discovery comes to: who the coach is for this person, what they want, what holds them
/// back, and how it will go.
///
/// Every part is optional because it is written only from what was understood: what could not be
/// had is named in `missing`, never filled with a default.
public struct CoachingSystem: Hashable, Sendable, Codable {
  /// Who wrote it; nil if a model did.
  public var source: ProfileSource?
  public var personaProfile: PersonaProfile
  public var userGoals: UserGoals
  public var constraints: Constraints
  public var coachingPlan: CoachingPlan
  /// The user turns that each goal and constraint rests on, by JSON Pointer
  /// (`/userGoals/primary`, `/constraints/physical/0`).
  public var restsOn: [String: [Int]]
  /// The readings that goals and constraints rest on, by pointer; nil if there are none.
  public var restsOnReadings: [String: [String]]?
  /// Pointers of goals and constraints that rest on neither words nor readings; kept for the record,
  /// left out of what the user is shown.
  public var unsupported: [String]
  /// Pointers of fields that could not be had.
  public var missing: [String]

  public init(
    source: ProfileSource? = nil,
    personaProfile: PersonaProfile = PersonaProfile(), userGoals: UserGoals = UserGoals(),
    constraints: Constraints = Constraints(), coachingPlan: CoachingPlan = CoachingPlan(),
    restsOn: [String: [Int]] = [:], restsOnReadings: [String: [String]]? = nil,
    unsupported: [String] = [], missing: [String] = []
  ) {
    self.source = source
    self.personaProfile = personaProfile
    self.userGoals = userGoals
    self.constraints = constraints
    self.coachingPlan = coachingPlan
    self.restsOn = restsOn
    self.restsOnReadings = restsOnReadings
    self.unsupported = unsupported
    self.missing = missing
  }
}

/// Where a profile comes from, if not from a model.
public enum ProfileSource: String, Hashable, Sendable, Codable {
  /// The rehearsal coach: no model was involved.
  case rehearsal
}

/// Who the coach is for this person. Written once; it does not change.
public struct PersonaProfile: Hashable, Sendable, Codable {
  public struct ToneShift: Hashable, Sendable, Codable {
    public var when: String
    public var tone: String

    public init(when: String, tone: String) {
      self.when = when
      self.tone = tone
    }
  }
  public var role: String?
  public var personality: [String]?
  public var philosophy: String?
  public var communicationStyle: String?
  public var toneModulation: [ToneShift]?
  /// Guaranteed by code, whatever the model wrote.
  public var medicalDisclaimer: String?

  public init(
    role: String? = nil, personality: [String]? = nil, philosophy: String? = nil,
    communicationStyle: String? = nil, toneModulation: [ToneShift]? = nil,
    medicalDisclaimer: String? = nil
  ) {
    self.role = role
    self.personality = personality
    self.philosophy = philosophy
    self.communicationStyle = communicationStyle
    self.toneModulation = toneModulation
    self.medicalDisclaimer = medicalDisclaimer
  }
}

/// What the person wants, by when, and what is underneath it.
public struct UserGoals: Hashable, Sendable, Codable {
  public var primary: String?
  public var timeline: String?
  public var deeper: String?
  public var milestones: [String]?

  public init(
    primary: String? = nil, timeline: String? = nil, deeper: String? = nil,
    milestones: [String]? = nil
  ) {
    self.primary = primary
    self.timeline = timeline
    self.deeper = deeper
    self.milestones = milestones
  }
}

/// What the coaching has to live with.
public struct Constraints: Hashable, Sendable, Codable {
  public var physical: [Constraint]
  public var time: [Constraint]
  public var resources: [Constraint]
  public var temporary: [Constraint]

  public init(
    physical: [Constraint] = [], time: [Constraint] = [], resources: [Constraint] = [],
    temporary: [Constraint] = []
  ) {
    self.physical = physical
    self.time = time
    self.resources = resources
    self.temporary = temporary
  }
}

public struct Constraint: Hashable, Sendable, Codable {
  public var type: String
  public var detail: String
  public var severity: String?
  public var limitations: [String]?
  public var impact: String?
  public var availability: String?
  /// The day it was noted, `yyyy-MM-dd`.
  public var notedAt: String
  /// The day it lapses, `yyyy-MM-dd`.
  public var expiresAt: String?

  public init(
    type: String, detail: String, severity: String? = nil, limitations: [String]? = nil,
    impact: String? = nil, availability: String? = nil, notedAt: String, expiresAt: String? = nil
  ) {
    self.type = type
    self.detail = detail
    self.severity = severity
    self.limitations = limitations
    self.impact = impact
    self.availability = availability
    self.notedAt = notedAt
    self.expiresAt = expiresAt
  }
}

public struct CoachingPlan: Hashable, Sendable, Codable {
  public enum CheckInFrequency: String, Hashable, Sendable, Codable, CaseIterable {
    case daily, twiceWeekly, weekly, asNeeded
  }
  public var approach: String?
  public var checkInFrequency: CheckInFrequency?
  /// At most three.
  public var initialFocus: [String]?
  public var styleNotes: [String]?
  public var redFlags: [String]?
  public var firstAction: String?

  public init(
    approach: String? = nil, checkInFrequency: CheckInFrequency? = nil,
    initialFocus: [String]? = nil, styleNotes: [String]? = nil, redFlags: [String]? = nil,
    firstAction: String? = nil
  ) {
    self.approach = approach
    self.checkInFrequency = checkInFrequency
    self.initialFocus = initialFocus
    self.styleNotes = styleNotes
    self.redFlags = redFlags
    self.firstAction = firstAction
  }
}
