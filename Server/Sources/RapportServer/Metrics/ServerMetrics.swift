import CoreMetrics
import Intake
import Metrics

/// What the server counts, and what fails.
struct ServerMetrics: Sendable {
  /// What fails for everybody.
  let faults: Faults
  private let factory: any MetricsFactory
  private let streams: Meter
  private let firstToken: Timer
  private let turnsToReady: Recorder
  private let storing: Timer

  init(_ factory: any MetricsFactory, faults: Faults = Faults()) {
    (self.factory, self.faults) = (factory, faults)
    streams = Meter(label: "rapport_streams_open", factory: factory)
    firstToken = Timer(label: "rapport_first_token_seconds", factory: factory)
    turnsToReady = Recorder(label: "rapport_turns_to_ready", factory: factory)
    storing = Timer(label: "rapport_store_append_seconds", factory: factory)
    // Zero is something to count from.
    for name in [Self.replies, Self.storeFailures, Self.retries] { count(name, by: 0) }
  }

  func request(_ method: String, route: String, status: Int) {
    Counter(
      label: "rapport_http_requests_total",
      dimensions: [("method", method), ("route", route), ("status", "\(status)")],
      factory: factory
    ).increment()
  }

  func streamOpened() { streams.increment(by: 1) }
  func streamClosed() { streams.decrement(by: 1) }
  func firstToken(after time: Duration) { firstToken.record(duration: time) }
  func stored(in time: Duration) {
    storing.record(duration: time)
    faults.worked(.store)
  }

  /// - Parameter code: The problem's or the notice's.
  func replyFailed(_ code: String) {
    Counter(
      label: "rapport_replies_failed_total", dimensions: [("cause", code)], factory: factory
    ).increment()
    if code == "store" { storeFailed() } else { faults.failed(.model, code) }
  }

  /// - Parameter code: The notice's.
  func noticed(_ code: String) {
    Counter(
      label: "rapport_notices_total", dimensions: [("cause", code)], factory: factory
    ).increment()
  }

  func storeFailed() {
    count(Self.storeFailures)
    // Anybody may ask whether the server is ready, and the cause can hold a path.
    faults.failed(.store, "it can't be read or written")
  }

  private static let replies = "rapport_replies_total"
  private static let storeFailures = "rapport_store_failures_total"
  private static let retries = "rapport_model_retries_total"

  private func count(_ name: String, by amount: Int64 = 1) {
    Counter(label: name, factory: factory).increment(by: amount)
  }

  func note(_ output: SessionOutput) {
    switch output {
    case .waiting(.retry):
      count(Self.retries)
    case .message(let message) where message.purpose == .care:
      count("rapport_care_given_total")
    case .done(let done):
      count(Self.replies)
      if !done.failed { faults.worked(.model) }
      if done.discoveryComplete { turnsToReady.record(done.turn) }
    default: break
    }
  }
}
