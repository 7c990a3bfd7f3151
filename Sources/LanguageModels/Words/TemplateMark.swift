/// A mark of a chat template or of thinking, as it appears in an answer's text.
enum TemplateMark: Hashable, Sendable {
  /// Thinking begins or ends.
  case opening, closing
  /// A channel's name follows, a role follows, or a message's text does.
  case channel, turn, text
  /// A message ends, and another channel of the same turn can follow.
  case messageEnd
  /// The turn of somebody with this role begins.
  case person(String)
  /// The text begins, or a tag around it ends; also HTML's strikethrough.
  case lead, tagEnd
  case end
  /// Channels after their tokens were stripped. A doubtful one could be the beginning of a sentence.
  case strippedDraft(isDoubtful: Bool)
  case strippedFinal

  enum Match: Hashable {
    case none
    /// The next scalars decide.
    case undecided
    /// With its length.
    case found(TemplateMark, Int)
  }

  /// What stands between the signs, which have bars in tokens (`<|name|>`, `[|name|]`). A token that is not named
  /// here ends the turn, and a tag is text.
  private static let marks = table([
    (.channel, "|channel|"), (.text, "|message| |end_header_id| |im_sep| |end_of_role|"),
    (
      .turn,
      "|start| |im_start| |start_header_id| |start_of_role| |start_of_turn| |turn start_of_turn"
    ),
    (.messageEnd, "|end|"), (.person(""), "|assistant| |model| |im_assistant| |im_middle| [/inst"),
    (.person("user"), "|user| |system| |tool| [inst"), (.opening, "|channel |think unused94"),
    (.closing, "channel| think| unused95"), (.end, "eos eop end_of_turn turn|"),
    (.lead, "|startoftext| |bos| s bos sop answer response final"),
    (.tagEnd, "/s /answer /response /final"),
  ])
  /// What models call their thinking, alone or among other words: `inner_thoughts`, `seed:think`.
  private static let thinking = Set(
    "think thinking thought thoughts reason reasoning reflection scratchpad analysis cot monologue"
      .split(separator: " "))
  private static let literals = table([
    (
      .person("user"),
      "User Human USER **User **Human ###User ###Human ###Instruction Usuario Benutzer Nutzer user"
    ),
    (
      .person(""),
      "Assistant ASSISTANT **Assistant ###Assistant ###Response Asistente Assistent assistant thought"
    ),
    (.strippedDraft(isDoubtful: false), "assistantanalysis assistantcommentary"),
    (.strippedDraft(isDoubtful: true), "analysis commentary"),
    (.strippedFinal, "assistantfinal final"),
  ])
  /// MiniMax's tokens, whose signs are not pairs.
  private static let unpaired: [(token: String, mark: TemplateMark)] = [
    ("[e~[", .end), ("]~b]", .turn), ("]~!b[", .lead),
  ]
  private static let closers: [Unicode.Scalar: Unicode.Scalar] = [
    "<": ">", "[": "]", "\u{25C1}": "\u{25B7}",
  ]
  private static let longest = 80
  private static let shortest = 3

  private static func table(_ rows: [(TemplateMark, String)]) -> [String: TemplateMark] {
    rows.reduce(into: [:]) { table, row in
      for name in row.1.split(separator: " ") {
        table[String(name).replacing("###", with: "### ")] = row.0
      }
    }
  }

  /// Whether a mark can begin with this scalar.
  static func mayBegin(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "]" || closers[scalar] != nil
  }

  static func mark(_ text: ArraySlice<Unicode.Scalar>, _ isEnd: Bool) -> Match {
    for (token, mark) in unpaired {
      let scalars = token.unicodeScalars
      if text.starts(with: scalars) { return .found(mark, scalars.count) }
      if !isEnd, scalars.starts(with: text) { return .undecided }
    }
    guard let first = text.first, let closer = closers[first] else { return .none }
    let inner = text.dropFirst().prefix(longest + 1).prefix {
      $0 != closer && $0 != "<" && $0 != "\n"
    }
    let words = String(String.UnicodeScalarView(inner)).split(
      separator: " ", omittingEmptySubsequences: false)
    let name = words.first.map(String.init) ?? ""
    // Only what is called thinking can have attributes.
    let isPlain = words.count == 1 || first == "<" && mentionsThinking(name)
    guard inner.count <= longest, isPlain, name.unicodeScalars.allSatisfy({ isName($0, first) })
    else { return .none }
    guard text.count > inner.count + 1 else { return isEnd ? .none : .undecided }
    guard text[text.startIndex + inner.count + 1] == closer,
      words.dropFirst().allSatisfy({ $0.isEmpty || $0.contains("=") }),
      let mark = TemplateMark(name, in: first)
    else { return .none }
    return .found(mark, inner.count + 2)
  }

  /// Letters, digits and what joins them; a token also has bars, plain or full-width.
  private static func isName(_ scalar: Unicode.Scalar, _ first: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || "/_|".unicodeScalars.contains(scalar)
      || first == "<"
        && (scalar.properties.numericType != nil
          || "\u{FF5C}\u{2581}:-.".unicodeScalars.contains(scalar))
  }

  private init?(_ written: String, in first: Unicode.Scalar) {
    let name = written.lowercased().replacing("\u{2581}", with: "_").replacing(
      "\u{FF5C}", with: "|")
    let words = name.split { "|/_:-".contains($0) }
    let isToken = name.hasPrefix("|") && name.hasSuffix("|") && !words.isEmpty
    // In brackets, only capitals and tokens are a mark.
    if first == "[", !isToken, written != written.uppercased() { return nil }
    if let mark = Self.marks[first == "[" && !isToken ? "[" + name : name] {
      self = mark
    } else if Self.mentionsThinking(name), isToken || !name.contains("|") {
      self = name.contains("/") || words.first == "end" ? .closing : .opening
    } else if isToken {
      self = words.first == "begin" || words.first == "start" ? .lead : .end
    } else {
      return nil
    }
  }

  private static func mentionsThinking(_ name: String) -> Bool {
    // A short one can be the end of another word (`apricot`).
    name.lowercased().split { "|/_:-".contains($0) }.contains { word in
      thinking.contains { $0 == word || $0.count > shortest && word.hasSuffix($0) }
    }
  }

  /// A mark without signs around it: the name of a channel that an answer begins with, its own label, or
  /// anybody's at the beginning of a later line.
  static func literal(_ text: ArraySlice<Unicode.Scalar>, _ isEnd: Bool, isAtStart: Bool) -> Match {
    for (word, mark) in literals
    where mark == .person("") || (mark == .person("user")) != isAtStart {
      let (scalars, length) = (word.unicodeScalars, word.unicodeScalars.count)
      if text.count <= length, !isEnd, scalars.starts(with: text) { return .undecided }
      guard text.count > length, text.starts(with: scalars) else { continue }
      let next = text[text.startIndex + length]
      let isWord =
        next.properties.isWhitespace && next != "\n" || next.properties.isLowercase
        || ".,:;!?-'\u{2019}\u{2013}/)".unicodeScalars.contains(next)
      switch mark {
      case .person:
        let found = label(mark, length, word, text.dropFirst(length), isEnd)
        if found != .none { return found }
      case .strippedDraft where !isWord: return .found(.strippedDraft(isDoubtful: false), length)
      case .strippedDraft(isDoubtful: true): return .found(mark, 0)
      case .strippedFinal where isWord && word == "final": return .none
      default: return .found(mark, length)
      }
    }
    return .none
  }

  /// A label ends in a colon, inside or outside of what makes it bold. A header without its tokens is a line of its
  /// own.
  private static func label(
    _ mark: TemplateMark, _ length: Int, _ word: String, _ rest: ArraySlice<Unicode.Scalar>,
    _ isEnd: Bool
  ) -> Match {
    let isHeader = word.utf8.first.map { $0 > UInt8(ascii: "Z") } == true
    for end in word.hasPrefix("**") ? [":**", "**:"] : isHeader ? ["\n"] : [":"] {
      if rest.starts(with: end.unicodeScalars) { return .found(mark, length + end.count) }
      if !isEnd, end.unicodeScalars.starts(with: rest) { return .undecided }
    }
    return .none
  }

  /// Where the draft of a stripped channel ends.
  static func strippedEnd(_ text: ArraySlice<Unicode.Scalar>, _ isEnd: Bool) -> Match {
    let end = "assistantfinal".unicodeScalars
    if text.starts(with: end) { return .found(.strippedFinal, end.count) }
    return !isEnd && end.starts(with: text) ? .undecided : .none
  }
}
