import IncrementalJSON
import LanguageModels
import Synchronization
public import WireFormats

/// Answers requests like both vendors' servers: from recordings, then from rules.
public final class ModelAPI: Sendable {
  public struct Options: Sendable {
    /// Whether to reject requests without a key.
    public var requiresKey = false
    /// Whether to answer for models that are not on the list.
    public var takesAnyModel = false
    public var faults: [FaultPlan.Planned] = []
    /// The random seed for faults.
    public var seed: UInt64 = 0
    /// Faults with their own timing keep it, whatever the server's pace.
    public var keepsFaultPace = true
    /// Seconds since 1970.
    public var now: @Sendable () -> Int = { Delivery.recordedNow }

    public init() {}
  }

  /// What happened to a request.
  public struct Record: Hashable, Sendable {
    public var method: String
    public var path: String
    public var status: Int
    /// The source of the answer, or why there is none.
    public var source: String
    public var fault: String?
  }

  public let models: [String]
  private let recordings: (any RecordedAnswers)?
  private let script: AnswerScript?
  private let options: Options
  private let faults: FaultPlan
  private let report: @Sendable (Record) -> Void
  private let requests = Atomic(0)
  private let deliveries = DeliveryCache()

  /// - Parameters:
  ///   - recordings: Asked first.
  ///   - script: Asked for what was not recorded.
  ///   - report: Called with each request once its answer is known.
  public init(
    recordings: (any RecordedAnswers)? = nil, script: AnswerScript? = nil,
    options: Options = Options(), report: @escaping @Sendable (Record) -> Void = { _ in }
  ) {
    self.recordings = recordings
    self.script = script
    self.options = options
    self.report = report
    faults = FaultPlan(options.faults)
    var seen: Set<String> = []
    models = ((script?.models ?? []) + (recordings?.models ?? [])).filter {
      !$0.isEmpty && seen.insert($0).inserted
    }
  }

  public func answer(_ request: MockRequest) -> MockAnswer {
    let route = Route(request)
    let reply: Reply
    do throws(VendorError) { reply = try self.reply(to: request, route) } catch {
      reply = Reply(
        delivery: Delivery(error.response(route.format), format: route.format, model: ""),
        source: error.message)
    }
    var delivery = reply.delivery
    let number = requests.wrappingAdd(1, ordering: .relaxed).newValue
    delivery.addVendorHeaders(route.format, request: number, now: options.now())
    report(
      Record(
        method: request.method, path: request.path, status: delivery.status,
        source: reply.source, fault: reply.fault?.description))
    let keepsPace = options.keepsFaultPace && reply.fault?.hasPace == true
    return .delivery(delivery, pace: keepsPace ? .times(1) : nil)
  }

  private struct Reply {
    var delivery: Delivery
    var source: String
    var fault: Fault?
  }

  private func reply(to request: MockRequest, _ route: Route) throws(VendorError) -> Reply {
    if request.method == "OPTIONS" { return Reply(delivery: .allowing(route), source: "options") }
    try check(request, route)
    switch route.endpoint {
    case .completion: return try complete(request, route)
    case .models:
      return listing(try ModelList.page(models, route.format, query: route.query), route)
    case .model(let name):
      guard models.contains(name) else { throw .unknownModel(name, route.format) }
      return listing(ModelList.entry(name, route.format), route)
    case .root:
      return listing(
        ["service": "rapport mock", "models": .array(models.map { .string($0) })], route)
    case .unknown:
      throw VendorError(
        status: 404, format: route.format,
        message: "Unknown path \(request.path); use /v1/chat/completions, /v1/messages or "
          + "/v1/models.")
    }
  }

  private func check(_ request: MockRequest, _ route: Route) throws(VendorError) {
    if options.requiresKey, route.endpoint != .root, !request.hasKey {
      throw .missingKey(route.format)
    }
    let allowed = route.method == "GET" ? ["GET", "HEAD"] : ["POST"]
    if route.endpoint != .unknown, !allowed.contains(request.method) {
      throw VendorError(
        status: 405, type: "invalid_request_error",
        message: "Not allowed: \(request.method) \(request.path). Use \(route.method).")
    }
    if let name = route.recording, recordings?.contains(name) != true {
      throw VendorError(
        status: 404, format: route.format,
        message: "No recording is named \(name). \(Self.inWords(recordings?.names ?? []))")
    }
  }

  private static func inWords(_ names: [String]) -> String {
    guard !names.isEmpty else { return "No recordings are loaded." }
    let more = names.count > 5 ? " and \(names.count - 5) more" : ""
    return "Loaded: " + names.prefix(5).joined(separator: ", ") + more + "."
  }

  private func listing(_ document: JSONValue, _ route: Route) -> Reply {
    let fault = route.endpoint == .root ? nil : faults.nextForModels()
    let response = RecordedResponse(content: .body(document.serialized()))
    return Reply(
      delivery: Delivery(
        response, format: route.format, model: "", isStreaming: false, fault: fault,
        seed: options.seed, now: options.now()),
      source: "models", fault: fault)
  }
}

extension ModelAPI {
  private func complete(
    _ request: MockRequest, _ route: Route
  ) throws(VendorError) -> Reply {
    let content = try RequestCheck(route.format).content(of: request)
    guard options.takesAnyModel || models.contains(content.model) else {
      throw .unknownModel(content.model, route.format)
    }
    if let match = recordings?.answer(content, format: route.format, from: route.recording) {
      return reply(
        match.exchange, content, route,
        source: "\(match.name), exchange \(match.index + 1)", canBeKept: true)
    }
    if route.recording == nil, let (rule, exchange) = script?.answer(content) {
      return reply(exchange, content, route, source: "rule \(rule + 1)", canBeKept: false)
    }
    throw VendorError(
      status: 404, format: route.format, message: content.withoutAnswer(in: route.recording))
  }

  private func reply(
    _ exchange: Exchange, _ content: RequestContent, _ route: Route, source: String,
    canBeKept: Bool
  ) -> Reply {
    let planned = faults.next(
      isStructured: content.structure != nil, purpose: exchange.purpose)
    let fault = planned ?? exchange.fault
    let make = { [options] in
      Delivery(
        exchange.response, format: route.format, model: content.model,
        isStreaming: content.isStreaming, fault: fault, seed: options.seed ^ content.seed,
        now: options.now())
    }
    guard canBeKept, fault == nil else {
      return Reply(delivery: make(), source: source, fault: fault)
    }
    let key = DeliveryCache.Key(
      source: source, model: content.model, format: route.format,
      isStreaming: content.isStreaming)
    return Reply(delivery: deliveries.delivery(key, make), source: source)
  }
}

extension RequestContent {
  /// Stable for a conversation, whatever the order of requests.
  fileprivate var seed: UInt64 { UInt64(record.conversation, radix: 16) ?? 0 }

  fileprivate func withoutAnswer(in recording: String?) -> String {
    let wanted = structure.map { "an answer with \($0)" } ?? "prose"
    let words = userWords
    let last = words.last.map { ": \"\($0.prefix(60))\"" } ?? ""
    let place = recording.map { "in \($0)" } ?? "here"
    return "Nothing \(place) answers this request: \(wanted) after \(words.count) messages of the "
      + "user\(last)."
  }
}

/// Caches framed answers.
private final class DeliveryCache: Sendable {
  struct Key: Hashable {
    var source: String
    var model: String
    var format: WireFormat
    var isStreaming: Bool
  }

  private static let limit = 8192
  private let kept = Mutex<[Key: Delivery]>([:])

  func delivery(_ key: Key, _ make: () -> Delivery) -> Delivery {
    if let found = kept.withLock({ $0[key] }) { return found }
    let made = make()
    kept.withLock { kept in
      if kept.count >= Self.limit { kept.removeAll() }
      kept[key] = made
    }
    return made
  }
}
