internal import CLineEdit
internal import Glibc
internal import Synchronization

/// A key that was pressed, of the few that a menu understands.
public enum KeyPress: Sendable, Equatable {
  case character(Character)
  case enter, up, down, left, right, backspace
  /// Esc alone.
  case escape
  /// Ctrl-C, or a canceled task.
  case interrupted
  /// The terminal hung up, or Ctrl-D.
  case end
}

extension TTY {
  /// Waits for a key, without echo and without waiting for Enter. The terminal stays in that mode until
  /// ``endKeys()``, so that no key is lost between two reads.
  ///
  /// - Returns: nil if the input is not a terminal, or the output cannot be redrawn.
  public func readKey() async -> KeyPress? {
    guard canRedraw, beginKeys() else { return nil }
    let input = keyInput
    return await BlockingRead.run(interrupted: .interrupted, failed: .end) {
      KeyBytes(input: input).next()
    }
  }

  /// Whether another key follows soon, as while somebody is typing a number. It stays to be read.
  public func isTyping() async -> Bool {
    let input = keyInput
    return await BlockingRead.run(interrupted: false, failed: false) {
      KeyBytes(input: input).isReady(within: Self.pause)
    }
  }

  /// Between two keys of somebody who types without a break, in milliseconds.
  private static let pause: Int32 = 700

  /// Lines are read again.
  public func endKeys() {
    modesBeforeKeys.withLock { modes in
      guard var initial = modes else { return }
      tcsetattr(keyInput, TCSADRAIN, &initial)
      modes = nil
    }
  }

  /// Keys are read from now on. Begin before a screen that takes keys is drawn: Ctrl-C is a key then, and
  /// typed in between it would go nowhere.
  ///
  /// - Returns: Whether the input is a terminal.
  @discardableResult
  public func beginKeys() -> Bool {
    // The line editor puts the usual modes back when it is made, which mustn't happen between screens.
    _ = lineEditor()
    return modesBeforeKeys.withLock { modes in
      // Reading a line in the meantime changed the terminal's modes.
      var raw = termios()
      guard tcgetattr(keyInput, &raw) == 0 else { return false }
      modes = modes ?? raw
      raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
      raw.c_iflag &= ~tcflag_t(IXON)
      withUnsafeMutableBytes(of: &raw.c_cc) { bytes in
        bytes[Int(VMIN)] = 1
        bytes[Int(VTIME)] = 0
      }
      tcsetattr(keyInput, TCSADRAIN, &raw)
      return true
    }
  }
}

/// Reads one key from a terminal that passes them on at once.
private struct KeyBytes {
  let input: Int32

  func next() -> KeyPress {
    while true {
      switch cle_wait_readable(input) {
      case CLE_READY: break
      case CLE_INTERRUPTED: return .interrupted
      default: return .end
      }
      guard let first = byte() else { return .end }
      switch first {
      case 0x03: return .interrupted
      case 0x04: return .end
      case 0x0A, 0x0D: return .enter
      case 0x08, 0x7F: return .backspace
      case 0x1B: if let key = escaped() { return key }
      default: return character(first)
      }
    }
  }

  /// How long the rest of an escape sequence may take, in milliseconds.
  private static let patience: Int32 = 40

  /// Nil for a key that means nothing here, such as PageUp or a click.
  private func escaped() -> KeyPress? {
    guard isReady, let second = byte() else { return .escape }
    guard second == UInt8(ascii: "[") || second == UInt8(ascii: "O") else { return .escape }
    var sequence: [UInt8] = []
    while isReady, let next = byte() {
      sequence.append(next)
      if (0x40...0x7E).contains(next) { break }
    }
    switch String(decoding: sequence, as: UTF8.self) {
    case "A": return .up
    case "B": return .down
    case "C": return .right
    case "D": return .left
    // Three bytes of a click follow, in the form that all terminals know.
    case "M": for _ in 0..<3 where isReady { _ = byte() }
    default: break
    }
    return nil
  }

  private func character(_ first: UInt8) -> KeyPress {
    var bytes = [first]
    let count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1
    while bytes.count < count, isReady, let next = byte() { bytes.append(next) }
    return .character(String(decoding: bytes, as: UTF8.self).first ?? "\u{FFFD}")
  }

  private var isReady: Bool { isReady(within: Self.patience) }

  func isReady(within milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, milliseconds) > 0
  }

  private func byte() -> UInt8? {
    var byte: UInt8 = 0
    while true {
      let count = read(input, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      return count == 1 ? byte : nil
    }
  }
}
