/// The URL of a PostgreSQL database, for people to read.
enum DatabaseURL {
  /// Host and database, without user, password and options; nil if the text is not such a URL,
  /// well-formed or not.
  static func shown(_ text: String) -> String? {
    let scheme = text.prefix { $0 != ":" }
    guard ["postgres", "postgresql"].contains(scheme.lowercased()), text.contains(":") else {
      return nil
    }
    let rest = text.dropFirst(scheme.count + 1)
    guard rest.hasPrefix("//") else { return scheme + ":…" }
    // A password may hold any sign, so what counts is the last @. Behind a question mark, it may be
    // part of an option, such as the password.
    if let options = rest.firstIndex(of: "?"), rest[options...].contains("@") {
      return scheme + "://…"
    }
    let place = rest.dropFirst(2).split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    return "\(scheme)://" + place.prefix { $0 != "?" }
  }
}
