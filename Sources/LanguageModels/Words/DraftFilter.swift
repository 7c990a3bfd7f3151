/// Keeps what a model wrote for itself out of its answer: thinking, the marks of its chat template, and
/// the turns that it makes up after its own.
///
/// Servers that know a model's format send these apart. Others pass them on as text. Which marks there are
/// says ``TemplateMark``; one that the answer speaks of is text, as ``MarkContext`` tells.
///
/// It decides scalar by scalar, so the result is the same however the answer was cut into pieces.
struct DraftFilter: Sendable {
  private enum Mode: Equatable {
    case words, thinking, ended
    /// A channel that is not the final one.
    case channel
    /// Behind a token that opens a turn or a channel: the letters of its name.
    case role(String)
    case name(String)
    /// Behind a token that ends a message, where another channel can follow.
    case afterMessage
  }

  private var mode = Mode.words
  private var context = MarkContext()
  /// Scalars that are not decided yet.
  private var pending: [Unicode.Scalar] = []
  private var isAtStart = true
  /// The answer began with a channel's name, so only `assistantfinal` ends the draft.
  private var isStripped = false
  private var hasFinalChannel = false
  /// The words of the answer so far, and how many bytes of them were shown.
  private var words = ""
  private var shownCount = 0
  /// Blanks before the first word; nil behind a mark, where they are dropped.
  private var blanks: String? = ""
  /// Words wait because this model's drafts end without having begun.
  private var isHeld: Bool
  /// What was shown turned out to be a draft.
  private var isReplaced = false

  /// Whether part of the answer was a draft.
  private(set) var hasDraft = false
  /// The closing tag of a draft came without its opening one.
  private(set) var hasOrphan = false
  /// A turn has ended: nothing after it counts.
  var isEnded: Bool { mode == .ended }
  /// The words of the answer, if a closing tag showed that what had passed before was a draft.
  var replacement: String? { isReplaced ? words : nil }

  /// - Parameter holdsStart: Whether to hold the words until a draft or the answer ends, for a model
  ///   whose drafts have no opening tag.
  init(holdsStart: Bool = false) { isHeld = holdsStart }

  /// - Returns: The words that can be shown now. None once there is a ``replacement``.
  mutating func receive(_ piece: String) -> String {
    if mode == .words, !words.isEmpty, !isStripped, pending.isEmpty, context.skim(piece) {
      words += piece
    } else {
      pending += piece.unicodeScalars
      read(isEnd: false)
    }
    return shown()
  }

  /// The answer has ended.
  ///
  /// - Returns: The rest of its words.
  mutating func finish() -> String {
    read(isEnd: true)
    isHeld = false
    return shown()
  }

  private mutating func shown() -> String {
    if isHeld || isReplaced { return "" }
    defer { shownCount = words.utf8.count }
    return String(words.utf8.dropFirst(shownCount)) ?? ""
  }

  private mutating func read(isEnd: Bool) {
    var position = 0
    while position < pending.count, mode != .ended {
      guard let length = step(pending[position...], isEnd) else { break }
      position += length
    }
    if mode == .ended || isEnd { pending = [] } else { pending.removeFirst(position) }
  }

  /// - Returns: How many scalars are done; nil if the next ones decide.
  private mutating func step(_ text: ArraySlice<Unicode.Scalar>, _ isEnd: Bool) -> Int? {
    var match = isStripped ? TemplateMark.strippedEnd(text, isEnd) : .none
    if match == .none, mode == .words, context.isAtLineStart,
      text.first?.properties.isWhitespace == false
    {
      match = TemplateMark.literal(text, isEnd, isAtStart: isAtStart)
      if match == .none { isAtStart = false }
    }
    if match == .none { match = TemplateMark.mark(text, isEnd) }
    guard case .found(let mark, let length) = match else {
      if match == .undecided { return nil }
      text.first.map { plain($0) }
      return 1
    }
    let counts = context.counts(
      mark, next: text.dropFirst(length), isEnd, isFirst: words.isEmpty,
      isDraft: mode == .thinking || mode == .channel)
    guard let counts else { return nil }
    isAtStart = false
    if counts {
      take(mark)
      context.endLine()
    } else {
      for scalar in text.prefix(length) { plain(scalar) }
    }
    return length
  }

  private mutating func plain(_ scalar: Unicode.Scalar) {
    switch mode {
    case .words where !words.isEmpty || !scalar.properties.isWhitespace:
      words += (blanks ?? "") + String(scalar)
      blanks = nil
      context.pass(scalar)
    case .words: blanks?.unicodeScalars.append(scalar)
    case .thinking, .channel: context.pass(scalar)
    case .role(let role) where scalar.properties.isAlphabetic: mode = .role(role + String(scalar))
    case .role(let role):
      begin(role)
      if mode == .words { plain(scalar) }
    case .name(let name): mode = .name(name + String(scalar))
    case .afterMessage: if !scalar.properties.isWhitespace { mode = .ended }
    case .ended: break
    }
  }

  private mutating func take(_ mark: TemplateMark) {
    switch (mark, mode) {
    case (.opening, .words):
      (isHeld, hasDraft, mode) = (false, true, .thinking)
    case (.closing, .thinking): endDraft()
    case (.closing, .words):
      hasOrphan = true
      restart()
    case (.strippedDraft(isDoubtful: false), _):
      (isStripped, hasDraft, mode) = (true, true, .channel)
    case (.strippedDraft, _): (isStripped, isHeld) = (true, true)
    case (.strippedFinal, _):
      (isStripped, hasFinalChannel) = (false, true)
      restart()
    case (.channel, .role(let role)) where !Self.isOwn(role): mode = .ended
    case (.channel, _): mode = .name("")
    case (.text, .role(let role)): begin(role)
    case (.text, .name(let name)) where name.contains("final"):
      // A draft before it began in the prompt.
      if !words.isEmpty, !hasFinalChannel {
        hasOrphan = true
        restart()
      }
      hasFinalChannel = true
      endDraft()
    case (.text, .name): (hasDraft, mode) = (true, .channel)
    case (.turn, .words) where !words.isEmpty: mode = .ended
    case (.turn, _): mode = .role("")
    case (.messageEnd, _): mode = hasFinalChannel ? .ended : .afterMessage
    case (.person(let role), .words), (.person(let role), .afterMessage): begin(role)
    case (.person(let role), _): if !Self.isOwn(role) { mode = .ended }
    case (.lead, _): blanks = nil
    case (.end, .words) where words.isEmpty, (.tagEnd, .words) where words.isEmpty: blanks = nil
    case (.end, .role), (.end, .name), (.tagEnd, .thinking), (.tagEnd, .channel): break
    case (.end, _), (.tagEnd, _): mode = .ended
    case (.opening, _), (.closing, _), (.text, _): break
    }
  }

  /// Everything before was a draft.
  private mutating func restart() {
    isReplaced = isReplaced || shownCount > 0
    (words, shownCount, isHeld) = ("", 0, false)
    endDraft()
  }

  private mutating func endDraft() {
    (mode, hasDraft, blanks, context) = (.words, true, nil, MarkContext())
  }

  /// A turn begins. The first one is the answer; the next one is made up, no matter whose it is.
  private mutating func begin(_ role: String) {
    (mode, blanks) = (Self.isOwn(role) && words.isEmpty ? .words : .ended, nil)
    hasDraft = hasDraft || words.isEmpty && mode == .ended
  }

  private static func isOwn(_ role: String) -> Bool {
    ["", "assistant", "model", "bot", "ai"].contains(role.lowercased())
  }
}
