import ContextQuality
import IncrementalJSON

/// What must be answered with care before anything else, the most urgent first.
public enum CareKind: String, Hashable, Sendable, Codable, CaseIterable {
  case emergency
  case crisis
  case eatingDisorder = "eating-disorder"
  case minor
  case medical
  /// A wish for something unsafe: doses, sources, starving, drying out.
  case decline
}

/// What the net caught.
public struct CareFinding: Hashable, Sendable, Codable {
  public var kind: CareKind
  /// The text that answers it, such as `crisis-abuse`.
  public var name: String
  /// False where it is about somebody else, as a diet for a child is.
  public var concernsUser: Bool

  public init(kind: CareKind, name: String, concernsUser: Bool) {
    self.kind = kind
    self.name = name
    self.concernsUser = concernsUser
  }
}
