import LanguageModels

/// Something that goes wrong between a model and its client, by name.
///
/// Written `name` or `name:value` or `name:key=value,key=value`, in cassettes and on the command
/// line alike.
public struct Fault: Hashable, Sendable, CustomStringConvertible {
  public let name: Name
  /// The parameters as they were given.
  public let parameters: [Parameter]

  public struct Parameter: Hashable, Sendable {
    public var key: String
    public var value: String
  }

  public enum Name: String, Hashable, Sendable, CaseIterable {
    /// The body comes in two pieces, cut at byte `at`.
    case split
    /// The body comes in pieces of `bytes`, or by chance up to that, `pace` ms apart.
    case chunks
    /// A byte at a time, `pace` ms apart.
    case drip
    /// After frame `after` nothing more comes, and nothing closes.
    case silence
    /// Not even the head of the response comes.
    case mute
    /// The body ends after frame `after`: `close` is clean, unclean or reset.
    case cut
    /// After frame `after` an error comes in the stream, in the `shape` of some server.
    case streamError = "stream-error"
    case noDone = "no-done"
    /// `[DONE]` comes, and the connection stays open.
    case doneHeld = "done-held"
    /// 429; `after` says how the wait is told: seconds, float, ms, date, none, reset, long, garbage,
    /// never (x-should-retry: false), quota.
    case rateLimit = "rate-limit"
    /// `code` 500, 503 or 529 in the format's shape.
    case status
    /// An error page of a gateway, in HTML.
    case html
    /// The stream under another `value` of content-type.
    case contentType = "content-type"
    /// One document where a stream was asked for.
    case wholeBody = "whole-body"
    /// Frame `after` + 1 is broken JSON.
    case malformed
    /// Prose where a schema was given.
    case schemaIgnored = "schema-ignored"
    /// JSON in a code fence.
    case fences
    case refusal
    /// The answer ends at the token limit after frame `after`.
    case length
    /// The server dropped the beginning of the prompt: its count of tokens stands still at `tokens`.
    case promptCut = "prompt-cut"
    /// `code` 301 to 308, to another address.
    case redirect
    /// An answer of so many `megabytes`.
    case huge
    /// 200, and no body.
    case empty
  }

  /// Why a fault's text cannot be read.
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
    if let allowed = name.allowed[parameter.key], !allowed.contains(parameter.value) {
      throw Unreadable(
        reason:
          "\(name.rawValue): \(parameter.key) is one of \(allowed.joined(separator: ", ")), found \"\(parameter.value)\""
      )
    }
  }
}

extension Fault.Name {
  /// The parameters, the first of which may be given without its key.
  var defaults: [(key: String, value: String)] {
    switch self {
    case .split: [("at", "1")]
    case .chunks: [("bytes", "7"), ("random", "no"), ("pace", "0")]
    case .drip: [("pace", "5")]
    case .silence, .malformed, .length: [("after", "3")]
    case .cut: [("after", "3"), ("close", "unclean")]
    case .streamError: [("after", "3"), ("shape", "openai")]
    case .rateLimit: [("after", "seconds")]
    case .status: [("code", "503")]
    case .contentType: [("value", "text/plain")]
    case .promptCut: [("tokens", "4096")]
    case .redirect: [("code", "307")]
    case .huge: [("megabytes", "4")]
    case .mute, .noDone, .doneHeld, .html, .wholeBody, .schemaIgnored, .fences, .refusal, .empty: []
    }
  }

  var allowed: [String: [String]] {
    switch self {
    case .chunks: ["random": ["yes", "no"]]
    case .cut: ["close": ["clean", "unclean", "reset"]]
    case .streamError: ["shape": ErrorShape.allCases.map(\.rawValue)]
    case .rateLimit: ["after": RateLimitWait.allCases.map(\.rawValue)]
    case .status: ["code": ["500", "502", "503", "504", "529"]]
    case .redirect: ["code": ["301", "302", "303", "307", "308"]]
    default: [:]
    }
  }
}

/// How servers report an error once a stream has begun.
enum ErrorShape: String, CaseIterable {
  case openai, openrouter, vllm
  case lmStudio = "lm-studio"
  case llamacpp, anthropic, ollama
}

/// How servers say when to try again.
enum RateLimitWait: String, CaseIterable {
  case seconds, float, ms, date, none, reset, long, garbage, never, quota
}
