import Glibc

/// The system's monotonic clock, in nanoseconds.
struct MonotonicTime: Comparable, Sendable {
  var nanoseconds: Int64

  static let distantFuture = MonotonicTime(nanoseconds: .max)

  static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  static func < (a: MonotonicTime, b: MonotonicTime) -> Bool { a.nanoseconds < b.nanoseconds }

  /// A later time, or the distant future if the duration is too long to count.
  func adding(_ nanoseconds: Int64) -> MonotonicTime {
    let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    return overflow ? .distantFuture : MonotonicTime(nanoseconds: sum)
  }

  /// Whole milliseconds from `earlier` to this time, rounded up, at least 0.
  func milliseconds(since earlier: MonotonicTime) -> Int32 {
    guard self > earlier else { return 0 }
    let left = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds).partialValue
    return Int32(clamping: left / 1_000_000 + 1)
  }
}

extension Duration {
  /// Between zero and about 292 years.
  var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? 0 : .max }
    let (sum, carried) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return carried ? .max : max(0, sum)
  }
}
