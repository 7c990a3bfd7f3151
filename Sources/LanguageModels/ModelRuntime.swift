public import FoundationEssentials
public import HTTPStreaming

/// Limits on the size and duration of a reply.
public struct ModelLimits: Hashable, Sendable {
  /// The text of one reply, in UTF-8 bytes.
  public var replyBytes: Int
  /// How much of an error's body is read.
  public var errorBodyBytes = 64 << 10
  /// From sending to the first byte: a local model may need to load first.
  public var firstByte: Duration
  /// The longest silence after that; keep-alive comments reset it.
  public var idle: Duration
  /// The whole reply.
  public var total = Duration.seconds(600)
  public var connect = Duration.seconds(10)

  public init(
    replyBytes: Int = 1 << 20, firstByte: Duration = .seconds(120), idle: Duration = .seconds(60)
  ) {
    (self.replyBytes, self.firstByte, self.idle) = (replyBytes, firstByte, idle)
  }

  /// Extra bytes for the frames and events around the text.
  static let bodyBytes = 1 << 30

  var timeouts: HTTPTimeouts {
    HTTPTimeouts(connect: connect, firstByte: firstByte, idle: idle, total: total)
  }
}

/// What a model over HTTP depends on: network, time and randomness. Tests supply their own.
public struct ModelRuntime: Sendable {
  public var transport: any HTTPTransport
  public var limits: ModelLimits
  public var retries: RetryPolicy
  public var memory: CapabilityMemory
  /// Waits between attempts; throws if canceled.
  public var sleep: @Sendable (Duration) async throws -> Void
  /// For dates in headers.
  public var now: @Sendable () -> Date
  /// From 0 to 1, for jitter.
  public var random: @Sendable () -> Double

  public init(
    transport: any HTTPTransport, limits: ModelLimits = ModelLimits(),
    retries: RetryPolicy = RetryPolicy(),
    memory: CapabilityMemory = CapabilityMemory(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    now: @escaping @Sendable () -> Date = { Date() },
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    self.transport = transport
    self.limits = limits
    self.retries = retries
    self.memory = memory
    self.sleep = sleep
    self.now = now
    self.random = random
  }
}
