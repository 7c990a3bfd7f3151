/// What a reader who comes back to a conversation gets. Decided here and nowhere else.
enum Resumption: Hashable, Sendable {
  /// The events of the reply that is remembered, from this number on.
  case follow(from: Int)
  /// Nothing until the run has ended. Then it is decided again.
  case wait
  /// A new run: what was stored after the reader's last event, and what the coach still owes.
  case begin
  /// The reader names an event that the reply does not have.
  case refuse

  /// - Parameters:
  ///   - run: The conversation's latest run.
  ///   - last: The last event that the reader has; nil for none.
  init(of run: Run.Status, after last: EventID?) {
    let otherwise: Resumption = run.phase == .over ? .begin : .wait
    // A step has no events, and takes no longer than storing it.
    guard run.purpose != .step else {
      self = otherwise
      return
    }
    guard let last, last.run == run.name, last.base == run.base else {
      switch run.phase {
      case .replying: self = last == nil ? .follow(from: 0) : .wait
      // Suggestions end with whatever is written next.
      case .suggesting, .over: self = .begin
      }
      return
    }
    if last.number >= run.count {
      self = .refuse
    } else if run.hasFailed, run.purpose == .reply, last.number == run.count - 1 {
      // Whoever comes back after the end of a reply that failed wants another.
      self = otherwise
    } else {
      self = .follow(from: last.number + 1)
    }
  }
}
