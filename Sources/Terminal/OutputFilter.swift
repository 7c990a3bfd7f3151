/// Lets through only what cannot steer a terminal or disguise text.
///
/// Text from outside (a model, an error body, a file's name) goes through a filter before it is
/// written anywhere a person reads it. Control sequences are recognised as a terminal would, by
/// the states of the DEC/ECMA-48 parser, and dropped whole; invisible and direction-changing
/// characters are dropped one by one; everything else stays as it is. A text may arrive in any
/// number of pieces, and filtering what has been filtered changes nothing.
///
/// Use one filter for one text, such as a reply, and ``finish()`` at its end.
public struct OutputFilter: Sendable {
  /// Scalars dropped inside one control string (OSC, DCS, APC, PM, SOS) before the string counts
  /// as never ended. What follows is plain text again; what was dropped stays dropped.
  public static let controlStringLimit = 131_072

  private enum State {
    case text
    /// After ESC, and after any intermediate bytes.
    case escape
    /// After CSI, until a final byte.
    case controlSequence
    /// Until ST, BEL where `endsAtBell`, or the limit.
    case controlString(endsAtBell: Bool, dropped: Int)
  }

  private var state = State.text

  public init() {}

  /// The part of the next piece that may be written. An unfinished sequence at its end is held
  /// back and decided by the pieces that follow.
  public mutating func filter(_ text: String) -> String {
    if case .text = state, text.utf8.allSatisfy(OutputFilter.isPlainByte) { return text }
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where accepts(scalar) {
      kept.append(scalar)
    }
    return String(kept)
  }

  /// Ends the text: an unfinished sequence is dropped, and the filter is ready for another text.
  public mutating func finish() {
    state = .text
  }

  /// Filters a text that is there as a whole.
  public static func clean(_ text: String) -> String {
    var filter = OutputFilter()
    return filter.filter(text)
  }

  /// JSON text in which every scalar that may not be written is spelled as a `\u` escape: the value
  /// stays the same, and nothing in it steers a terminal.
  ///
  /// - Parameter json: Valid JSON, where such scalars occur in strings only.
  public static func escaped(json: String) -> String {
    if json.utf8.allSatisfy(isPlainByte) { return json }
    return json.unicodeScalars.reduce(into: "") { result, scalar in
      if isAllowed(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
  }

  private static func isPlainByte(_ byte: UInt8) -> Bool {
    (0x20...0x7E).contains(byte) || byte == 0x0A || byte == 0x09
  }
}

extension OutputFilter {
  private mutating func accepts(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1B:
      state = .escape
      return false
    case 0x18, 0x1A, 0x80...0x9F:
      // CAN and SUB cancel any sequence, and an 8-bit control ends it or begins another.
      state = OutputFilter.stateAfterControl(scalar)
      return false
    default:
      break
    }
    switch state {
    case .text:
      return OutputFilter.isAllowed(scalar)
    case .escape:
      return acceptsInEscape(scalar)
    case .controlSequence:
      return acceptsInSequence(scalar)
    case .controlString(let endsAtBell, let dropped):
      let isOver =
        (endsAtBell && scalar.value == 0x07)
        || dropped + 1 >= OutputFilter.controlStringLimit
      state = isOver ? .text : .controlString(endsAtBell: endsAtBell, dropped: dropped + 1)
      return false
    }
  }

  private mutating func acceptsInEscape(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "[": state = .controlSequence
    case "]": state = .controlString(endsAtBell: true, dropped: 0)
    case "P", "X", "^", "_": state = .controlString(endsAtBell: false, dropped: 0)
    case " "..."/": break
    case "0"..."~": state = .text
    default: return acceptsAmidSequence(scalar)
    }
    return false
  }

  private mutating func acceptsInSequence(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case " "..."?": break
    case "@"..."~": state = .text
    default: return acceptsAmidSequence(scalar)
    }
    return false
  }

  /// A terminal acts on a C0 control at once and goes on with the sequence; anything beyond ASCII
  /// belongs to no sequence, so it ends a broken one and is text.
  private mutating func acceptsAmidSequence(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value > 0x7F { state = .text }
    return OutputFilter.isAllowed(scalar)
  }

  private static func stateAfterControl(_ scalar: Unicode.Scalar) -> State {
    switch scalar.value {
    case 0x9B: .controlSequence
    case 0x9D: .controlString(endsAtBell: true, dropped: 0)
    case 0x90, 0x98, 0x9E, 0x9F: .controlString(endsAtBell: false, dropped: 0)
    default: .text
    }
  }

  /// Whether a scalar may be written. CR is left out, which turns CRLF into LF.
  static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: true
    case 0x00...0x1F, 0x7F...0x9F: false
    case 0x00...0xAC: true
    // Soft hyphen, Arabic letter mark, Mongolian vowel separator, zero-width space, marks,
    // separators, embeddings, invisible operators, isolates, deprecated format characters, BOM,
    // interlinear annotation, tags. U+200C and U+200D stay: Persian and emoji need them.
    case 0xAD, 0x61C, 0x180E, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x2064,
      0x2066...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
      false
    default: true
    }
  }
}
