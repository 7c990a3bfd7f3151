public import ContextQuality
public import Signals

/// A made-up person with facts that a coach has to find out, and how they would tell them.
public struct Persona: Hashable, Sendable {
  /// Whether anything may be adjusted by what comes out for this person.
  public enum Use: String, Hashable, Sendable, CaseIterable { case tuning, measuring }

  /// How somebody writes.
  public enum Register: String, Hashable, Sendable, CaseIterable {
    case smsSteps = "sms-steps"
    case forumLong = "forum-long"
    case dictated, hedged, telegraphic
    case secondLanguage = "second-language"
    case clinical, slang, ambivalent, distracted
  }

  /// How much somebody says at the moment.
  public enum Mood: String, Hashable, Sendable, CaseIterable {
    case open, plain, brief, guarded, low
  }

  /// When the persona tells a fact.
  public enum Willingness: String, Hashable, Sendable, CaseIterable {
    /// Right away, asked or not.
    case atOnce
    /// In answer to a question about its component.
    case asked
    /// In answer to the second question about its component.
    case askedTwice
    /// Never in answer to a direct question, only along with another component.
    case inPassing
  }

  /// Something about the person that the coach does not know yet.
  public struct Fact: Hashable, Sendable {
    public var facet: Facet
    /// The person's words for it.
    public var says: String
    public var willing = Willingness.asked
    /// What they say instead as long as they hold it back.
    public var partly: String?
    /// The component with which the persona tells a fact in passing.
    public var with: String?
    /// Whether nobody should coach this person without knowing it.
    public var matters = false
  }

  /// Words that call for care, or that only sound as if they did.
  public struct Distress: Hashable, Sendable {
    /// The message in which they come, counted from 1.
    public var turn: Int
    public var says: String
    /// The care that is due; nil for none.
    public var care: CareKind?
    /// The answer to the coach's fixed text.
    public var after: String?
  }

  /// The person's own ways of telling nothing.
  public struct Phrases: Hashable, Sendable {
    public var sidestep: [String]
    public var question: [String]
    public var bare: [String]
    public var nothing: [String]
    /// What comes before words that they have said already.
    public var again: [String]
  }

  public struct MoodChange: Hashable, Sendable {
    /// The message from which it holds, counted from 1.
    public var from: Int
    public var mood: Mood
  }

  public var name: String
  public var about: String
  public var use: Use
  /// A language code, such as `en`.
  public var language: String
  public var register: Register
  public var moods: [MoodChange]
  /// How often they choose to keep talking when the coach offers to wrap up.
  public var patience: Int
  /// How they begin. It tells no fact.
  public var opening: String?
  /// In the rubric's order.
  public var facts: [Fact]
  /// What they say instead of answering, by component.
  public var refuses: [String: String]
  public var distress: [Distress]
  public var phrases: Phrases
  /// What they do over the days after the first conversation; nil for nothing.
  public var month: PersonaMonth?

  public func mood(at turn: Int) -> Mood {
    moods.last { $0.from <= turn }?.mood ?? .plain
  }

  func fact(_ facet: Facet) -> Fact? { facts.first { $0.facet == facet } }
}

/// What somebody does over the days after the first conversation, and tells the coach about.
public struct PersonaMonth: Hashable, Sendable {
  public enum Doing: String, Hashable, Sendable, CaseIterable {
    case trains, skips, ill, weighs, talks
  }

  public struct Visit: Hashable, Sendable {
    /// Days since the first conversation, from 1.
    public var day: Int
    public var does: Doing
    /// What they write, one message after the other.
    public var says: [String]
  }

  /// The first day, as `2026-03-02`.
  public var startsOn: String
  public var visits: [Visit]
  /// The answers to the coach's reviews, used in turn.
  public var reviews: [String]
  /// The answers to its questions about limits, used in turn.
  public var limits: [String]
  /// The answers to what it supposes, used in turn.
  public var supposed: [String]
}
