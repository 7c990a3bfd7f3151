import Hummingbird

extension Request {
  /// The most that is asked for; nil for no limit.
  ///
  /// - Throws: ``Problem`` if it is no number above 0.
  var limit: Int? {
    get throws(Problem) {
      guard let text = uri.queryParameters["limit"] else { return nil }
      guard let limit = Int(text), limit > 0 else {
        throw .badRequest("limit must be a whole number of at least 1.", field: "limit")
      }
      return limit
    }
  }

  /// - Throws: ``Problem`` if no page gave it.
  var cursor: ConversationPage.Cursor? {
    get throws(Problem) {
      guard let text = uri.queryParameters["cursor"] else { return nil }
      guard let cursor = ConversationPage.Cursor(String(text)) else {
        throw .badRequest("cursor must be the `next` value of the previous page.", field: "cursor")
      }
      return cursor
    }
  }

  /// Whether null is answered instead of a 404 if there is none, which a browser would log as an error.
  var isOptional: Bool { uri.queryParameters["optional"] == "true" }
}
