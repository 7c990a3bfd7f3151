public import HTTPStreaming

extension HTTPURL {
  /// Scheme, host and port, however they are written.
  var origin: String { "\(scheme.rawValue)://\(host):\(port)" }

  /// Whether two addresses lead to the same place, written or unwritten port and last slash aside.
  static func areSame(_ one: String, _ other: String) -> Bool {
    guard let one = try? HTTPURL(validating: one), let other = try? HTTPURL(validating: other)
    else {
      return one == other
    }
    func path(_ url: HTTPURL) -> Substring {
      var path = url.path[...]
      while path.hasSuffix("/") { path.removeLast() }
      return path
    }
    return one.origin == other.origin && path(one) == path(other) && one.query == other.query
  }

  /// An address as it may be shown: a query, or a name before an `@`, can hold a key.
  public static func shown(_ address: String) -> String {
    guard let url = try? HTTPURL(validating: address) else { return "(no address that I can use)" }
    return url.withoutQuery + (url.query == nil ? "" : "?…")
  }
}
