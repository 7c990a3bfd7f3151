package import FoundationEssentials
package import HTTPStreaming

/// What a response's headers say about retrying.
package struct WaitHints: Hashable, Sendable {
  /// How long to wait; nil if the server does not say.
  package var delay: Duration?
  /// Whether the server says a retry makes sense (`x-should-retry`).
  var shouldRetry: Bool?
}

extension WaitHints {
  /// - Parameter now: Used if the response has no `date`.
  package init(headers: HTTPHeaders, status: Int, now: Date) {
    let serverNow = headers["date"].flatMap(HTTPDate.parse) ?? now
    delay =
      Self.retryAfter(headers, now: serverNow)
      ?? (status == 429 ? Self.reset(headers, now: serverNow) : nil)
    switch headers["x-should-retry"]?.lowercased() {
    case "true": shouldRetry = true
    case "false": shouldRetry = false
    default: shouldRetry = nil
    }
  }

  private static func retryAfter(_ headers: HTTPHeaders, now: Date) -> Duration? {
    if let text = headers["retry-after-ms"], let milliseconds = WaitText.number(text),
      let delay = WaitText.positive(milliseconds / 1000)
    {
      return delay
    }
    guard let text = headers["retry-after"] else { return nil }
    if let seconds = WaitText.number(text) { return WaitText.positive(seconds) }
    return HTTPDate.parse(text).flatMap { WaitText.positive($0.timeIntervalSince(now)) }
  }

  /// The longest time until a used-up limit is reset. A limit with something remaining is not what
  /// the request ran into.
  private static func reset(_ headers: HTTPHeaders, now: Date) -> Duration? {
    headers.fields.compactMap { field -> Duration? in
      let name = field.name.lowercased()
      let remaining: String
      let delay: Duration?
      if name.hasPrefix(WireFormat.openAI.rateLimitPrefix + "reset") {
        remaining = name.replacing("-reset", with: "-remaining")
        delay = WaitText.duration(field.value)
      } else if name.hasPrefix(WireFormat.anthropic.rateLimitPrefix), name.hasSuffix("-reset") {
        remaining = String(name.dropLast("reset".count)) + "remaining"
        delay = WaitText.timestamp(field.value).flatMap {
          WaitText.positive($0.timeIntervalSince(now))
        }
      } else {
        return nil
      }
      let left = headers[remaining].flatMap(WaitText.number) ?? 0
      return left > 0 ? nil : delay
    }.max()
  }
}

/// The spellings of times in headers. What cannot be read, is negative or zero gives nil.
enum WaitText {
  /// Longer waits are all the same to us; they must only not overflow.
  static let longest: Double = 1_000_000_000

  static func number(_ text: String) -> Double? {
    let trimmed = text.filter { $0 != " " && $0 != "\t" }
    let isPlain = trimmed.utf8.allSatisfy {
      (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0)
    }
    guard isPlain, !trimmed.isEmpty, let value = Double(trimmed), !value.isNaN else { return nil }
    return value
  }

  static func positive(_ seconds: Double) -> Duration? {
    seconds > 0 ? .seconds(min(seconds, longest)) : nil
  }

  /// A duration as Go writes it (`1m30.5s`, `12ms`), or plain seconds.
  static func duration(_ text: String) -> Duration? {
    if let seconds = number(text) { return positive(seconds) }
    var rest = text[...]
    var seconds = 0.0
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      let unit = rest.dropFirst(digits.count).prefix { !($0.isNumber || $0 == ".") }
      guard let count = Double(digits), let length = units[String(unit)] else { return nil }
      seconds += count * length
      rest = rest.dropFirst(digits.count + unit.count)
    }
    return positive(seconds)
  }

  private static let units: [String: Double] = [
    "h": 3600, "m": 60, "s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9,
  ]

  /// A time of RFC 3339.
  static func timestamp(_ text: String) -> Date? {
    (try? Date(text, strategy: .iso8601))
      ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
  }
}
