public import FoundationEssentials

/// Where a session's events are kept, in order and permanently.
public protocol SessionLog: Sendable {
  /// All events so far, those of other modules included.
  ///
  /// - Throws: ``UnreadableEvent`` or an error of the log's own if an event can't be read.
  func events() async throws -> [RecordedEvent]

  /// Stores events behind the ones already there, all or none of them.
  ///
  /// They are on disk when this returns. An error means that none was stored, and the
  /// conversation must not go on as if one were.
  func append(_ events: [EventEnvelope], at date: Date) async throws -> [RecordedEvent]
}

extension SessionLog {
  @discardableResult
  public func append(_ events: [IntakeEvent], at date: Date) async throws -> [RecordedEvent] {
    try await append(events.map { EventEnvelope($0) }, at: date)
  }
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

  public func append(
    _ events: [EventEnvelope], at date: Date
  ) throws(UnreadableEvent) -> [RecordedEvent] {
    var new: [RecordedEvent] = []
    for envelope in events {
      new.append(
        try RecordedEvent(
          position: recorded.count + new.count + 1, at: date, envelope: envelope))
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
