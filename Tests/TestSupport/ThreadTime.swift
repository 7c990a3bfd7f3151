import Glibc

/// Seconds that the calling thread works on something, which a busy machine does not make more.
public func secondsOfWork<Result>(_ work: () throws -> Result) rethrows -> (Double, Result) {
  let start = threadSeconds()
  let result = try work()
  return (threadSeconds() - start, result)
}

private func threadSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
