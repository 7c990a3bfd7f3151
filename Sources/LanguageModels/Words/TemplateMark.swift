/// A mark of a chat template or of thinking, as it appears in an answer's text.
enum TemplateMark: Hashable, Sendable {
  /// Thinking begins or ends.
  case opening, closing
  /// The answer proper, which some models put between tags after their thinking.
  case answerTag(isClosing: Bool)
  /// A channel's name follows.
  case channel
  /// A message's text follows.
  case message
  /// A role follows.
  case turn
  /// A message ends, and another channel of the same turn can follow.
  case messageEnd
  /// Ends a role or qualifies a message; it's never text.
  case label
  /// The assistant's turn begins.
  case own
  /// The text begins.
  case lead
  /// HTML's strikethrough and the token of older models.
  case strike(isClosing: Bool)
  /// The end of the turn, or the start of another speaker's.
  case end

  enum Match: Hashable {
    case none
    /// The next scalars decide.
    case undecided
    case mark(TemplateMark, length: Int)
  }

  private static let longest = 48

  /// Whether a mark can begin with this scalar.
  static func mayBegin(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "<" || scalar == "[" || scalar == "\u{25C1}"
  }

  static func match(_ text: ArraySlice<Unicode.Scalar>, isEnd: Bool) -> Match {
    guard let first = text.first, mayBegin(first) else { return .none }
    let (closer, isTag) = closer(of: first)
    var name = ""
    for (index, scalar) in text.enumerated().dropFirst() {
      if scalar == closer {
        let mark = isTag ? tag(name) : bracketed(name, first)
        return mark.map { .mark($0, length: index + 1) } ?? .none
      }
      guard index < longest, isName(scalar, isTag) else { return .none }
      name.unicodeScalars.append(scalar)
    }
    return isEnd ? .none : .undecided
  }

  private static func closer(of first: Unicode.Scalar) -> (Unicode.Scalar, isTag: Bool) {
    switch first {
    case "<": (">", true)
    case "[": ("]", false)
    default: ("\u{25B7}", false)
    }
  }

  /// Letters, digits and what joins them; a token also has bars, plain or full-width.
  private static func isName(_ scalar: Unicode.Scalar, _ isTag: Bool) -> Bool {
    if scalar == "/" || scalar == "_" || scalar.properties.isAlphabetic { return true }
    guard isTag else { return false }
    return scalar.properties.numericType != nil
      || ["|", "\u{FF5C}", "\u{2581}", ":", "-", "."].contains(scalar)
  }

  /// `[THINK]`, `[/INST]` and `◁think▷`. In brackets, only capitals are a mark.
  private static func bracketed(_ name: String, _ first: Unicode.Scalar) -> TemplateMark? {
    let (word, isClosing) = withoutSlash(name)
    if first == "[", word != word.uppercased() { return nil }
    if isThinking(word) { return isClosing ? .closing : .opening }
    guard first == "[", word == "INST" else { return nil }
    return isClosing ? .own : .end
  }

  private static func tag(_ name: String) -> TemplateMark? {
    let bars: Set<Character> = ["|", "\u{FF5C}"]
    let opens = name.first.map(bars.contains) ?? false
    let closes = name.last.map(bars.contains) ?? false
    let inner = name.drop(while: bars.contains)
    let core = inner.reversed().drop(while: bars.contains).reversed()
    guard let word = core.isEmpty ? nil : String(core) else { return nil }
    switch (opens, closes) {
    case (true, true): return token(word)
    case (true, false): return half(word, opens: true)
    case (false, true): return half(word, opens: false)
    case (false, false): return plain(word)
    }
  }

  /// `<|name|>`: never words. What isn't known ends the turn.
  private static func token(_ name: String) -> TemplateMark {
    let name = name.lowercased().replacing("\u{2581}", with: "_")
    switch name {
    case "channel": return .channel
    case "message": return .message
    case "start", "im_start", "start_header_id", "start_of_role", "start_of_turn": return .turn
    case "end": return .messageEnd
    case "end_header_id", "im_sep", "end_of_role", "constrain": return .label
    case "assistant", "model", "im_assistant", "im_middle": return .own
    case "begin_of_text", "begin_of_sentence", "startoftext", "bos": return .lead
    default: break
    }
    let (word, isClosing) = withoutSlash(name)
    if mentionsThinking(word) {
      return isClosing || word.hasPrefix("end") ? .closing : .opening
    }
    for start in ["begin_of_", "start_"] where word.hasPrefix(start) { return .lead }
    return .end
  }

  /// `<|channel>` and `<channel|>`: a pair of tokens, each with one bar.
  private static func half(_ name: String, opens: Bool) -> TemplateMark? {
    switch name {
    case "channel", "think": opens ? .opening : .closing
    case "turn": opens ? .turn : .end
    default: nil
    }
  }

  private static func plain(_ name: String) -> TemplateMark? {
    let (word, isClosing) = withoutSlash(name)
    // A vendor's own prefix, such as `seed:think`.
    let local = String(word.split(separator: ":").last ?? "")
    if isThinking(local) { return isClosing ? .closing : .opening }
    switch word {
    case "answer", "response", "final": return .answerTag(isClosing: isClosing)
    case "s": return .strike(isClosing: isClosing)
    case "bos", "sop": return isClosing ? nil : .lead
    case "eos", "end_of_turn", "eop": return isClosing ? nil : .end
    case "start_of_turn": return isClosing ? nil : .turn
    default: return nil
    }
  }

  private static func withoutSlash(_ name: String) -> (String, isClosing: Bool) {
    name.hasPrefix("/") ? (String(name.dropFirst()), true) : (name, false)
  }

  /// The names that models give to their thinking.
  private static func isThinking(_ name: String) -> Bool {
    ["think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad"]
      .contains(name.lowercased())
  }

  private static func mentionsThinking(_ name: String) -> Bool {
    name.split(separator: "_").contains { isThinking(String($0)) }
  }
}

/// The channel format after its tokens were stripped: `analysis` and `assistantfinal` directly before
/// a message's text.
enum StrippedChannel {
  enum Match: Hashable {
    case none, undecided
    case final(length: Int)
    /// Doubtful before a small letter: it could be the beginning of a word.
    case draft(length: Int, isDoubtful: Bool)
  }

  private static let end = Array("assistantfinal".unicodeScalars)
  private static let heads =
    ["assistantanalysis", "assistantcommentary", "analysis", "commentary"]
    .map { (Array($0.unicodeScalars), isFinal: false) }
    + ["assistantfinal", "final"].map { (Array($0.unicodeScalars), isFinal: true) }

  static let longest = end.count

  /// How a text begins.
  static func match(_ text: ArraySlice<Unicode.Scalar>, isEnd: Bool) -> Match {
    for (head, isFinal) in heads {
      guard text.count > head.count else {
        if !isEnd, head.starts(with: text) { return .undecided }
        continue
      }
      guard text.starts(with: head) else { continue }
      let next = text[text.startIndex + head.count].properties
      guard next.isAlphabetic else { return .none }
      if isFinal { return next.isLowercase ? .none : .final(length: head.count) }
      return .draft(length: head.count, isDoubtful: next.isLowercase)
    }
    return .none
  }

  /// Where the text of the final channel begins.
  static func final(in text: ArraySlice<Unicode.Scalar>) -> Int? {
    text.firstRange(of: end)?.upperBound
  }
}
