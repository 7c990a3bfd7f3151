import FoundationEssentials
import HTTPStreaming
import IncrementalJSON
import MockServer
import WireFormats

/// An answer before it is sent, in the words of the server that gives it.
struct SupabaseReply {
  var status: Int
  var json: JSONValue?
  var headers: HTTPHeaders = [:]
  /// Replaces the JSON, such as with a page.
  var page: String?

  init(_ status: Int, _ json: JSONValue? = nil, headers: HTTPHeaders = [:]) {
    self.status = status
    self.json = json
    self.headers = headers
  }

  /// GoTrue's error. Clients that name the API version of 2024 get a code in words.
  static func auth(
    _ status: Int, _ code: String, _ message: String, to request: MockRequest,
    retryAfter: Int? = nil
  ) -> SupabaseReply {
    let isNew = (request.headers["x-supabase-api-version"] ?? "") >= "2024-01-01"
    var reply = SupabaseReply(
      status,
      isNew
        ? ["code": .string(code), "message": .string(message)]
        : ["code": JSONValue(status), "error_code": .string(code), "msg": .string(message)])
    if isNew { reply.headers.append("x-supabase-api-version", "2024-01-01") }
    if let retryAfter { reply.headers.append("retry-after", "\(retryAfter)") }
    return reply
  }

  /// PostgREST's error.
  static func rows(
    _ status: Int, _ code: String, _ message: String, details: String? = nil, hint: String? = nil
  ) -> SupabaseReply {
    var reply = SupabaseReply(
      status,
      [
        "code": .string(code), "details": details.map { .string($0) } ?? .null,
        "hint": hint.map { .string($0) } ?? .null, "message": .string(message),
      ])
    if status == 401 {
      reply.headers.append(
        "www-authenticate",
        code == "PGRST303"
          ? "Bearer error=\"invalid_token\", error_description=\"\(message)\"" : "Bearer")
    }
    return reply
  }

  /// The gateway's error.
  static func gateway(_ message: String, hint: String) -> SupabaseReply {
    SupabaseReply(401, ["message": .string(message), "hint": .string(hint)])
  }

  /// - Parameter delay: Milliseconds before the answer.
  func delivery(delay: Int = 0) -> Delivery {
    let body = page.map { Array($0.utf8) } ?? json?.serializedBytes() ?? []
    var headers = headers
    if !body.isEmpty {
      let type = page == nil ? "application/json; charset=utf-8" : "text/html; charset=UTF-8"
      headers.append("content-type", type)
    }
    return Delivery(
      status: status, headers: headers,
      parts: body.isEmpty ? [] : [Delivery.Part(at: delay, body)])
  }
}
