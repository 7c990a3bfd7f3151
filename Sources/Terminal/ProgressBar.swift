/// How far a long task is, as one line: a bar, the share, the count, its rate, and the time left.
///
/// It reads no clock and writes nothing. Tasks that end within ``delay`` show nothing.
public struct ProgressBar: Sendable {
  /// Shorter tasks need no bar.
  public static let delay = Duration.seconds(2)
  /// Between two drawings.
  public static let interval = Duration.milliseconds(200)

  /// What is done so far.
  public struct Progress: Sendable, Equatable {
    /// Things done, in the bar's unit.
    public var count: Int
    /// 0 to 1; nil if the end is unknown.
    public var share: Double?

    public init(count: Int, share: Double?) { (self.count, self.share) = (count, share) }
  }

  /// What is counted.
  public enum Unit: Sendable, Equatable {
    /// A plural that ends in s, such as `conversations`.
    case things(String)
    case bytes
  }

  private let unit: Unit
  private let alphabet: BarChart.Alphabet
  private let start: ContinuousClock.Instant
  private var drawn: ContinuousClock.Instant?

  public init(_ unit: Unit, alphabet: BarChart.Alphabet, start: ContinuousClock.Instant) {
    (self.unit, self.alphabet, self.start) = (unit, alphabet, start)
  }

  /// The line to show now, narrower than `columns`; nil while the last one may stay.
  public mutating func line(
    _ progress: Progress, now: ContinuousClock.Instant, columns: Int
  ) -> String? {
    guard now - start >= Self.delay, drawn.map({ now - $0 >= Self.interval }) ?? true else {
      return nil
    }
    drawn = now
    let seconds = (now - start) / .seconds(1)
    let share = progress.share.map { $0.isFinite ? min(max($0, 0), 1) : 0 }
    let rate = Double(progress.count) / seconds
    var parts: [String] = []
    if let share { parts.append(Self.percent(share)) }
    parts += [counted(progress.count), "\(figure(rate))/s"]
    if let share, share > 0 { parts.append(Self.time(seconds / share - seconds) + " left") }
    return Self.fitted(parts, share: share, alphabet, columns: columns)
  }

  /// The line is gone, so the next one is due at once.
  mutating func wasErased() { drawn = nil }

  private static let barWidth = 24

  /// The parts behind a bar if there is room for it, and as many of them as fit.
  private static func fitted(
    _ parts: [String], share: Double?, _ alphabet: BarChart.Alphabet, columns: Int
  ) -> String {
    let room = columns - 1
    var parts = parts
    func text() -> String { parts.joined(separator: "  ") }
    while parts.count > 1, displayWidth(of: text()) > room { parts.removeLast() }
    let line = text()
    let width = min(barWidth, room - displayWidth(of: line) - 2)
    guard let share, width >= 8 else { return shortened(line, to: room) }
    return BarChart.bar(share, width: width, alphabet) + "  " + line
  }

  private static func percent(_ share: Double) -> String {
    let percent = String(Int(share * 100))
    return String(repeating: " ", count: 3 - percent.count) + percent + "%"
  }

  private func counted(_ count: Int) -> String {
    switch unit {
    case .things(let name):
      Self.grouped(count) + " " + (count == 1 ? String(name.dropLast()) : name)
    case .bytes: figure(Double(count))
    }
  }

  private func figure(_ value: Double) -> String {
    switch unit {
    case .things: value < 10 ? Self.tenths(value) : Self.grouped(Int(value))
    case .bytes:
      switch value {
      case 1e9...: Self.tenths(value / 1e9) + " GB"
      case 1e6...: Self.tenths(value / 1e6) + " MB"
      default: "\(Int(value / 1e3)) kB"
      }
    }
  }

  private static func tenths(_ value: Double) -> String {
    let tenths = Int(value * 10)
    return "\(tenths / 10).\(tenths % 10)"
  }

  private static func grouped(_ number: Int) -> String {
    number < 1_000
      ? "\(number)"
      : grouped(number / 1_000) + "," + String(1_000 + number % 1_000).dropFirst()
  }

  private static func time(_ seconds: Double) -> String {
    guard seconds < 360_000 else { return "days" }
    let whole = max(1, Int(seconds.rounded(.up)))
    switch whole {
    case ..<100: return "\(whole) s"
    case ..<5_940: return "\((whole + 30) / 60) min"
    default: return "\(whole / 3_600) h \(whole % 3_600 / 60) min"
    }
  }
}
