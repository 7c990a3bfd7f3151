import CoreMetrics
import Intake
import Metrics

/// What the server counts.
struct ServerMetrics: Sendable {
  private let factory: any MetricsFactory
  private let streams: Meter
  private let firstToken: Timer
  private let turnsToReady: Recorder
  private let storing: Timer

  init(_ factory: any MetricsFactory) {
    self.factory = factory
    streams = Meter(label: "rapport_streams_open", factory: factory)
    firstToken = Timer(label: "rapport_first_token_seconds", factory: factory)
    turnsToReady = Recorder(label: "rapport_turns_to_ready", factory: factory)
    storing = Timer(label: "rapport_store_append_seconds", factory: factory)
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
  func stored(in time: Duration) { storing.record(duration: time) }

  func note(_ output: SessionOutput) {
    switch output {
    case .waiting(.retry):
      Counter(label: "rapport_model_retries_total", factory: factory).increment()
    case .message(let message) where message.purpose == .care:
      Counter(label: "rapport_care_given_total", factory: factory).increment()
    case .done(let done) where done.discoveryComplete: turnsToReady.record(done.turn)
    default: break
    }
  }
}
