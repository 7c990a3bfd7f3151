import CScorerModel

/// Splits a message into tokens in one pass over its bytes.
struct Tokenizer {
  let model: ScorerModel
  let text: UnsafePointer<UInt8>
  let count: Int
  private let kinds: UnsafePointer<UInt8>
  private let wordBytes: UnsafePointer<UInt8>
  private let words: UnsafeMutablePointer<WordMemory.Word>
  private let filter: UnsafePointer<UInt64>
  var position = 0
  var pending: TokenFlags = .afterStop
  private var sentenceStart = 0
  var inQuotes = false
  /// Which of the last three tokens may begin a phrase that is still open. Bit 0 is the last.
  private var openings: UInt16 = 0
  /// Combined keys of the last one, two and three tokens.
  private var lastKeys: (UInt32, UInt32, UInt32) = (0, 0, 0)

  init(
    model: ScorerModel, memory: borrowing WordMemory, text: UnsafePointer<UInt8>, count: Int
  ) {
    (self.model, self.text, self.count) = (model, text, count)
    words = memory.words
    filter = UnsafePointer(memory.filter)
    kinds = scorer_byte_kinds()
    wordBytes = scorer_word_bytes()
  }

  @inline(__always)
  func kind(_ byte: UInt8) -> ByteKind { ByteKind(rawValue: kinds[Int(byte)]) ?? .other }

  mutating func run(into tokens: inout FlatBuffer<Token>) {
    sentenceStart = tokens.count
    while position < count {
      let byte = text[position]
      // Nearly always one of these two; the CPU would mispredict a jump table.
      if wordBytes[Int(byte)] > UInt8(ascii: "9") {
        word(into: &tokens)
        continue
      }
      if byte == UInt8(ascii: " ") {
        position += 1
        continue
      }
      switch kind(byte) {
      case .letter: word(into: &tokens)
      case .space: position += 1
      case .digit: number(into: &tokens)
      case .stop: stop(byte, &tokens)
      case .comma:
        if !isInsideWord(byte) { pending.insert(.afterComma) }
        position += 1
      case .sign: sign(byte, into: &tokens)
      case .quote:
        inQuotes.toggle()
        position += 1
      case .other, .apostrophe:
        if isMarkup(byte) { pending.insert(.markup) }
        position += 1
      case .high: high(into: &tokens)
      }
    }
  }

  // MARK: Marks

  private mutating func stop(_ byte: UInt8, _ tokens: inout FlatBuffer<Token>) {
    position += 1
    // "a.m.", "e.g.": a point right before a letter doesn't end a sentence.
    if byte == UInt8(ascii: "."), position < count, kind(text[position]) == .letter { return }
    if byte == UInt8(ascii: "?") {
      for index in sentenceStart..<max(sentenceStart, tokens.count) {
        tokens.base[index].flags.insert(.inQuestion)
      }
    }
    pending.insert(.afterStop)
    sentenceStart = tokens.count
    inQuotes = inQuotes && byte != 0x0A
  }

  /// The hyphen of "check-in" and the slash of "on/off" separate words, not clauses.
  @inline(__always)
  private func isInsideWord(_ byte: UInt8) -> Bool {
    guard byte == UInt8(ascii: "-") || byte == UInt8(ascii: "/"), position > 0, position + 1 < count
    else { return false }
    return kind(text[position - 1]) != .space && kind(text[position + 1]) != .space
      && text[position + 1] != byte && text[position - 1] != byte
  }

  /// `{"`, `<|`, `</`, `[[`: not natural language.
  @inline(__always)
  private func isMarkup(_ byte: UInt8) -> Bool {
    guard position + 1 < count else { return false }
    let next = text[position + 1]
    switch byte {
    case UInt8(ascii: "{"): return next == UInt8(ascii: "\"")
    case UInt8(ascii: "<"): return next == UInt8(ascii: "|") || next == UInt8(ascii: "/")
    case UInt8(ascii: "["): return next == UInt8(ascii: "[")
    default: return false
    }
  }

  /// `$`, `%`, `&` and `+` are separate words.
  private mutating func sign(_ byte: UInt8, into tokens: inout FlatBuffer<Token>) {
    let start = position
    position += 1
    append(meaning(Hash.finish(Hash.step(Hash.seed, byte))), from: start, into: &tokens)
  }

  private mutating func high(into tokens: inout FlatBuffer<Token>) {
    let first = text[position]
    let second = position + 1 < count ? text[position + 1] : 0
    let third = position + 2 < count ? text[position + 2] : 0
    switch (first, second) {
    case (0xE2, 0x80) where third >= 0x93 && third <= 0x95 || third == 0xA6:
      pending.insert(.afterComma)
      position += 3
    case (0xE2, 0x80) where third >= 0x9C && third <= 0x9F:
      inQuotes.toggle()
      position += 3
    case (0xE2, 0x80...0x81), (0xEF, 0xB8), (0xEF, 0xBB), (0xE2, 0x84...0x9E), (0xE3, 0x80):
      position += 3
    case (0xC2, 0xA3): currency(2, into: &tokens)
    case (0xC2, _): position += 2
    case (0xF0, 0x9F): emoji(into: &tokens)
    case (0xF0..., _): position += 4
    default: word(into: &tokens)
    }
    if position > count { position = count }
  }

  private mutating func currency(_ length: Int, into tokens: inout FlatBuffer<Token>) {
    let start = position
    var state = Hash.seed
    for _ in 0..<length where position < count {
      state = Hash.step(state, text[position])
      position += 1
    }
    append(meaning(Hash.finish(state)), from: start, into: &tokens)
  }

  /// An emoji ends the statement before it, like a full stop.
  private mutating func emoji(into tokens: inout FlatBuffer<Token>) {
    let start = position
    var state = Hash.seed
    for _ in 0..<4 where position < count {
      state = Hash.step(state, text[position])
      position += 1
    }
    let key = Hash.finish(state)
    let slot = model.slot(key)
    tokens.append(
      Token(
        start: UInt32(start), end: UInt32(position), lemma: slot?.lemma ?? key,
        symbol: slot?.symbol ?? Symbol.emoji, second: 0, flags: pending.union(.content)))
    _ = mayEndPhrase(lemma: slot?.lemma ?? key, pending.union(.content))
    pending = .afterComma
  }

  // MARK: Words

  private mutating func word(into tokens: inout FlatBuffer<Token>) {
    let start = position
    let spelling = scorer_spell_at(text, position, count)
    guard spelling.length > 0 else {
      return append(meaning(spelledOut()), from: start, into: &tokens)
    }
    let place = words + WordMemory.place(of: spelling)
    if place.pointee.low == spelling.low, place.pointee.high == spelling.high {
      position += spelling.length
    } else {
      place.pointee = WordMemory.Word(
        low: spelling.low, high: spelling.high, slot: meaning(spelledOut()))
    }
    append(place.pointee.slot, from: start, into: &tokens)
  }

  /// Reads a word letter by letter.
  ///
  /// - Returns: The word's key.
  private mutating func spelledOut() -> UInt32 {
    let start = position
    var state = Hash.seed
    var runStart = state
    var previous: UInt8 = 0
    var isRun = false
    while position < count {
      var byte = wordBytes[Int(text[position])]
      if byte == 0 {
        let length = inner()
        if length == 0 { break }
        if length > 1 || text[position] == UInt8(ascii: "'") {
          position += length
          continue
        }
        byte = text[position]
      }
      position += 1
      if byte == previous {
        // "soooo": a repeated letter counts once.
        if isRun {
          state = runStart
          continue
        }
        isRun = true
        state = Hash.step(state, byte)
      } else {
        isRun = false
        previous = byte
        state = Hash.step(state, byte)
        runStart = state
      }
    }
    if position == start { position += 1 }
    return Hash.finish(state)
  }

  /// The length in bytes of a mark inside a word: an apostrophe before a letter, or one byte
  /// of a non-ASCII letter. 0 if the word ends here.
  private func inner() -> Int {
    let byte = text[position]
    if byte == UInt8(ascii: "'") {
      return position + 1 < count && wordBytes[Int(text[position + 1])] > 0x39 ? 1 : 0
    }
    guard byte >= 0x80 else { return 0 }
    if byte == 0xE2 {
      return isApostrophe(at: position) && position + 3 < count
        && wordBytes[Int(text[position + 3])] > 0x39 ? 3 : 0
    }
    return byte >= 0xF0 || byte == 0xC2 ? 0 : 1
  }

  private func isApostrophe(at index: Int) -> Bool {
    index + 2 < count && text[index] == 0xE2 && text[index + 1] == 0x80
      && (text[index + 2] == 0x99 || text[index + 2] == 0x98)
  }

  /// The lexicon's entry for a key; symbol 0 if it has none.
  @inline(__always)
  private func meaning(_ key: UInt32) -> LexiconSlot {
    model.slot(key)
      ?? LexiconSlot(
        key: key, lemma: key, symbol: 0, second: 0, flags: TokenFlags.content.rawValue)
  }

  @inline(__always)
  private mutating func append(
    _ meaning: LexiconSlot, from start: Int, into tokens: inout FlatBuffer<Token>
  ) {
    let symbol = meaning.symbol == 0 ? unknownSymbol(start) : meaning.symbol
    var flags = pending.union(TokenFlags(rawValue: meaning.flags))
    if inQuotes { flags.insert(.quoted) }
    pending = []
    tokens.append(
      Token(
        start: UInt32(start), end: UInt32(position), lemma: meaning.lemma, symbol: symbol,
        second: UInt32(meaning.second), flags: flags))
    if mayEndPhrase(lemma: meaning.lemma, flags) { mergePhrase(&tokens) }
  }

  /// Whether phrases may end with the token just read. Nearly always false, and computed
  /// without unpredictable branches.
  @inline(__always)
  mutating func mayEndPhrase(lemma: UInt32, _ flags: TokenFlags) -> Bool {
    let open = flags.contains(.afterStop) ? 0 : openings
    let lengths = flags.intersection(.endsPhrase).rawValue / TokenFlags.endsPair.rawValue & open
    openings = (open << 1 | flags.rawValue / TokenFlags.startsPhrase.rawValue & 1) & 7
    let keys = (
      Hash.pair(lastKeys.0, lemma), Hash.pair(lastKeys.1, lemma), Hash.pair(lastKeys.2, lemma)
    )
    lastKeys = (lemma, keys.0, keys.1)
    let known = mayBeKnown(keys.0) | mayBeKnown(keys.1) << 1 | mayBeKnown(keys.2) << 2
    return lengths & known != 0
  }

  @inline(__always)
  private func mayBeKnown(_ key: UInt32) -> UInt16 {
    let bit = WordMemory.bit(key)
    return UInt16(truncatingIfNeeded: filter[Int(bit >> 6)] >> UInt64(bit & 63) & 1)
  }

  @inline(__always)
  private func unknownSymbol(_ start: Int) -> UInt32 {
    if text[start] &- 0x41 < 26 && start > 0 { return Symbol.unknownName }
    guard position - start >= 5 else { return Symbol.unknown }
    switch (text[position - 2] | 0x20, text[position - 1] | 0x20) {
    case (UInt8(ascii: "n"), UInt8(ascii: "g")): return Symbol.unknownGerund
    case (UInt8(ascii: "e"), UInt8(ascii: "d")): return Symbol.unknownPast
    case (UInt8(ascii: "l"), UInt8(ascii: "y")): return Symbol.unknownAdverb
    default: return Symbol.unknown
    }
  }

  /// Merges the last two to four tokens if the lexicon lists them as a phrase.
  @inline(never)
  private mutating func mergePhrase(_ tokens: inout FlatBuffer<Token>) {
    var isMerged = true
    while isMerged {
      isMerged = false
      let flags = tokens[tokens.count - 1].flags
      if flags.contains(.endsQuadruple) { isMerged = merge(4, &tokens) }
      if !isMerged, flags.contains(.endsTriple) { isMerged = merge(3, &tokens) }
      if !isMerged, flags.contains(.endsPair) { isMerged = merge(2, &tokens) }
    }
    reopen(tokens)
  }

  /// Updates which phrases are still open after tokens were merged.
  private mutating func reopen(_ tokens: borrowing FlatBuffer<Token>) {
    (openings, lastKeys) = (0, (0, 0, 0))
    for index in max(0, tokens.count - 3)..<tokens.count {
      _ = mayEndPhrase(lemma: tokens[index].lemma, tokens[index].flags)
    }
  }

  @inline(__always)
  private func merge(_ length: Int, _ tokens: inout FlatBuffer<Token>) -> Bool {
    let first = tokens.count - length
    guard first >= 0, tokens[first].flags.contains(.startsPhrase) else { return false }
    var key = tokens[first].lemma
    for index in (first + 1)..<tokens.count {
      guard tokens[index].flags.isDisjoint(with: .afterStop) else { return false }
      key = Hash.pair(key, tokens[index].lemma)
    }
    guard mayBeKnown(key) == 1, let slot = model.slot(key) else { return false }
    let end = tokens[tokens.count - 1].end
    let before = tokens[first].flags.intersection([.afterStop, .afterComma, .quoted, .markup])
    tokens[first] = Token(
      start: tokens[first].start, end: end, lemma: slot.lemma, symbol: slot.symbol,
      second: UInt32(slot.second), flags: before.union(TokenFlags(rawValue: slot.flags)))
    tokens.truncate(to: first + 1)
    return true
  }
}

/// What a byte can start or be part of.
enum ByteKind: UInt8 {
  case letter, digit, space, stop, comma, sign, quote, apostrophe, high, other
}
