/// The result of discovery: the coach's persona, the user's goals, their constraints, and the
/// coaching plan.
///
/// It contains only what the user made clear, so most fields are optional. `missing` names the
/// fields that could not be filled; they never get a default.
public struct CoachingSystem: Hashable, Sendable, Codable {
  /// Who wrote it; nil for a model.
  public var source: ProfileSource?
  public var personaProfile = PersonaProfile()
  public var userGoals = UserGoals()
  public var constraints = Constraints()
  public var coachingPlan = CoachingPlan()
  /// What else is known of the user; nil in profiles from before it was kept.
  public var about: PersonFacts?
  /// The user turns that support each goal and constraint, by JSON Pointer
  /// (`/userGoals/primary`, `/constraints/physical/0`).
  public var restsOn: [String: [Int]] = [:]
  /// The readings that support goals and constraints, by pointer; nil if there are none.
  public var restsOnReadings: [String: [String]]?
  /// The form's answers that support goals and constraints, by pointer; nil if there are none.
  public var restsOnAnswers: [String: [AnswerSupport]]?
  /// Pointers to goals and constraints that neither words, answers nor readings supported. They are left out;
  /// profiles from before that still have them, and they are not shown to the user.
  public var unsupported: [String] = []
  /// Pointers to fields that could not be filled, or about which nothing is known.
  public var missing: [String] = []

  public init(source: ProfileSource? = nil) { self.source = source }
}

/// A form's answer that supports a goal or a constraint.
public struct AnswerSupport: Hashable, Sendable, Codable {
  /// The form's step, such as `injuries`.
  public var step: String
  /// The option's label, the value as it was shown, or the words that say it.
  public var answer: String
  /// The question as the user saw it.
  public var wording: String

  public init(step: String, answer: String, wording: String) {
    (self.step, self.answer, self.wording) = (step, answer, wording)
  }
}

/// The source of a profile that no model wrote.
public enum ProfileSource: String, Hashable, Sendable, Codable {
  /// The rehearsal coach: no model was involved.
  case rehearsal
}

/// The coach's persona for this user.
public struct PersonaProfile: Hashable, Sendable, Codable {
  public struct ToneShift: Hashable, Sendable, Codable {
    public var when: String
    public var tone: String

    public init(when: String, tone: String) { (self.when, self.tone) = (when, tone) }
  }
  public var role: String?
  public var personality: [String]?
  public var philosophy: String?
  public var communicationStyle: String?
  public var toneModulation: [ToneShift]?
  /// Code guarantees this, whatever the model wrote.
  public var medicalDisclaimer: String?

  public init() {}
}

/// What the user wants, by when, and why.
public struct UserGoals: Hashable, Sendable, Codable {
  public var primary: String?
  public var timeline: String?
  public var deeper: String?
  public var milestones: [String]?

  public init() {}
}

/// What is known of the user besides goals and limits. Code fills it in from what was said, so nothing in it is
/// a model's wording.
public struct PersonFacts: Hashable, Sendable, Codable {
  /// In years.
  public var age: Int?
  public var heightCentimetres: Double?
  public var weightKilograms: Double?
  /// Medical facts and limits, in the user's words.
  public var medical: [String] = []
  /// The user's other words, by facet, such as `lifestyle.recovery`.
  public var said: [String: [String]] = [:]
  /// Words to remember: names, dates, promises, who sent them.
  public var notes: [String] = []

  public init() {}
}

/// The limits that coaching has to work within.
public struct Constraints: Hashable, Sendable, Codable {
  public var physical: [Constraint] = []
  public var time: [Constraint] = []
  public var resources: [Constraint] = []
  public var temporary: [Constraint] = []

  public init() {}
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
  /// The first day of something that is still to come, `yyyy-MM-dd`.
  public var startsAt: String?
  /// The last day of something that passes, `yyyy-MM-dd`.
  public var expiresAt: String?

  public init(
    type: String, detail: String, severity: String? = nil, limitations: [String]? = nil,
    impact: String? = nil, availability: String? = nil, notedAt: String, startsAt: String? = nil,
    expiresAt: String? = nil
  ) {
    self.type = type
    self.detail = detail
    self.severity = severity
    self.limitations = limitations
    self.impact = impact
    self.availability = availability
    self.notedAt = notedAt
    (self.startsAt, self.expiresAt) = (startsAt, expiresAt)
  }
}

public struct CoachingPlan: Hashable, Sendable, Codable {
  public var approach: String?
  /// How often the user wants to hear from the coach, such as `weekly` or `after each block of shifts`.
  public var checkInFrequency: String?
  /// At most three.
  public var initialFocus: [String]?
  public var styleNotes: [String]?
  public var redFlags: [String]?
  public var firstAction: String?

  public init() {}
}
