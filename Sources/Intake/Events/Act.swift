public import ContextQuality

/// Something that a user message does, with the user's words that do it.
///
/// A reading names the acts; code maps an act and the phase to what follows. A message can do several.
public struct Act: Hashable, Sendable, Codable {
  /// A closed vocabulary. Logs store the raw values permanently.
  public enum Name: String, Hashable, Sendable, Codable, CaseIterable {
    /// Says that what was said back, supposed or proposed is right.
    case agrees
    /// Says what is wrong, missing or to be changed in it.
    case corrects
    /// Says no to it without saying what is wrong.
    case rejects
    /// Wants to decide or continue at another time.
    case postpones
    /// Wants the plan or summary from what is known.
    case goesOn = "goes-on"
    /// Wants to talk more first.
    case talksOn = "talks-on"
    /// Wants no more questions.
    case stops
    /// Will not answer what was asked.
    case declines
    /// Does not know what was asked.
    case unsure
    /// Asks something that wants an answer.
    case asks
    /// At the paywall: wants to subscribe.
    case continues
    /// At the paywall: does not, at least not now.
    case notNow = "not-now"
    /// Tells what was done.
    case reports
    case changesLimit = "changes-limit"
    case endsLimit = "ends-limit"
    case changesGoal = "changes-goal"
    /// Mentions a low moment that should be answered first but is not an emergency.
    case confides
  }

  /// What an act of asking is about.
  public enum Subject: String, Hashable, Sendable, Codable, CaseIterable {
    /// The coach's question: why it is asked, or what it means.
    case question
    /// What was said back or planned, or what the person would have to do.
    case plan
    /// The program itself: its price, its rules, what becomes of data.
    case service
    /// Advice.
    case coaching
  }

  public var name: Name
  /// The user turn, counted from 1.
  public var turn: Int
  public var quote: String
  /// What is asked about; nil for other acts.
  public var about: Subject?
  /// What the user will not tell; nil if that is just what was asked, and for other acts.
  public var facet: Facet?

  public init(
    _ name: Name, turn: Int, quote: String, about: Subject? = nil, facet: Facet? = nil
  ) {
    (self.name, self.turn, self.quote) = (name, turn, quote)
    (self.about, self.facet) = (about, facet)
  }
}

// The acts of one message, or of several that answer the same.
extension [Act] {
  func has(_ names: Act.Name...) -> Bool { contains { names.contains($0.name) } }

  func first(_ name: Act.Name) -> Act? { first { $0.name == name } }

  /// Questions for coaching wait until there is coaching.
  var answeredAtPaywall: [Act] { filter { $0.name != .asks || $0.about != .coaching } }

  /// Whether all that was asked for is declined, and not just a part that is named.
  func declines(_ asked: [Facet]) -> Bool {
    let declined = filter { $0.name == .declines }
    return declined.contains { $0.facet == nil }
      || !declined.isEmpty && Set(asked).isSubset(of: withheld)
  }

  /// What the person will not tell, besides what was asked.
  var withheld: [Facet] { compactMap { $0.name == .declines ? $0.facet : nil } }
}
