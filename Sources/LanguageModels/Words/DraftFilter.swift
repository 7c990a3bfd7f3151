/// Keeps what a model wrote for itself out of its answer: thinking, the marks of its chat template,
/// and the turns that it makes up after its own.
///
/// Servers that know a model's format send these apart. Others pass them on as text:
/// - thinking between tags (`<think>…</think>`, `[THINK]…`, `◁think▷…`), also with the closing tag
///   alone, because the opening one was part of the prompt;
/// - channels (`<|channel|>analysis<|message|>…`), also after the tokens were stripped from them
///   (`analysis…assistantfinal…`);
/// - end-of-turn tokens (`<|im_end|>`, `</s>`), after which some models go on with the other
///   person's turn.
///
/// A mark that the answer speaks of is text: in code, in quotes, in a string of a JSON object, or in
/// the middle of a sentence.
///
/// It decides scalar by scalar, so the result is the same however the answer was cut into pieces.
struct DraftFilter: Sendable {
  private enum Mode: Equatable {
    case words
    /// Thinking until a closing tag.
    case thinking
    /// A channel that isn't the final one.
    case channel
    /// The analysis of a format whose tokens were stripped, until its final channel. Without that, a
    /// doubtful one was words.
    case stripped(isDoubtful: Bool)
    /// Behind a token that opens a turn: the role's letters.
    case role(String)
    /// Behind a token that opens a channel: its name.
    case channelName(String)
    /// Behind a token that ends a message, where another channel can follow.
    case afterMessage
    case ended
  }

  private var mode = Mode.words
  private var surroundings = MarkSurroundings()
  /// Scalars that aren't decided yet.
  private var pending: [Unicode.Scalar] = []
  /// Whether words have passed; blanks don't count.
  private var hasWords = false
  private var hasStarted = false
  /// Blanks before the first word.
  private var blanks = ""
  /// Blanks behind a mark aren't words.
  private var dropsBlanks = false
  /// Whether earlier pieces had words to show.
  private var hasShown = false
  private var hasFinalChannel = false
  private var isInAnswerTag = false
  /// Words that are held because this model's drafts end without having begun.
  private var early: String?
  private var out = ""

  /// Whether part of the answer was a draft.
  private(set) var hasDraft = false
  /// The closing tag of a draft came without its opening one.
  private(set) var hasOrphan = false
  /// An end-of-turn token has arrived: nothing after it counts.
  var isEnded: Bool { mode == .ended }
  /// The words of the answer, if a closing tag showed that what had passed before was a draft.
  private(set) var replacement: String?

  /// - Parameter holdsStart: Whether to hold the words until a draft or the answer ends, for a model
  ///   whose drafts have no opening tag.
  init(holdsStart: Bool = false) { early = holdsStart ? "" : nil }

  /// - Returns: The words that can be shown now. None once there is a ``replacement``.
  mutating func receive(_ piece: String) -> String {
    out = ""
    if mode == .words, hasWords, pending.isEmpty, surroundings.skim(piece) {
      pass(piece)
    } else {
      pending.append(contentsOf: piece.unicodeScalars)
      read(isEnd: false)
    }
    return shown()
  }

  /// The answer has ended.
  ///
  /// - Returns: The rest of its words.
  mutating func finish() -> String {
    out = ""
    read(isEnd: true)
    if mode == .stripped(isDoubtful: true) {
      mode = .words
      read(isEnd: true)
    }
    pending = []
    releaseEarly()
    return shown()
  }

  // MARK: - Passing words

  private mutating func shown() -> String {
    if !out.isEmpty { hasShown = true }
    return out
  }

  private mutating func releaseEarly() {
    guard let held = early else { return }
    early = nil
    add(held)
  }

  private mutating func pass(_ scalar: Unicode.Scalar) {
    if !hasWords {
      if scalar.properties.isWhitespace {
        if !dropsBlanks { blanks.unicodeScalars.append(scalar) }
        return
      }
      hasWords = true
      let before = blanks
      blanks = ""
      if !before.isEmpty { add(before) }
    }
    add(String(scalar))
  }

  private mutating func pass(_ text: String) {
    guard !hasWords else { return add(text) }
    for scalar in text.unicodeScalars { pass(scalar) }
  }

  private mutating func add(_ text: String) {
    if early != nil {
      early?.append(text)
    } else if replacement != nil {
      replacement?.append(text)
    } else {
      out += text
    }
  }

  /// Everything before was a draft.
  private mutating func orphan() {
    hasOrphan = true
    early = nil
    if hasShown || replacement != nil { replacement = "" }
    // What came in this same piece hasn't been shown.
    out = ""
    hasWords = false
    endDraft()
  }

  private mutating func endDraft() {
    mode = .words
    (hasDraft, dropsBlanks) = (true, true)
    blanks = ""
    surroundings = MarkSurroundings()
  }

  // MARK: - Reading

  private mutating func read(isEnd: Bool) {
    var position = 0
    while position < pending.count, mode != .ended {
      guard let length = step(at: position, isEnd: isEnd) else { break }
      position += length
    }
    if mode == .ended { pending = [] } else { pending.removeFirst(min(position, pending.count)) }
  }

  /// - Returns: How many scalars are done; nil if the next ones decide.
  private mutating func step(at position: Int, isEnd: Bool) -> Int? {
    let scalar = pending[position]
    switch mode {
    case .ended: return pending.count - position
    case .stripped: return stepStripped(at: position, isEnd: isEnd)
    case .words where !hasStarted:
      guard !scalar.properties.isWhitespace else { break }
      switch StrippedChannel.match(pending[position...], isEnd: isEnd) {
      case .undecided: return nil
      case .final(let length):
        hasStarted = true
        (hasDraft, hasFinalChannel) = (true, true)
        return length
      case .draft(let length, let isDoubtful):
        hasStarted = true
        if !isDoubtful { hasDraft = true }
        mode = .stripped(isDoubtful: isDoubtful)
        return isDoubtful ? 0 : length
      case .none: hasStarted = true
      }
    default: break
    }
    switch TemplateMark.match(pending[position...], isEnd: isEnd) {
    case .undecided: return nil
    case .none: return plain(scalar)
    case .mark(let mark, let length):
      guard
        let counts = surroundings.counts(
          mark, next: pending[(position + length)...], isEnd: isEnd, isDraft: isDraft,
          isFirst: !hasWords)
      else { return nil }
      guard counts else {
        for scalar in pending[position..<(position + length)] { _ = plain(scalar) }
        return length
      }
      take(mark)
      surroundings.passMark()
      return length
    }
  }

  private var isDraft: Bool { mode == .thinking || mode == .channel }

  private mutating func plain(_ scalar: Unicode.Scalar) -> Int {
    switch mode {
    case .words:
      pass(scalar)
      surroundings.pass(scalar)
    case .thinking, .channel: surroundings.pass(scalar)
    case .role(let role):
      if scalar.properties.isAlphabetic {
        mode = .role(role + String(scalar))
      } else {
        begin(role: role)
        return mode == .words && !scalar.properties.isWhitespace ? plain(scalar) : 1
      }
    case .channelName(let name): mode = .channelName(name + String(scalar))
    case .afterMessage: if !scalar.properties.isWhitespace { mode = .ended }
    case .stripped, .ended: break
    }
    return 1
  }

  /// The stripped form has only one mark, and everything before it is thinking.
  private mutating func stepStripped(at position: Int, isEnd: Bool) -> Int? {
    let rest = pending[position...]
    if let found = StrippedChannel.final(in: rest) {
      hasDraft = true
      hasFinalChannel = true
      mode = .words
      return found - position
    }
    if mode == .stripped(isDoubtful: true) { return nil }
    return isEnd ? rest.count : max(0, rest.count - StrippedChannel.longest).nonZero
  }

  // MARK: - Marks

  private mutating func take(_ mark: TemplateMark) {
    hasStarted = true
    switch mark {
    case .opening:
      releaseEarly()
      hasDraft = true
      if mode != .channel { mode = .thinking }
    case .closing:
      if mode == .thinking { endDraft() } else if mode == .words { orphan() }
    case .answerTag(let isClosing): takeAnswerTag(isClosing)
    case .channel: takeChannel()
    case .message: takeMessage()
    case .turn: mode = hasWords && mode == .words ? .ended : .role("")
    case .messageEnd: mode = hasFinalChannel ? .ended : .afterMessage
    case .label: if case .role(let role) = mode { begin(role: role) }
    case .own: if mode == .words || mode == .afterMessage { begin(role: "") }
    case .lead, .strike(isClosing: false): dropsBlanks = true
    case .end: mode = .ended
    case .strike(isClosing: true): if !isDraft { mode = .ended }
    }
  }

  private mutating func takeAnswerTag(_ isClosing: Bool) {
    guard mode == .words else { return }
    if isClosing {
      if isInAnswerTag { mode = .ended }
    } else if hasDraft, !hasWords {
      isInAnswerTag = true
    }
  }

  private mutating func takeChannel() {
    if case .role(let role) = mode, !Self.isOwn(role) {
      mode = .ended
    } else {
      mode = .channelName("")
    }
  }

  private mutating func takeMessage() {
    switch mode {
    case .channelName(let name) where name.firstWord == "final":
      // A draft before it began in the prompt.
      if hasWords, !hasFinalChannel { orphan() }
      hasFinalChannel = true
      endDraft()
    case .channelName:
      hasDraft = true
      mode = .channel
    case .role(let role): begin(role: role)
    default: break
    }
  }

  /// A turn begins. The first one is the answer; the next one is made up, whoever's it is.
  private mutating func begin(role: String) {
    mode = !hasWords && Self.isOwn(role) ? .words : .ended
    dropsBlanks = true
  }

  private static func isOwn(_ role: String) -> Bool {
    role.isEmpty || ["assistant", "model", "bot"].contains(role.lowercased())
  }
}

extension Int {
  fileprivate var nonZero: Int? { self == 0 ? nil : self }
}

extension String {
  fileprivate var firstWord: String {
    String(
      unicodeScalars.drop { !$0.properties.isAlphabetic }.prefix { $0.properties.isAlphabetic })
  }
}
