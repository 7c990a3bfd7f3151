import GRDB

extension SessionStore {
  /// The sessions whose log holds an event of a kind, such as another module's, the latest first.
  public func sessions(withEvent kind: String) throws(StoreError) -> [SessionID] {
    try reading { database in
      try String.fetchAll(
        database,
        sql: """
          SELECT session FROM event JOIN session ON session.id = event.session
          WHERE person = ?2 GROUP BY session HAVING sum(kind = ?1) > 0
          ORDER BY max(at_ms) DESC, session
          """, arguments: [kind, person.rawValue]
      ).map { SessionID(rawValue: $0) }
    }
  }
}
