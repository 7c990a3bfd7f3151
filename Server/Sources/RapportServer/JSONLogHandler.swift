import FoundationEssentials
import Glibc
import IncrementalJSON
public import Logging

/// Writes one JSON object per line on standard error.
public struct JSONLogHandler: LogHandler {
  public var logLevel = Logger.Level.info
  public var metadata: Logger.Metadata = [:]
  private let label: String

  public init(label: String) { self.label = label }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    var members: [(String, JSONValue)] = [
      ("time", .string(Self.time())), ("level", .string(event.level.rawValue)),
      ("message", .string("\(event.message)")),
    ]
    let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
    for (key, value) in all.sorted(by: { $0.key < $1.key }) {
      members.append((key == "hb.request.id" ? "request" : key, .string("\(value)")))
    }
    let line = Array((JSONValue.object(JSONObject(members)).serialized() + "\n").utf8)
    // One write per line, so that lines of different threads don't mix.
    _ = write(2, line, line.count)
  }

  private static func time() -> String {
    Date().formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))
  }
}
