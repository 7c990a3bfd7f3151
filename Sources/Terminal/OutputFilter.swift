/// Removes whatever could control a terminal or disguise text.
///
/// Text from outside (a model, an error body, a file name) passes through a filter before a person
/// sees it. Control sequences are recognized as a terminal would, with the states of the
/// DEC/ECMA-48 parser, and dropped whole, at most to the end of their line; invisible and direction-changing characters are dropped
/// one by one; everything else is unchanged. Text may arrive in any number of pieces, and filtering
/// it twice changes nothing.
///
/// Use one filter per text, such as a reply, and call ``finish()`` at the end.
public struct OutputFilter: Sendable {
  /// Scalars dropped inside one control string (OSC, DCS, APC, PM, SOS) before it counts as
  /// unterminated. What follows is plain text again; what was dropped stays dropped.
  public static let controlStringLimit = 131_072

  private enum State {
    case text
    /// After ESC, and after any intermediate bytes.
    case escape
    /// After CSI, until a final byte.
    case controlSequence
    /// Until ST, until BEL if `endsAtBell`, or until the limit.
    case controlString(endsAtBell: Bool, dropped: Int)
  }

  private var state = State.text

  /// The part of the next piece that may be written. An unfinished sequence at the end is held back
  /// until later pieces complete it.
  public mutating func filter(_ text: String) -> String {
    if case .text = state, text.utf8.allSatisfy(OutputFilter.isPlainByte) { return text }
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where accepts(scalar) {
      kept.append(scalar)
    }
    return String(kept)
  }

  /// Ends the text: drops an unfinished sequence and resets the filter.
  public mutating func finish() {
    state = .text
  }

  /// Filters a complete text.
  public static func clean(_ text: String) -> String {
    var filter = OutputFilter()
    return filter.filter(text)
  }

  /// What somebody typed or piped in, without control sequences. Other text is unchanged.
  public static func withoutSequences(_ text: String) -> String {
    let hasSequence = text.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x9B }
    return hasSequence ? clean(text) : text
  }

  /// JSON text in which every forbidden scalar is written as a `\u` escape: the value is the same,
  /// and nothing in it controls a terminal.
  ///
  /// - Parameter json: Valid JSON, so such scalars occur only in strings.
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
      // CAN and SUB cancel any sequence, and an 8-bit control ends it or starts another.
      state = OutputFilter.stateAfterControl(scalar)
      return false
    case 0x0A:
      // What a broken sequence may hide ends with its line.
      state = .text
      return true
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

  /// A terminal executes a C0 control at once and continues the sequence. Anything beyond ASCII is
  /// not part of a sequence, so it ends a broken one and is text.
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

  /// Whether a scalar may be written. CR is dropped, which turns CRLF into LF.
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
