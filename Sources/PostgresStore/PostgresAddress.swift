import CPostgres
import FoundationEssentials
public import SessionStore

/// Where a PostgreSQL database is and how to connect to it: a `postgres://` URL.
///
/// The URL may hold a password, so nothing here prints it: `description` names the host and the
/// database only.
public struct PostgresAddress: Hashable, Sendable, CustomStringConvertible {
  /// What libpq is given.
  let parameters: [String: String]
  /// For messages and logs; contains no password and no user.
  public let description: String

  /// Whether a text looks like a URL of a database, well-formed or not.
  public static func isMeant(by text: String) -> Bool {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    return text.contains(":") && ["postgres", "postgresql"].contains(scheme)
  }

  /// - Throws: `cannotOpen`, without the text, if it is not a URL that libpq understands.
  public init(_ url: String) throws(StoreError) {
    try self.init(url, environment: ProcessInfo.processInfo.environment)
  }

  init(_ url: String, environment: [String: String]) throws(StoreError) {
    var given = try Self.parsed(url)
    let hosts = given["hostaddr"] ?? given["host"] ?? environment["PGHOST"] ?? ""
    // Whoever names TLS's mode decides; a service file may. Otherwise a password never crosses a
    // network in the clear.
    if given["sslmode"] == nil, environment["PGSSLMODE"] == nil, given["service"] == nil,
      environment["PGSERVICE"] == nil, !Self.isOnThisMachine(hosts)
    {
      given["sslmode"] = "require"
    }
    description = Self.name(given, hosts: hosts)
    parameters = Self.defaults.merging(given) { $1 }
  }

  /// A connection whose other end is gone is noticed within seconds, not after hours.
  private static let defaults = [
    "connect_timeout": "5", "keepalives_idle": "10", "keepalives_interval": "5",
    "keepalives_count": "3", "tcp_user_timeout": "15000", "client_encoding": "UTF8",
    "application_name": "rapport",
  ]

  private static func parsed(_ url: String) throws(StoreError) -> [String: String] {
    guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else { throw malformed }
    // libpq's own message would repeat the URL.
    guard let options = PQconninfoParse(url, nil) else { throw malformed }
    defer { PQconninfoFree(options) }
    var given: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { given[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    // libpq ends a password at its first @ and takes the rest for the host, which messages name.
    if given["host"]?.dropFirst().contains("@") == true { throw malformed }
    return given
  }

  private static var malformed: StoreError {
    StoreError(
      .cannotOpen, file: "the PostgreSQL database",
      detail: "its URL must look like postgres://user@host:5432/database, with special characters "
        + "in a name or password written as %40, %2F and so on")
  }

  private static func isOnThisMachine(_ hosts: String) -> Bool {
    hosts.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { host in
      host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost"
        || host == "::1" || host.hasPrefix("127.")
    }
  }

  private static func name(_ given: [String: String], hosts: String) -> String {
    let port = given["port"].map { ":" + $0 } ?? ""
    let host = hosts.hasPrefix("/") ? "" : hosts
    return "postgres://\(host)\(port)/\(given["dbname"] ?? "")"
  }
}
