public import FoundationEssentials

/// What is kept about a person beside their conversations.
public struct PersonSettings: Hashable, Sendable {
  /// `metric` or `imperial`.
  public var units: String?
  /// An IANA name, such as `Europe/Berlin`.
  public var timeZone: String?
  /// A BCP 47 tag, such as `de`.
  public var language: String?
  /// The versions of the terms and the privacy notice that the person agreed to.
  public var terms: String?
  public var privacy: String?
  public var consentedAt: Date?

  public init() {}

  /// What changes by itself, by its name in the store and in requests.
  public enum Name: String, Hashable, Sendable, CaseIterable {
    case units
    case timeZone = "time_zone"
    case language, terms, privacy
  }
}

/// What was deleted with a person.
public struct DeletionReceipt: Hashable, Sendable {
  public var person: PersonID
  public var at: Date
  public var sessions: Int
  public var events: Int
  public var hadHealth: Bool
  public var hadEntitlement: Bool

  package init(person: PersonID, at date: Date) {
    (self.person, at) = (person, date)
    (sessions, events, hadHealth, hadEntitlement) = (0, 0, false, false)
  }
}
