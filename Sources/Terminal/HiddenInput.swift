internal import CLineEdit

/// The result of asking for a secret.
public enum HiddenInput: Sendable, Equatable {
  /// What was typed or pasted, without surrounding white space; possibly empty.
  case value(String)
  case interrupted
  case endOfInput
  /// More than `limit` bytes were typed; nothing is kept.
  case tooLong(limit: Int)

  /// The default maximum length of a secret, in bytes.
  public static let defaultLimit = 4096

  /// Reads a line from a terminal without echo. Always restores the terminal's modes.
  static func read(
    prompt: String, input: Int32, output: Int32, escapes: Bool, limit: Int
  ) async -> HiddenInput {
    await BlockingRead.run(interrupted: .interrupted, failed: .endOfInput) {
      var buffer = [CChar](repeating: 0, count: limit)
      // Assigning zeros keeps the secret out of freed memory.
      defer { for index in buffer.indices { buffer[index] = 0 } }
      var length = 0
      let outcome = cle_read_hidden(
        input, output, prompt, escapes ? 1 : 0, &buffer, limit, &length)
      switch outcome {
      case CLE_READY:
        return .value(
          String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self))
      case CLE_INTERRUPTED:
        return .interrupted
      case CLE_TOO_LONG:
        return .tooLong(limit: limit)
      default:
        return .endOfInput
      }
    }
  }
}
