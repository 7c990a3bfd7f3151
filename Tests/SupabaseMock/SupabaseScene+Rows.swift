import FoundationEssentials
import HTTPStreaming
import IncrementalJSON
import MockServer
import WireFormats

/// PostgREST: upserts, inserts, and reads with `eq`, `order` and `limit`. Row policies let people see
/// and change their own rows; a trigger keeps the newer of two rows.
extension SupabaseScene {
  private enum Role {
    case anonymous
    case user(String)
  }

  func rows(_ state: inout SupabaseState) -> SupabaseReply {
    let table = request.table ?? ""
    let role: Role
    switch request.bearer {
    case nil, options.anonKey: role = .anonymous
    case let bearer?:
      guard let token = state.accessTokens[bearer] else {
        return .rows(
          401, "PGRST301", "No suitable key or wrong key type",
          details: "None of the keys was able to decode the JWT")
      }
      guard token.expires > now else { return .rows(401, "PGRST303", "JWT expired") }
      role = .user(token.userID)
    }
    guard options.tables.contains(table) else {
      return .rows(
        404, "PGRST205", "Could not find the table 'public.\(table)' in the schema cache")
    }
    switch request.raw.method {
    case "GET", "HEAD": return read(table, role, state)
    case "POST": return write(table, role, &state)
    default:
      return SupabaseReply(405, ["message": "Only GET and POST work here"])
    }
  }

  private func read(_ table: String, _ role: Role, _ state: SupabaseState) -> SupabaseReply {
    guard case .user(let user) = role else { return listing([]) }
    var found = (state.tables[table] ?? []).filter { $0["user_id"] == .string(user) }
    for item in request.items where !["select", "order", "limit", "apikey"].contains(item.name) {
      guard item.value.hasPrefix("eq.") else {
        return .rows(
          400, "PGRST100", "\"failed to parse filter (\(item.value))\" (line 1, column 1)",
          details: "The mock knows eq. alone.")
      }
      let wanted = String(item.value.dropFirst("eq.".count))
      found = found.filter { $0[item.name]?.asText == wanted }
    }
    if let order = request.query["order"] {
      let words = order.split(separator: ".").map(String.init)
      found.sort { ($0[words[0]]?.asText ?? "") < ($1[words[0]]?.asText ?? "") }
      if words.dropFirst().first == "desc" { found.reverse() }
    }
    if let limit = request.query["limit"].flatMap({ Int($0) }) {
      found = Array(found.prefix(max(0, limit)))
    }
    return listing(found.map(selected))
  }

  private func listing(_ rows: [JSONObject]) -> SupabaseReply {
    let isOne = request.raw.headers["accept"]?.contains("vnd.pgrst.object") == true
    if isOne {
      guard rows.count == 1 else {
        return .rows(
          406, "PGRST116", "Cannot coerce the result to a single JSON object",
          details: "The result contains \(rows.count) rows")
      }
      return SupabaseReply(200, .object(rows[0]))
    }
    let range = rows.isEmpty ? "*/*" : "0-\(rows.count - 1)/*"
    return SupabaseReply(
      200, .array(rows.map { .object($0) }), headers: ["content-range": range])
  }

  private func selected(_ row: JSONObject) -> JSONObject {
    guard let select = request.query["select"], select != "*" else { return row }
    let names = select.split(separator: ",").map(String.init)
    return JSONObject(names.compactMap { name in row[name].map { (name, $0) } })
  }

  private func write(_ table: String, _ role: Role, _ state: inout SupabaseState) -> SupabaseReply {
    let given = request.body?.arrayValue ?? request.body.map { [$0] } ?? []
    let rows = given.compactMap(\.objectValue)
    guard !rows.isEmpty, rows.count == given.count else {
      return .rows(400, "PGRST102", "Empty or invalid json")
    }
    guard case .user(let user) = role else { return .violation(of: table, status: 401) }
    let keys = (request.query["on_conflict"] ?? "user_id,id").split(separator: ",").map(String.init)
    guard Set(keys) == ["user_id"] || Set(keys) == ["user_id", "id"] else {
      return .rows(
        400, "42P10",
        "there is no unique or exclusion constraint matching the ON CONFLICT specification")
    }
    let preferences = Set(
      request.raw.headers.values(for: "prefer").flatMap { $0.split(separator: ",") }
        .map { String($0.filter { $0 != " " }) })
    var all = state.tables[table] ?? []
    var (written, isNew) = ([JSONObject](), false)
    for var row in rows {
      row["user_id"] = row["user_id"] ?? .string(user)
      row["updated_at"] = row["updated_at"] ?? .string(Self.timestamp(now))
      guard row["user_id"] == .string(user) else { return .violation(of: table) }
      guard let index = all.firstIndex(where: { old in keys.allSatisfy { old[$0] == row[$0] } })
      else {
        all.append(row)
        written.append(row)
        isNew = true
        continue
      }
      guard preferences.contains("resolution=merge-duplicates") else {
        if preferences.contains("resolution=ignore-duplicates") { continue }
        return .rows(
          409, "23505", "duplicate key value violates unique constraint \"\(table)_pkey\"",
          details: "Key (\(keys.joined(separator: ", "))) already exists.")
      }
      // The trigger: an older row changes nothing and isn't returned.
      guard (row["updated_at"]?.asText ?? "") >= (all[index]["updated_at"]?.asText ?? "") else {
        continue
      }
      for member in row { all[index][member.name] = member.value }
      written.append(all[index])
    }
    state.tables[table] = all
    let returns = preferences.contains("return=representation")
    return SupabaseReply(
      isNew ? 201 : 200, returns ? .array(written.map { .object(selected($0)) }) : nil,
      headers: [
        "content-range": "*/*",
        "preference-applied": preferences.sorted().joined(separator: ", "),
      ])
  }
}

extension SupabaseReply {
  /// What PostgreSQL says where a row policy refuses a row.
  static func violation(of table: String, status: Int = 403) -> SupabaseReply {
    .rows(
      status, "42501", "new row violates row-level security policy for table \"\(table)\"")
  }
}

extension JSONValue {
  /// As PostgreSQL writes it.
  fileprivate var asText: String { stringValue ?? serialized() }
}
