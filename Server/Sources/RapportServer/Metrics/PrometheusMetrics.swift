public import CoreMetrics
import Synchronization

/// Counts, and writes what it counted in Prometheus' text format (version 0.0.4).
///
/// Labels are few and fixed by the program; none holds anything that a client sent.
public final class PrometheusMetrics: MetricsFactory, Sendable {
  fileprivate struct Key: Hashable {
    var name: String
    var labels: String
  }

  fileprivate enum Kind { case counter, gauge, seconds, values }

  fileprivate struct Series {
    var kind: Kind
    var value = 0.0
    var sum = 0.0
    var buckets: [Int] = []
  }

  private static let secondBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
  private static let valueBounds: [Double] = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 50]

  private let state = Mutex<[Key: Series]>([:])

  public init() {}

  private func key(_ label: String, _ dimensions: [(String, String)]) -> Key {
    let text = dimensions.map { name, value in "\(name)=\"\(Self.escaped(value))\"" }
    return Key(name: label, labels: text.joined(separator: ","))
  }

  private static func escaped(_ value: String) -> String {
    let hasEscapes = value.unicodeScalars.contains { $0 == "\\" || $0 == "\"" || $0 == "\n" }
    guard hasEscapes else { return value }
    return value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("\n", with: "\\n")
  }

  fileprivate func change(_ key: Key, _ kind: Kind, _ work: (inout Series) -> Void) {
    state.withLock { state in work(&state[key, default: Series(kind: kind)]) }
  }

  fileprivate func observe(_ key: Key, _ kind: Kind, _ value: Double) {
    let bounds = kind == .seconds ? Self.secondBounds : Self.valueBounds
    change(key, kind) { series in
      if series.buckets.isEmpty { series.buckets = Array(repeating: 0, count: bounds.count) }
      series.value += 1
      series.sum += value
      for (index, bound) in bounds.enumerated() where value <= bound { series.buckets[index] += 1 }
    }
  }

  /// Everything so far.
  public var text: String {
    let all = state.withLock { $0 }.sorted {
      ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels)
    }
    var (text, last) = ("", "")
    for (key, series) in all {
      let type =
        switch series.kind {
        case .counter: "counter"
        case .gauge: "gauge"
        case .seconds, .values: "histogram"
        }
      if key.name != last { text += "# TYPE \(key.name) \(type)\n" }
      last = key.name
      text += lines(key, series)
    }
    return text
  }

  private func lines(_ key: Key, _ series: Series) -> String {
    func line(_ suffix: String, _ labels: String, _ value: Double) -> String {
      let number = value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
      return "\(key.name)\(suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(number)\n"
    }
    guard [.seconds, .values].contains(series.kind) else {
      return line("", key.labels, series.value)
    }
    let bounds = series.kind == .seconds ? Self.secondBounds : Self.valueBounds
    let before = key.labels.isEmpty ? "" : key.labels + ","
    let buckets = zip(bounds, series.buckets).map { bound, count in
      let shown = bound == bound.rounded() ? "\(Int(bound))" : "\(bound)"
      return line("_bucket", "\(before)le=\"\(shown)\"", Double(count))
    }
    return buckets.joined() + line("_bucket", "\(before)le=\"+Inf\"", series.value)
      + line("_sum", key.labels, series.sum) + line("_count", key.labels, series.value)
  }
}

extension PrometheusMetrics {
  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    Handler(metrics: self, key: key(label, dimensions), kind: .counter)
  }

  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    Handler(metrics: self, key: key(label, dimensions), kind: .gauge)
  }

  public func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    Handler(metrics: self, key: key(label, dimensions), kind: aggregate ? .values : .gauge)
  }

  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    Handler(metrics: self, key: key(label, dimensions), kind: .seconds)
  }

  public func destroyCounter(_: any CounterHandler) {}
  public func destroyMeter(_: any MeterHandler) {}
  public func destroyRecorder(_: any RecorderHandler) {}
  public func destroyTimer(_: any TimerHandler) {}
}

private final class Handler: CounterHandler, MeterHandler, RecorderHandler, TimerHandler, Sendable {
  private let metrics: PrometheusMetrics
  private let key: PrometheusMetrics.Key
  private let kind: PrometheusMetrics.Kind

  init(metrics: PrometheusMetrics, key: PrometheusMetrics.Key, kind: PrometheusMetrics.Kind) {
    (self.metrics, self.key, self.kind) = (metrics, key, kind)
  }

  func increment(by amount: Int64) { metrics.change(key, kind) { $0.value += Double(amount) } }
  func reset() { metrics.change(key, kind) { $0.value = 0 } }
  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { metrics.change(key, kind) { $0.value = value } }
  func increment(by amount: Double) { metrics.change(key, kind) { $0.value += amount } }
  func decrement(by amount: Double) { metrics.change(key, kind) { $0.value -= amount } }
  func record(_ value: Int64) { record(Double(value)) }
  func record(_ value: Double) {
    if kind == .gauge { set(value) } else { metrics.observe(key, kind, value) }
  }
  func recordNanoseconds(_ duration: Int64) {
    metrics.observe(key, .seconds, Double(duration) / 1e9)
  }
}
