import HTTPStreaming
public import IncrementalJSON
public import LanguageModels

/// PostgREST's requests.
extension SupabaseClient {
  /// Inserts a row, or merges it into the one with the same values in the key columns.
  ///
  /// - Returns: The row as the project has it now; nil if the project kept the one it had.
  public func upsert(
    _ row: JSONObject, into table: String, key columns: [String], token: Secret
  ) async throws(SupabaseError) -> JSONValue? {
    let query =
      columns.isEmpty ? "" : "?on_conflict=" + Self.escaped(columns.joined(separator: ","))
    let answer = try await send(
      .post, "/rest/v1/\(Self.escaped(table))\(query)", .object(row), token: token,
      headers: [("prefer", "resolution=merge-duplicates,return=representation")])
    guard let rows = answer.json?.arrayValue else { throw unexpected("rows that aren't a list") }
    return rows.first
  }

  /// The rows whose columns have these values.
  ///
  /// - Parameter patience: How long the whole request may take; nil for as long as any other.
  public func rows(
    of table: String, where values: [(column: String, value: String)] = [], token: Secret,
    patience: Duration? = nil
  ) async throws(SupabaseError) -> [JSONValue] {
    let filters = values.map { "&\(Self.escaped($0.column))=eq.\(Self.escaped($0.value))" }
    let answer = try await send(
      .get, "/rest/v1/\(Self.escaped(table))?select=*\(filters.joined())", token: token,
      patience: patience)
    guard let rows = answer.json?.arrayValue else { throw unexpected("rows that aren't a list") }
    return rows
  }

  /// Percent-encodes everything but RFC 3986's unreserved characters.
  private static func escaped(_ text: String) -> String {
    text.utf8.map { byte -> String in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "-._~".utf8.contains(byte)
      if isPlain { return String(Unicode.Scalar(byte)) }
      return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}
