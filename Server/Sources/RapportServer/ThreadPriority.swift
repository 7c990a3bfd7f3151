import Glibc

/// Lets the threads that carry words to people go before those that think about the next ones.
enum ThreadPriority {
  private static let thread = __priority_which_t(PRIO_PROCESS.rawValue)
  /// Linux has a priority for each thread, although POSIX speaks of processes; this one is the first thread's.
  private static let lowered = min(19, getpriority(thread, id_t(getpid())) + 1)

  /// Lowers the calling thread's, if it is not yet: one system call, for each reply.
  static func lower() { _ = setpriority(thread, 0, lowered) }
}
