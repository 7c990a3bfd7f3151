import IncrementalJSON
public import LanguageModels
import Synchronization
public import WireFormats

/// Finds the recorded answer to each request, uses it once, and keeps what did not match.
///
/// Matches by content: the user's words so far and the requested structure. If several
/// recordings match, as with retries, they are used in recorded order.
public final class CassettePlayer: Sendable {
  /// What a request is compared with.
  public enum Matching: Sendable {
    case content
    /// Takes the next one of the same purpose, to complete a cassette whose script changed.
    case purpose
  }

  /// A recorded exchange that answers a request.
  public struct Match: Sendable {
    public var index: Int
    public var exchange: Exchange
    public var content: RequestContent
  }

  /// A request that was answered but differs from the recorded one.
  public struct Drift: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
      /// The system prompt or the schema, with its lines if they were recorded.
      case prompt(recorded: [String], sent: [String])
      /// What the coach said before, which comes from fixed texts or another build.
      case conversation
      case model(recorded: String, sent: String)
      /// An earlier exchange has not been requested yet.
      case order(earlier: Int)
    }
    public var exchange: Int
    public var purpose: RequestPurpose?
    public var kind: Kind
  }

  /// A request without a recording.
  public struct Unmatched: Error, Hashable, Sendable {
    public var content: RequestContent
    public var purpose: RequestPurpose?
    /// How many exchanges with that structure are left.
    public var left: Int
    /// The next one of them, which has different words.
    public var nearest: Int?
  }

  /// A recording that was not used.
  public struct Leftover: Hashable, Sendable {
    public var exchange: Int
    public var purpose: RequestPurpose?
    /// Nil if the exchange was never requested.
    public var unreadParts: Int?
  }

  public let cassette: Cassette
  private let matching: Matching
  private let state: Mutex<State>

  private struct State {
    var isUsed: [Bool]
    var unread: [Int?]
    var requests: [RequestContent?]
    var drift: [Drift] = []
    var unmatched: [Unmatched] = []
    var repeats: [String: Int] = [:]
  }

  public init(_ cassette: Cassette, matching: Matching = .content) {
    self.cassette = cassette
    self.matching = matching
    let count = cassette.exchanges.count
    state = Mutex(
      State(
        isUsed: Array(repeating: false, count: count), unread: Array(repeating: nil, count: count),
        requests: Array(repeating: nil, count: count)))
  }

  /// Takes the answer to a request, which uses it up.
  public func take(
    _ content: RequestContent, purpose: RequestPurpose? = nil
  ) throws(Unmatched) -> Match {
    let record = content.record
    let result = state.withLock { state -> Result<Match, Unmatched> in
      guard let index = choose(record, purpose, state) else {
        let failure = unmatched(content, record, purpose, state)
        state.unmatched.append(failure)
        return .failure(failure)
      }
      state.isUsed[index] = true
      state.requests[index] = content
      state.drift += drift(at: index, content, record, state)
      return .success(
        Match(index: index, exchange: cassette.exchanges[index], content: content))
    }
    return try result.get()
  }

  /// The exchange that would answer a request now.
  package func upcoming(_ content: RequestContent) -> Exchange? {
    let record = content.record
    return state.withLock { state in
      choose(record, nil, state).map { cassette.exchanges[$0] }
    }
  }

  /// For a server with many clients: recordings are not used up. Equal requests get their
  /// recordings in turn, starting over after the last.
  public func serve(_ content: RequestContent) -> Match? {
    let record = content.record
    let fitting = cassette.exchanges.indices.filter { fits($0, record, nil) }
    guard !fitting.isEmpty else { return nil }
    let key = "\(record.words) \(record.kind)"
    let turn = state.withLock { state in
      defer { state.repeats[key, default: 0] += 1 }
      return state.repeats[key, default: 0]
    }
    let index = fitting[turn % fitting.count]
    return Match(index: index, exchange: cassette.exchanges[index], content: content)
  }

  /// Records how many parts of an answer were not read.
  public func note(unread: Int, of index: Int) {
    state.withLock { $0.unread[index] = unread }
  }

  public var drift: [Drift] { state.withLock(\.drift) }
  public var unmatched: [Unmatched] { state.withLock(\.unmatched) }
  /// The request that each exchange answered.
  public var requests: [RequestContent?] { state.withLock(\.requests) }

  public var leftovers: [Leftover] {
    state.withLock { state in
      cassette.exchanges.indices.compactMap { index in
        let exchange = cassette.exchanges[index]
        guard state.isUsed[index] else {
          return Leftover(exchange: index, purpose: exchange.purpose)
        }
        guard exchange.fault == nil, let unread = state.unread[index],
          unread > exchange.response.framesBehindError
        else { return nil }
        return Leftover(exchange: index, purpose: exchange.purpose, unreadParts: unread)
      }
    }
  }

  private func choose(
    _ record: RequestRecord, _ purpose: RequestPurpose?, _ state: State
  ) -> Int? {
    let candidates = cassette.exchanges.indices.filter {
      !state.isUsed[$0] && fits($0, record, purpose)
    }
    return candidates.first { cassette.exchanges[$0].request?.isExact(record) ?? false }
      ?? candidates.first
  }

  private func fits(_ index: Int, _ record: RequestRecord, _ purpose: RequestPurpose?) -> Bool {
    let exchange = cassette.exchanges[index]
    guard matching == .content else { return exchange.purpose == purpose }
    guard let recorded = exchange.request else { return false }
    return recorded.words == record.words && recorded.kind == record.kind
  }

  private func unmatched(
    _ content: RequestContent, _ record: RequestRecord, _ purpose: RequestPurpose?, _ state: State
  ) -> Unmatched {
    let left = cassette.exchanges.indices.filter {
      !state.isUsed[$0] && cassette.exchanges[$0].request?.kind == record.kind
    }
    return Unmatched(content: content, purpose: purpose, left: left.count, nearest: left.first)
  }

  private func drift(
    at index: Int, _ content: RequestContent, _ record: RequestRecord, _ state: State
  ) -> [Drift] {
    let exchange = cassette.exchanges[index]
    guard matching == .content, let recorded = exchange.request else { return [] }
    var kinds: [Drift.Kind] = []
    if recorded.prompt != record.prompt {
      kinds.append(.prompt(recorded: recordedPrompt(of: index), sent: content.promptLines))
    }
    if recorded.conversation != record.conversation, recorded.prompt == record.prompt {
      kinds.append(.conversation)
    }
    if recorded.model != record.model {
      kinds.append(.model(recorded: recorded.model, sent: record.model))
    }
    if let earlier = state.isUsed[..<index].firstIndex(of: false) {
      kinds.append(.order(earlier: earlier))
    }
    return kinds.map { Drift(exchange: index, purpose: exchange.purpose, kind: $0) }
  }

  /// The prompt's lines, which are kept for the first exchange of each purpose.
  private func recordedPrompt(of index: Int) -> [String] {
    let purpose = cassette.exchanges[index].purpose
    guard cassette.exchanges.firstIndex(where: { $0.purpose == purpose }) == index else {
      return []
    }
    return cassette.prompts.first { $0.purpose == purpose?.rawValue }?.lines ?? []
  }
}

extension RequestContent {
  /// The system prompt by lines.
  public var promptLines: [String] {
    system.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}

extension RecordedResponse {
  /// How many frames follow an error, which a client need not read.
  fileprivate var framesBehindError: Int {
    guard case .frames(let frames) = content else { return 0 }
    let error = frames.firstIndex { frame in
      switch frame.content {
      case .event(let name, let data): name == "error" || data["error"].map { !$0.isNull } ?? false
      case .raw(let text): text.hasPrefix("error:")
      case .bytes: false
      }
    }
    return error.map { frames.count - $0 - 1 } ?? 0
  }
}

extension RequestRecord {
  fileprivate func isExact(_ other: RequestRecord) -> Bool {
    words == other.words && kind == other.kind && conversation == other.conversation
      && prompt == other.prompt
  }
}
