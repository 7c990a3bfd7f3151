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
      columns.isEmpty ? "" : "?on_conflict=" + columns.joined(separator: ",").percentEncoded
    let answer = try await send(
      .post, "/rest/v1/\(table.percentEncoded)\(query)", .object(row), token: token,
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
    let filters = values.map { "&\($0.column.percentEncoded)=eq.\($0.value.percentEncoded)" }
    let answer = try await send(
      .get, "/rest/v1/\(table.percentEncoded)?select=*\(filters.joined())", token: token,
      patience: patience)
    guard let rows = answer.json?.arrayValue else { throw unexpected("rows that aren't a list") }
    return rows
  }
}
