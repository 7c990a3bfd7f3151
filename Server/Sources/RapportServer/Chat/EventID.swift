import SessionStore

/// Names one event of one reply: `conversation.position.stamp.run.number`.
///
/// The position and the time of the last event that was stored before the reply place it in the log,
/// so that an id still means something after the server was stopped. The run tells two attempts at
/// the same place apart.
struct EventID: Hashable, Sendable {
  /// A place in a conversation's log.
  struct Base: Hashable, Sendable {
    /// Position of the last event before the reply; 0 if there was none.
    var position: Int
    /// Its time in milliseconds since 1970; 0 if there was none.
    var stamp: Int64
  }

  var conversation: SessionID
  var base: Base
  var run: String
  /// Counted from 0.
  var number: Int
}

extension EventID: CustomStringConvertible {
  var description: String { Self.prefix(conversation, base, run) + "\(number)" }

  static func prefix(_ conversation: SessionID, _ base: Base, _ run: String) -> String {
    "\(conversation).\(base.position).\(String(base.stamp, radix: 36)).\(run)."
  }

  /// Nil if the text is not an id.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= 128, parts.count == 5, let position = Int(parts[1]), position >= 0,
      let stamp = Int64(parts[2], radix: 36), stamp >= 0, let number = Int(parts[4]), number >= 0
    else { return nil }
    self.init(
      conversation: SessionID(rawValue: String(parts[0])),
      base: Base(position: position, stamp: stamp), run: String(parts[3]), number: number)
    guard description == text else { return nil }
  }
}
