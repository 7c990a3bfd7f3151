/// The two answers to the paywall. Only these exact words or numbers count.
public enum PaywallChoice: Hashable, Sendable {
  case `continue`, notNow

  public init?(_ line: String) {
    switch line.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ") {
    case "1", "continue", "continue my coaching journey", "[continue my coaching journey]":
      self = .continue
    case "2", "not now", "notnow", "[not now]": self = .notNow
    default: return nil
    }
  }
}
