internal import Glibc

/// Single keys from a terminal, without waiting for Enter. Ctrl-C still interrupts.
///
/// The terminal's modes are restored when the reader goes away, and by ``TTY`` when the process
/// ends.
public final class KeyReader {
  public enum Key: Sendable, Equatable {
    case character(Character)
    case enter
    /// The terminal hung up, or Ctrl-D.
    case end
  }

  private let input: Int32
  private var initial = termios()

  /// Nil if the input is not a terminal.
  public init?(input: Int32 = 0) {
    guard isatty(input) == 1, tcgetattr(input, &initial) == 0 else { return nil }
    self.input = input
  }

  deinit { tcsetattr(input, TCSADRAIN, &initial) }

  /// The next key that was typed; nil if there is none.
  public func next() -> Key? {
    // Again each time: a shell changes the modes while the program is stopped.
    setModes()
    var waiting = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, 0) > 0 else { return nil }
    var byte: UInt8 = 0
    let count = read(input, &byte, 1)
    if count < 0 { return errno == EINTR || errno == EAGAIN ? nil : .end }
    switch byte {
    case _ where count == 0: return .end
    case 0x04: return .end
    case 0x0A, 0x0D: return .enter
    default: return .character(Character(Unicode.Scalar(byte)))
    }
  }

  private func setModes() {
    var modes = initial
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
    withUnsafeMutableBytes(of: &modes.c_cc) { bytes in
      bytes[Int(VMIN)] = 1
      bytes[Int(VTIME)] = 0
    }
    tcsetattr(input, TCSADRAIN, &modes)
  }
}
