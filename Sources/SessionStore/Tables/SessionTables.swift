import FoundationEssentials
package import Intake

// Which conversations there are.
extension PersonTables {
  package func contains(_ session: SessionID) throws -> Bool {
    try !run("SELECT 1 FROM session WHERE person = $1 AND id = $2", [.text(session.rawValue)])
      .isEmpty
  }

  package func everybody() throws -> [PersonID] {
    try link.run("SELECT DISTINCT person FROM session ORDER BY person", []).map {
      PersonID(rawValue: try require($0.text(0)))
    }
  }

  package func sessions(withEvent kind: String) throws -> [SessionID] {
    try run(
      """
      SELECT event.session FROM event JOIN session ON session.id = event.session
      WHERE person = $1 GROUP BY event.session HAVING sum(CASE WHEN kind = $2 THEN 1 ELSE 0 END) > 0
      ORDER BY max(at_ms) DESC, event.session
      """, [.text(kind)]
    ).map { SessionID(rawValue: try require($0.text(0))) }
  }

  package func hasFinishedDiscovery() throws -> Bool {
    try !run("SELECT 1 FROM discovery WHERE person = $1 LIMIT 1").isEmpty
  }
}

// A conversation's events.
extension PersonTables {
  package func events(of session: SessionID) throws -> [RecordedEvent] {
    try link.run(
      "SELECT position, at_ms, kind, version, json FROM event WHERE session = $1 ORDER BY position",
      [.text(session.rawValue)]
    ).map { try Self.event($0, of: session) }
  }

  /// What is stored, given its beginning; nil if it begins otherwise. A log only ever grows, so its last
  /// event tells whether it is the same one.
  func events(
    of session: SessionID, continuing known: [RecordedEvent]
  ) throws -> [RecordedEvent]? {
    guard let last = known.last else { return nil }
    let rows = try link.run(
      """
      SELECT position, at_ms, kind, version, json FROM event
      WHERE session = $1 AND position >= $2 ORDER BY position
      """, [.text(session.rawValue), .integer(Int64(last.position))])
    guard let first = rows.first, first.integer(0) == Int64(last.position),
      first.integer(1) == last.at.milliseconds, first.text(2) == last.envelope.kind
    else { return nil }
    return known + (try rows.dropFirst().map { try Self.event($0, of: session) })
  }

  /// An event from its position, time, kind, version and text.
  static func event(_ row: any TableRow, of session: SessionID) throws -> RecordedEvent {
    let envelope = EventEnvelope(
      kind: try require(row.text(2)), version: Int(try require(row.integer(3))),
      json: try require(row.text(4)))
    let (position, date) = (Int(try require(row.integer(0))), try require(row.date(1)))
    do throws(UnreadableEvent) {
      return try RecordedEvent(position: position, at: date, envelope: envelope)
    } catch {
      throw TableProblem.unreadable(session, error)
    }
  }
}
