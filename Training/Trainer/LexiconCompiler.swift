import OfflineScorer

/// Turns word lists into the table that the tokenizer probes.
struct LexiconCompiler {
  private(set) var slots: [UInt32: LexiconSlot] = [:]
  private(set) var classNames: [UInt32: String] = [:]
  private(set) var notes: [String] = []
  private var phrases:
    [(words: String, lemma: UInt32, symbol: UInt32, flags: UInt16, second: UInt16)] = []

  init(_ lexicon: Lexicon) {
    for group in lexicon.groups where group.name != "number" { declare(group) }
    declareNumbers()
    compilePhrases()
  }

  private mutating func declare(_ group: Lexicon.Group) {
    let symbol = Symbol.ofClass(group.name)
    if let other = classNames[symbol], other != group.name {
      notes.append("classes \(other) and \(group.name) clash: rename one")
    }
    classNames[symbol] = group.name
    for entry in group.entries {
      let first = Hash.word(entry[0].filter { $0 != "<" }.filter { $0 != "'" })
      for spelling in entry { declare(spelling, lemma: first, symbol, group) }
    }
  }

  private mutating func declare(
    _ spelling: String, lemma: UInt32, _ symbol: UInt32, _ group: Lexicon.Group
  ) {
    let isPast = spelling.hasSuffix("<")
    let text = spelling.filter { $0 != "<" && $0 != "'" }
    let own = group.kinds.contains("own")
    // A class that sets the mood or names the subject is its own symbol, whichever word it was.
    var flags = TokenFlags.known.rawValue
    if !own || group.name != "function" && group.kinds.contains("own") && !Self.isClosed(group.name)
    {
      flags |= TokenFlags.content.rawValue
    }
    if group.kinds.contains("mode") { flags |= TokenFlags.mode.rawValue }
    if group.kinds.contains("subject") { flags |= TokenFlags.subject.rawValue }
    if isPast { flags |= TokenFlags.past.rawValue }
    let isFunction = group.name == "function"
    let stands = isFunction ? lemma : symbol
    if text.contains(" ") || text.contains("-") {
      phrases.append((text, lemma, stands, flags, 0))
      return
    }
    insert(text, lemma, stands, symbol, flags, isFunction: isFunction)
    guard !isFunction, !isPast else { return }
    for (form, past) in Self.forms(text, group.kinds) {
      let key = Hash.word(form)
      if slots[key] == nil {
        slots[key] = LexiconSlot(
          key: key, lemma: lemma, symbol: stands, second: 0,
          flags: flags | (past ? TokenFlags.past.rawValue : 0))
      }
    }
  }

  private mutating func insert(
    _ text: String, _ lemma: UInt32, _ stands: UInt32, _ symbol: UInt32, _ flags: UInt16,
    isFunction: Bool
  ) {
    let key = Hash.word(text)
    if var slot = slots[key] {
      if slot.second == 0, slot.symbol != stands, !isFunction {
        slot.second = UInt16(symbol)
        slots[key] = slot
      } else {
        notes.append("\(text): already in two classes, or twice in one")
      }
      return
    }
    slots[key] = LexiconSlot(key: key, lemma: lemma, symbol: stands, second: 0, flags: flags)
  }

  /// Classes whose words say nothing by themselves.
  private static func isClosed(_ name: String) -> Bool {
    [
      "function", "me", "you", "third", "not", "can", "will", "must", "was", "if", "because", "but",
      "when",
    ]
    .contains(name)
  }

  private static func forms(_ word: String, _ kinds: Set<String>) -> [(String, past: Bool)] {
    guard word.count >= 3, word.allSatisfy({ $0.isASCII && $0.isLetter }) else { return [] }
    var forms: [(String, past: Bool)] = []
    let endsInY = word.hasSuffix("y") && !"aeiou".contains(word.dropLast().last ?? "a")
    if kinds.contains("nouns") || kinds.contains("verbs") {
      if endsInY {
        forms.append((word.dropLast() + "ies", false))
      } else if word.hasSuffix("s") || word.hasSuffix("ch") || word.hasSuffix("sh")
        || word.hasSuffix("x")
      {
        forms.append((word + "es", false))
      } else {
        forms.append((word + "s", false))
      }
    }
    guard kinds.contains("verbs") else { return forms }
    let stem = word.hasSuffix("e") ? String(word.dropLast()) : word
    let letters = Array(word)
    let doubles =
      letters.count <= 5 && letters.count >= 3 && !"aeiouwxy".contains(letters[letters.count - 1])
      && "aeiou".contains(letters[letters.count - 2])
      && !"aeiou".contains(letters[letters.count - 3])
    for base in doubles ? [word + String(letters[letters.count - 1]), stem] : [stem] {
      forms.append((base + "ing", false))
      forms.append((base + "in", false))
      forms.append((base + "ed", true))
    }
    if endsInY { forms.append((word.dropLast() + "ied", true)) }
    return forms
  }

  /// Number words count as the numbers they name.
  private mutating func declareNumbers() {
    let small = [
      "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
      "eleven",
      "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
      "twenty",
    ]
    var values = Dictionary(uniqueKeysWithValues: small.enumerated().map { ($1, UInt64($0)) })
    for (word, value) in [
      ("thirty", 30), ("forty", 40), ("fourty", 40), ("fifty", 50), ("sixty", 60), ("seventy", 70),
      ("eighty", 80), ("ninety", 90), ("hundred", 100), ("thousand", 3000),
    ] { values[word] = UInt64(value) }
    for (word, value) in values where !["one", "zero"].contains(word) {
      let key = Hash.word(word)
      let symbol = Symbol.number(value)
      slots[key] = LexiconSlot(
        key: key, lemma: Symbol.numberLemma(value, symbol: symbol), symbol: symbol, second: 0,
        flags: TokenFlags([.number, .known, .content]).rawValue)
    }
  }

  private mutating func compilePhrases() {
    for length in 2...4 {
      let stage = phrases.filter { $0.words.split { $0 == " " || $0 == "-" }.count == length }
      let model = ModelWriter.lexiconOnly(Array(slots.values))
      for phrase in stage {
        let lemmas = model.withModel { OfflineFeatures.lemmas(of: phrase.words, $0) }
        add(phrase.words, lemmas, phrase.lemma, phrase.symbol, phrase.flags)
      }
      shareMarks()
    }
    for phrase in phrases where phrase.words.split(separator: " ").count > 4 {
      notes.append("\(phrase.words): longer than four words")
    }
  }

  private mutating func add(
    _ words: String, _ lemmas: [(lemma: UInt32, key: UInt32)], _ lemma: UInt32, _ symbol: UInt32,
    _ flags: UInt16
  ) {
    guard (2...4).contains(lemmas.count), let last = lemmas.last else {
      if lemmas.count > 4 { notes.append("\(words): too many words") }
      if lemmas.count == 1 { notes.append("\(words): a shorter phrase covers it") }
      return
    }
    let key = lemmas.dropFirst().reduce(lemmas[0].lemma) { Hash.pair($0, $1.lemma) }
    if var slot = slots[key] {
      if slot.second == 0, slot.symbol != symbol, symbol < 66_000 {
        slot.second = UInt16(symbol)
        slots[key] = slot
      } else {
        notes.append("\(words): already in two classes, or twice in one")
      }
    } else {
      slots[key] = LexiconSlot(key: key, lemma: lemma, symbol: symbol, second: 0, flags: flags)
    }
    let ends: [Int: TokenFlags] = [2: .endsPair, 3: .endsTriple, 4: .endsQuadruple]
    mark(lemmas[0], TokenFlags.startsPhrase.rawValue)
    mark(last, ends[lemmas.count]?.rawValue ?? 0)
  }

  /// What one spelling may begin or end, all spellings of it may.
  private mutating func shareMarks() {
    let marks = TokenFlags.endsPhrase.union(.startsPhrase).rawValue
    var shared: [UInt32: UInt16] = [:]
    for slot in slots.values { shared[slot.lemma, default: 0] |= slot.flags & marks }
    for (key, slot) in slots { slots[key]?.flags |= shared[slot.lemma] ?? 0 }
  }

  /// Every form of a word may begin or end the phrase that one form does.
  private mutating func mark(_ word: (lemma: UInt32, key: UInt32), _ bit: UInt16) {
    for (key, slot) in slots where slot.lemma == word.lemma && slot.flags & bit == 0 {
      slots[key]?.flags |= bit
    }
    if slots[word.key] == nil {
      slots[word.key] = LexiconSlot(
        key: word.key, lemma: word.lemma, symbol: Symbol.unknown, second: 0,
        flags: TokenFlags.content.rawValue | bit)
    } else {
      slots[word.key]?.flags |= bit
    }
  }
}
