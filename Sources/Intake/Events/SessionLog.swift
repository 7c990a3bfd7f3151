public import FoundationEssentials

/// Where a session's events are kept, in order, for ever.
public protocol SessionLog: Sendable {
  /// All events so far.
  func events() async throws -> [RecordedEvent]

  /// Stores events behind the ones already there, all or none of them.
  ///
  /// They are on disk when this returns. An error means that none was stored, and the
  /// conversation must not go on as if one were.
  func append(_ events: [IntakeEvent], at date: Date) async throws -> [RecordedEvent]
}

/// The right to go on after discovery. Nothing in a conversation moves it.
public protocol EntitlementProvider: Sendable {
  /// The entitlement in force; nil before there is one.
  func current() async throws -> Entitlement?

  /// Grants one. The local stub takes no money.
  func subscribe(at date: Date) async throws -> Entitlement
}

/// A log that lives as long as the process; for trying things and for tests.
public actor InMemorySessionLog: SessionLog {
  private var recorded: [RecordedEvent]

  public init(_ events: [RecordedEvent] = []) { recorded = events }

  public func events() -> [RecordedEvent] { recorded }

  public func append(_ events: [IntakeEvent], at date: Date) -> [RecordedEvent] {
    let new = events.enumerated().map { offset, event in
      RecordedEvent(position: recorded.count + offset + 1, at: date, event: event)
    }
    recorded += new
    return new
  }
}

/// An entitlement that lives as long as the process.
public actor InMemoryEntitlement: EntitlementProvider {
  private var entitlement: Entitlement?

  public init(_ entitlement: Entitlement? = nil) { self.entitlement = entitlement }

  public func current() -> Entitlement? { entitlement }

  public func subscribe(at date: Date) -> Entitlement {
    let granted = entitlement ?? Entitlement(source: "stub", grantedAt: date)
    entitlement = granted
    return granted
  }
}
