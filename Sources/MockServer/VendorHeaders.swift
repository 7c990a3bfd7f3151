import HTTPStreaming
import IncrementalJSON
import LanguageModels
import WireFormats

extension Delivery {
  /// The vendors' headers on every answer: an id and, on successful ones, the remaining rate limit.
  /// Recorded headers are kept.
  mutating func addVendorHeaders(_ format: WireFormat, request number: Int, now: Int) {
    let isGood = status == 200
    let limits = format.rateLimitPrefix
    headers.addIfMissing(format.requestIDHeader, "req_mock_\(number)")
    switch format {
    case .openAI:
      headers.addIfMissing("openai-version", "2020-10-01")
      guard isGood else { return }
      headers.addIfMissing("openai-processing-ms", "12")
      for (limit, most, left, reset) in [
        ("requests", "10000", "9999", "6ms"), ("tokens", "2000000", "1999000", "30ms"),
      ] {
        headers.addIfMissing("\(limits)limit-\(limit)", most)
        headers.addIfMissing("\(limits)remaining-\(limit)", left)
        headers.addIfMissing("\(limits)reset-\(limit)", reset)
      }
    case .anthropic:
      guard isGood else { return }
      let reset = HeaderTime.timestamp(now + 1)
      for (limit, most, left) in [
        ("requests", "4000", "3999"), ("tokens", "480000", "479000"),
        ("input-tokens", "400000", "399000"), ("output-tokens", "80000", "80000"),
      ] {
        headers.addIfMissing("\(limits)\(limit)-limit", most)
        headers.addIfMissing("\(limits)\(limit)-remaining", left)
        headers.addIfMissing("\(limits)\(limit)-reset", reset)
      }
    }
  }

  /// Answers a browser's preflight request.
  static func allowing(_ route: Route) -> Delivery {
    Delivery(
      status: 204, headers: ["allow": "\(route.method), OPTIONS"], parts: [])
  }
}

/// Lists of models in the form that the vendors' clients read.
enum ModelList {
  /// OpenAI lists everything at once; Anthropic answers in pages.
  static func page(
    _ models: [String], _ format: WireFormat, query: [String: String]
  ) throws(VendorError) -> JSONValue {
    guard format == .anthropic else {
      return ["object": "list", "data": .array(models.map { entry($0, format) })]
    }
    let limit = query["limit"].map { Int($0) ?? 0 } ?? 20
    guard (1...1000).contains(limit) else {
      throw VendorError(
        status: 400, type: "invalid_request_error",
        message: "limit: Input should be between 1 and 1000")
    }
    var rest = models[...]
    if let last = query["after_id"], let index = rest.firstIndex(of: last) {
      rest = rest[(index + 1)...]
    }
    var page = rest.prefix(limit)
    var hasMore = page.count < rest.count
    if let first = query["before_id"], let index = rest.firstIndex(of: first) {
      page = rest[..<index].suffix(limit)
      hasMore = page.startIndex > rest.startIndex
    }
    return [
      "data": .array(page.map { entry($0, format) }), "has_more": .bool(hasMore),
      "first_id": page.first.map { .string($0) } ?? .null,
      "last_id": page.last.map { .string($0) } ?? .null,
    ]
  }

  static func entry(_ name: String, _ format: WireFormat) -> JSONValue {
    switch format {
    case .openAI:
      [
        "id": .string(name), "object": "model", "created": JSONValue(Delivery.recordedNow),
        "owned_by": "rapport-mock",
      ]
    case .anthropic:
      [
        "type": "model", "id": .string(name), "display_name": .string(name),
        "created_at": .string(HeaderTime.timestamp(Delivery.recordedNow)),
      ]
    }
  }
}
