public import HTTPTypes
public import Hummingbird
import IncrementalJSON

/// Why a request was refused, as the client reads it: a stable code, and a cause with a way out.
///
/// Contains no words of users and no secret.
public struct Problem: Error, Hashable, Sendable {
  public var status: HTTPResponse.Status
  /// A stable name for programs, such as `conversation-busy`.
  public var code: String
  public var message: String
  /// The request's member that cannot be used.
  public var field: String?
  /// Further members of the error, such as the conversation to continue.
  var details: [(name: String, value: JSONValue)] = []
  var headers = HTTPFields()
  /// For the log alone: what the system said.
  var cause: String?

  public init(
    _ status: HTTPResponse.Status, _ code: String, _ message: String, field: String? = nil
  ) {
    (self.status, self.code, self.message, self.field) = (status, code, message, field)
  }

  func with(_ name: String, _ value: JSONValue) -> Problem {
    var problem = self
    problem.details.append((name, value))
    return problem
  }

  public static func == (one: Problem, other: Problem) -> Bool {
    one.code == other.code && one.status == other.status && one.message == other.message
      && one.field == other.field
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  static func badRequest(_ message: String, field: String? = nil) -> Problem {
    Problem(.badRequest, "bad-request", message, field: field)
  }

  static let notFound = Problem(
    .notFound, "not-found", "There's nothing here, or it isn't yours to see.")
}

extension Problem: HTTPResponseError {
  public func response(from _: Request, context _: some RequestContext) throws -> Response {
    response
  }

  var response: Response {
    var members: [(String, JSONValue)] = [("code", .string(code)), ("message", .string(message))]
    if let field { members.append(("field", .string(field))) }
    members += details.map { ($0.name, $0.value) }
    var response = Response(["error": .object(JSONObject(members))], status: status)
    for field in headers { response.headers.append(field) }
    return response
  }
}

extension Response {
  init(_ json: JSONValue, status: HTTPResponse.Status = .ok) {
    self.init(
      status: status,
      headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(string: json.serialized() + "\n")))
  }

  /// A file for the client to keep.
  init(_ text: String, _ type: String, downloadedAs name: String) {
    self.init(
      status: .ok,
      headers: [
        .contentType: type, .cacheControl: "no-store",
        .contentDisposition: "attachment; filename=\"\(name)\"",
      ],
      body: .init(byteBuffer: ByteBuffer(string: text)))
  }
}
