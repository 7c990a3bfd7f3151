public import FoundationEssentials

/// Stores a session's events permanently, in order.
public protocol SessionLog: Sendable {
  /// All events so far, including those of other modules.
  ///
  /// - Throws: ``UnreadableEvent`` or a log-specific error if an event cannot be read.
  func events() async throws -> [RecordedEvent]

  /// The same, for somebody who kept what was read or appended earlier: a log that can tell that it still
  /// begins like that reads only the rest.
  func events(continuing known: [RecordedEvent]) async throws -> [RecordedEvent]

  /// Appends events, all or none of them.
  ///
  /// They are stored for good when this returns. An error means that none was stored, and the
  /// conversation must not continue as if one were.
  func append(_ events: [EventEnvelope], at date: Date) async throws -> [RecordedEvent]
}

extension SessionLog {
  public func events(continuing known: [RecordedEvent]) async throws -> [RecordedEvent] {
    try await events()
  }

  @discardableResult
  public func append(_ events: [IntakeEvent], at date: Date) async throws -> [RecordedEvent] {
    try await append(events.map { EventEnvelope($0) }, at: date)
  }
}

/// Knows whether the user may continue after discovery, in any of their conversations.
public protocol EntitlementProvider: Sendable {
  /// The current entitlement; nil if none was granted.
  func current() async throws -> Entitlement?

  /// Grants one, or returns the one that was granted before.
  ///
  /// - Throws: ``PurchaseRequired`` if only a purchase grants it.
  func subscribe(at date: Date) async throws -> Entitlement
}

/// The user wants to continue, and only a purchase lets them: it is time for the host's checkout.
public struct PurchaseRequired: Error, Hashable, Sendable {
  public static let code = "purchase-required"

  public init() {}

  /// What the program reports to the user.
  public var notice: SessionOutput.Notice {
    SessionOutput.Notice(
      code: Self.code, level: .info,
      text: "Subscribe in the app first; then choose to continue again.")
  }
}

/// A log that lives as long as the process, for experiments and tests.
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
