/// A named fault between a model and its client.
///
/// Written `name`, `name:value` or `name:key=value,key=value`, both in cassettes and on the
/// command line.
public struct Fault: Hashable, Sendable, CustomStringConvertible {
  public let name: Name
  /// The parameters as they were given.
  public let parameters: [Parameter]

  public struct Parameter: Hashable, Sendable {
    public var key: String
    public var value: String
  }

  public enum Name: String, Hashable, Sendable, CaseIterable {
    case split, chunks, drip, silence, mute, cut
    case streamError = "stream-error"
    case noDone = "no-done"
    case doneHeld = "done-held"
    case rateLimit = "rate-limit"
    case status, html
    case contentType = "content-type"
    case wholeBody = "whole-body"
    case malformed
    case schemaIgnored = "schema-ignored"
    case fences, refusal, length
    case promptCut = "prompt-cut"
    case redirect, huge, empty
    case unknownModel = "unknown-model"
    case proxyTrouble = "proxy-trouble"
  }

  /// Why a fault's text cannot be parsed.
  public struct Unreadable: Error, Hashable, Sendable {
    public let reason: String
  }

  public init(_ text: String) throws(Unreadable) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = Name(rawValue: String(parts[0])) else {
      let names = Name.allCases.map(\.rawValue).joined(separator: ", ")
      throw Unreadable(reason: "there is no fault \"\(parts[0])\"; there are \(names)")
    }
    self.name = name
    var parameters: [Parameter] = []
    let keys = name.defaults.map(\.key)
    for (index, piece) in (parts.count > 1 ? parts[1].split(separator: ",") : []).enumerated() {
      let pair = piece.split(separator: "=", maxSplits: 1).map(String.init)
      let key = pair.count == 2 ? pair[0] : keys.indices.contains(index) ? keys[index] : ""
      guard keys.contains(key), let value = pair.last else {
        let known = keys.isEmpty ? "none" : keys.joined(separator: ", ")
        throw Unreadable(reason: "\(name.rawValue) has no parameter \"\(piece)\"; it has \(known)")
      }
      parameters.append(Parameter(key: key, value: value))
    }
    self.parameters = parameters
    for parameter in parameters { try check(parameter) }
  }

  public var description: String {
    guard !parameters.isEmpty else { return name.rawValue }
    let given = parameters.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
    return "\(name.rawValue):\(given)"
  }

  /// Whether it sets its own times, which any replay pace must keep.
  public var hasPace: Bool { number("pace") > 0 }

  func text(_ key: String) -> String {
    parameters.last { $0.key == key }?.value ?? name.defaults.first { $0.key == key }?.value ?? ""
  }

  func number(_ key: String) -> Int { Int(text(key)) ?? 0 }

  private func check(_ parameter: Parameter) throws(Unreadable) {
    guard let value = name.defaults.first(where: { $0.key == parameter.key })?.value else { return }
    if Int(value) != nil {
      guard let number = Int(parameter.value), (0...1_000_000_000).contains(number) else {
        throw Unreadable(
          reason:
            "\(name.rawValue): \(parameter.key) is a whole number from 0 on, found \"\(parameter.value)\""
        )
      }
    }
    guard parameter.value.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
      throw Unreadable(reason: "\(name.rawValue): \(parameter.key) has a control character")
    }
    if let allowed = name.allowed[parameter.key], !allowed.contains(parameter.value) {
      throw Unreadable(
        reason:
          "\(name.rawValue): \(parameter.key) is one of \(allowed.joined(separator: ", ")), found \"\(parameter.value)\""
      )
    }
  }
}

extension Fault.Name {
  /// The parameters. The first one's key may be omitted.
  var defaults: [(key: String, value: String)] {
    switch self {
    case .split: [("at", "1")]
    case .chunks: [("bytes", "7"), ("random", "no"), ("pace", "0")]
    case .drip: [("pace", "5")]
    case .silence, .malformed: [("after", "4")]
    case .length: [("pieces", "3")]
    case .cut: [("after", "4"), ("close", "unclean")]
    case .streamError: [("after", "4"), ("shape", "vendor")]
    case .rateLimit: [("after", "seconds")]
    case .status: [("code", "503")]
    case .contentType: [("value", "text/plain")]
    case .promptCut: [("tokens", "4096")]
    case .redirect: [("code", "307")]
    case .unknownModel: [("code", "400")]
    case .proxyTrouble: [("code", "400")]
    case .huge: [("megabytes", "4")]
    case .html: [("code", "502")]
    case .mute, .noDone, .doneHeld, .wholeBody, .schemaIgnored, .fences, .refusal, .empty: []
    }
  }

  var allowed: [String: [String]] {
    switch self {
    case .chunks: ["random": ["yes", "no"]]
    case .cut: ["close": ["clean", "unclean", "reset"]]
    case .streamError: ["shape": ["vendor"] + ErrorShape.allCases.map(\.rawValue)]
    case .rateLimit: ["after": RateLimitWait.allCases.map(\.rawValue)]
    case .status: ["code": VendorError.statuses.map(String.init)]
    case .html: ["code": ["200", "403", "404", "500", "502", "503", "504"]]
    case .redirect: ["code": ["301", "302", "303", "307", "308"]]
    case .unknownModel: ["code": ["400", "404", "422"]]
    case .proxyTrouble: ["code": ["400", "407", "500", "502"]]
    default: [:]
    }
  }
}

extension Fault.Name {
  /// What it does, in plain words.
  public var summary: String {
    switch self {
    case .split: "The body comes in two pieces, cut at byte `at`."
    case .chunks: "The body comes in pieces of `bytes`, or by chance up to that, `pace` ms apart."
    case .drip: "The body comes a byte at a time, `pace` ms apart."
    case .silence: "After frame `after` nothing more comes, and nothing closes."
    case .mute: "Not even the head of the response comes."
    case .cut: "The body ends after frame `after`, with and without a clean close."
    case .streamError:
      "After frame `after` an error comes in the stream, in the `shape` of a server."
    case .noDone: "The stream ends without [DONE] (message_stop)."
    case .doneHeld: "The stream ends as it should, and the connection stays open."
    case .rateLimit: "429; `after` is how the wait is told, and quota an empty account."
    case .status: "An error of status `code` in the format's shape."
    case .html: "An error page of a gateway, in HTML; 200 is a hotel's sign-in page."
    case .contentType: "The answer under another `value` of content-type."
    case .wholeBody: "One document where a stream was asked for."
    case .malformed: "Broken JSON after frame `after`."
    case .schemaIgnored: "Prose where a schema was given."
    case .fences: "JSON in a code fence."
    case .refusal: "The model declines."
    case .length: "The answer ends at the token limit, after so many `pieces` of its text."
    case .promptCut: "The server dropped the beginning of the prompt: its count stands at `tokens`."
    case .redirect: "A redirect of status `code` to another address."
    case .huge: "An answer of so many `megabytes`."
    case .empty: "200, and no body."
    case .unknownModel: "The server doesn't know the model, and says so with status `code`."
    case .proxyTrouble: "A proxy can't reach the model's server, and says so with status `code`."
    }
  }

  /// Whether it only makes sense if the answer must follow a schema.
  public var needsStructure: Bool { self == .schemaIgnored || self == .fences }

  /// The parameters with their default and allowed values.
  public var parameters: [(key: String, value: String, allowed: [String])] {
    defaults.map { ($0.key, $0.value, allowed[$0.key] ?? []) }
  }
}
