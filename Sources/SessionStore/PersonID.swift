import GRDB

/// Whose data something is.
public struct PersonID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public var description: String { rawValue }

  /// The person at this machine, who needs no account.
  public static let local = PersonID(rawValue: "local")

  /// Whether it names everybody at one address, whose tokens are counted together, and nobody who
  /// could be registered.
  package var isAddress: Bool { rawValue.hasPrefix("address:") }
}

// Persons in the schema.
extension SessionStore {
  /// From format 2, in which everything was one person's.
  static func givePersons(_ database: Database) throws {
    let hasHealth = try database.tableExists("health")
    try database.execute(
      sql: """
        ALTER TABLE session ADD COLUMN person TEXT NOT NULL DEFAULT '\(PersonID.local)';
        ALTER TABLE discovery ADD COLUMN person TEXT NOT NULL DEFAULT '\(PersonID.local)';
        ALTER TABLE entitlement RENAME TO entitlement_before;
        \(hasHealth ? "ALTER TABLE health RENAME TO health_before;" : "")
        \(Schema.persons)
        INSERT INTO entitlement (person, source, granted_ms)
          SELECT '\(PersonID.local)', source, granted_ms FROM entitlement_before;
        DROP TABLE entitlement_before;
        """)
    guard hasHealth else { return }
    try database.execute(
      sql: """
        INSERT INTO health (person, json, file, changed_ms, read_ms)
          SELECT '\(PersonID.local)', json, file, changed_ms, read_ms FROM health_before;
        DROP TABLE health_before;
        """)
  }
}
