import GRDB

extension SessionStore {
  /// The sessions in which somebody said this, in any case of its letters.
  public func sessions(mentioning text: String) throws(StoreError) -> Set<SessionID> {
    let wanted = text.lowercased()
    return try reading { database in
      var found: Set<SessionID> = []
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT session, coalesce(json_extract(json, '$.text'), json_extract(json, '$.reply.text'))
            AS words FROM event WHERE json_valid(json)
            AND session IN (SELECT id FROM session WHERE person = ?)
          """, arguments: [person.rawValue])
      while let row = try rows.next() {
        let session = SessionID(rawValue: try value(of: "session", in: row))
        guard !found.contains(session), let words = String.fromDatabaseValue(row["words"]),
          words.lowercased().contains(wanted)
        else { continue }
        found.insert(session)
      }
      return found
    }
  }
}
