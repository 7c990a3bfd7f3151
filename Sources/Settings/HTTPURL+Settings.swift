public import HTTPStreaming

extension HTTPURL {
  /// Scheme, host and port in canonical form.
  var origin: String { "\(scheme.rawValue)://\(host):\(port)" }

  /// Whether two addresses are equal apart from a default port and trailing slashes.
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

  /// An address that is safe to show: a query, or a name before an `@`, can contain a key.
  public static func shown(_ address: String) -> String {
    guard let url = try? HTTPURL(validating: address) else { return "(not a usable address)" }
    return url.withoutQuery + (url.query == nil ? "" : "?…")
  }
}
