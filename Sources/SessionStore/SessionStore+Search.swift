extension SessionStore {
  /// The sessions in which somebody said this, in any case of its letters.
  public func sessions(mentioning text: String) throws(StoreError) -> Set<SessionID> {
    let wanted = text.lowercased()
    return try known { tables in
      let rows = try tables.run(
        """
        SELECT session, coalesce(json_extract(json, '$.text'), json_extract(json, '$.reply.text'))
        FROM event WHERE json_valid(json) AND session IN (SELECT id FROM session WHERE person = $1)
        """)
      let found = rows.filter { $0.text(1)?.lowercased().contains(wanted) == true }
      return Set(try found.map { SessionID(rawValue: try require($0.text(0))) })
    }
  }
}
