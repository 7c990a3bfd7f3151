import ContextQuality
import IncrementalJSON
import Journeys
import Plans
import Terminal

/// Shows a journey's screens to a person, one at a time, and reads what they do.
struct JourneyTerminal {
  let terminal: TTY
  let alphabet: BarChart.Alphabet

  enum Act: Equatable {
    case input(JourneyInput)
    /// A look at the tip or other units, with what is chosen and not sent.
    case aside(JourneyInput, keeping: JSONValue?)
    /// Back, from what was chosen or typed but not sent.
    case back(leaving: JSONValue?)
    /// The person left, or the input ended.
    case left
    case interrupted

    /// What stays for the next time the screen is shown.
    var unsent: JSONValue? {
      switch self {
      case .back(let value), .aside(_, let value): value
      case .input, .left, .interrupted: nil
      }
    }
  }

  private var hasKeys: Bool { terminal.canRedraw }

  /// - Parameter input: What could not be saved, or was left; it stands there to be sent again.
  func ask(_ screen: JourneyScreen, keeping input: JourneyInput? = nil) async -> Act {
    let kept: JSONValue? = if case .answer(let value) = input { value } else { nil }
    if takesLines(screen) && codeLength(screen) == nil || !hasKeys {
      return await askForLine(screen, keeping: kept)
    }
    return await askForKeys(screen, keeping: kept)
  }

  /// - Parameter place: Below a conversation, whose last words stay.
  func show(_ screen: JourneyScreen, _ place: Place = .newWindow) {
    draw(ScreenLines(screen: screen, alphabet: alphabet), place)
  }

  enum Place {
    case newWindow
    /// In place of the same screen.
    case again
    case below
  }

  private func takesLines(_ screen: JourneyScreen) -> Bool {
    switch screen.input {
    case .text, .number, .timeRange, .open, .email, .code, .edit: true
    case .stepper, .select, .message, nil: false
    }
  }

  /// Of a code, which is sent as soon as its last digit is typed. A project can send longer ones, so it
  /// is not if more is typed, or if that length was wrong once.
  private func codeLength(_ screen: JourneyScreen) -> Int? {
    if case .code(let digits, _) = screen.input { digits } else { nil }
  }

  private func draw(_ text: ScreenLines, _ place: Place = .newWindow, hint: Bool = false) {
    switch place {
    case .newWindow: terminal.clearWindow()
    case .again: terminal.eraseWindow()
    case .below: break
    }
    var isFirst = true
    for line in text.lines {
      // Air around the question; a pipe gets lines.
      let air = terminal.isInteractive && (line.role == .bold || isFirst) ? "\n" : ""
      isFirst = false
      terminal.write(air + terminal.wrapped(line.text, after: line.lead) + "\n", as: line.role)
    }
    guard hint else { return }
    let rows = text.hint(columns: terminal.size.columns)
    guard !rows.isEmpty else { return }
    let hints = rows.map { terminal.wrapped($0) }.joined(separator: "\n")
    terminal.write((terminal.isInteractive ? "\n" : "") + hints + "\n", as: .dim)
  }
}

// Keys.
extension JourneyTerminal {
  private func askForKeys(_ screen: JourneyScreen, keeping kept: JSONValue?) async -> Act {
    var text = lines(screen, keeping: kept)
    var first = screen.isWordByWord ? await speak(text) : nil
    var typed = isStepper(screen) ? kept?.stringValue ?? "" : ""
    var isShown = screen.isWordByWord
    let resendAt = ContinuousClock.now + .seconds(screen.resendIn)
    while true {
      draw(text, isShown ? .again : .newWindow, hint: true)
      isShown = true
      if !typed.isEmpty { terminal.write(typed, as: .you) }
      await countDown(&text, to: resendAt, typed)
      let next = if let first { await first.value } else { await terminal.readKey() }
      first = nil
      guard let key = next else { return .left }
      switch key {
      case .interrupted: return .interrupted
      case .end: return .left
      case .escape where text.screen.info != nil,
        .character("?") where text.screen.info != nil && typed.isEmpty:
        text.screen.info = nil
      case .escape: return .back(leaving: left(text, typed))
      case .enter:
        if let tip = text.tip, tip + 1 < screen.tips.count {
          text.tip = tip + 1
        } else {
          return .input(.answer(entered(text, typed)))
        }
      case .backspace: typed = String(typed.dropLast())
      case .up, .left:
        typed = ""
        move(&text, by: key == .up && isStepper(screen) ? 1 : -1)
      case .down, .right:
        typed = ""
        move(&text, by: key == .down && isStepper(screen) ? -1 : 1)
      case .character(let character):
        if let act = act(character, typed, text) { return act }
        if let place = place(of: character, typed, screen) {
          text.chosen = place
        } else if screen.kind != .tour, typed.count < Self.longestWords,
          !typed.isEmpty || character != "?"
        {
          // An option's own words choose it; others mean none, so Enter mustn't take one.
          typed.append(character)
          text.chosen = nil
          if typed.count == codeLength(screen), typed.allSatisfy(\.isWholeNumber),
            screen.problem == nil, await !terminal.isTyping()
          {
            return .input(.answer(.string(typed)))
          }
        }
      }
    }
  }

  private static let longestWords = 60

  private func lines(_ screen: JourneyScreen, keeping kept: JSONValue?) -> ScreenLines {
    var text = ScreenLines(screen: screen, alphabet: alphabet, hasKeys: true)
    if screen.kind == .tour {
      text.tip = 0
    } else if codeLength(screen) != nil {
      text.numbersOptions = false
    } else if !screen.options.isEmpty {
      text.chosen = screen.options.firstIndex { $0.id == kept?.stringValue } ?? selected(screen)
    }
    text.value = kept?.doubleValue
    return text
  }

  /// Redraws the seconds until a new code can be sent, as long as nobody types.
  private func countDown(
    _ text: inout ScreenLines, to end: ContinuousClock.Instant, _ typed: String
  ) async {
    guard case .code(let digits, _) = text.screen.input else { return }
    while text.screen.resendIn > 0, !Task.isCancelled, await !terminal.isTyping() {
      let left = Int(((end - .now) / .seconds(1)).rounded(.up))
      guard left != text.screen.resendIn else { continue }
      text.screen.input = .code(digits: digits, resendIn: max(0, left))
      draw(text, .again, hint: true)
      if !typed.isEmpty { terminal.write(typed, as: .you) }
    }
  }

  /// The option that a digit chooses; nil behind words, and where digits are an answer.
  private func place(
    of character: Character, _ typed: String, _ screen: JourneyScreen
  ) -> Int? {
    guard typed.isEmpty, !isStepper(screen), codeLength(screen) == nil,
      let number = character.wholeNumberValue,
      screen.options.indices.contains(number - 1)
    else { return nil }
    return number - 1
  }

  private func isStepper(_ screen: JourneyScreen) -> Bool {
    if case .stepper = screen.input { true } else { false }
  }

  /// Nil while nothing is chosen: Enter alone answers no question.
  private func selected(_ screen: JourneyScreen) -> Int? {
    if case .select(let id) = screen.input { return screen.options.firstIndex { $0.id == id } }
    // Enter alone loses nothing.
    return screen.kind == .confirmation ? screen.options.count - 1 : 0
  }

  private func move(_ text: inout ScreenLines, by presses: Int) {
    if case .stepper(let input) = text.screen.input {
      text.value = input.value(text.value ?? input.value, steppedBy: presses)
    } else if text.screen.kind != .tour, !text.screen.options.isEmpty {
      let count = text.screen.options.count
      let chosen = text.chosen ?? (presses > 0 ? -1 : count)
      text.chosen = (chosen + presses + count) % count
    }
  }

  private func entered(_ text: ScreenLines, _ typed: String) -> JSONValue {
    if !typed.isEmpty { return .string(typed) }
    if let value = text.value { return JSONValue(value) ?? true }
    // The button goes on; an option only where there is no button.
    if let chosen = text.chosen, text.screen.button == nil || text.screen.input != nil {
      return .string(text.screen.options[chosen].id)
    }
    return true
  }

  /// What stands on the screen beside what it began with.
  private func left(_ text: ScreenLines, _ typed: String) -> JSONValue? {
    if isStepper(text.screen), !typed.isEmpty { return .string(typed) }
    if let value = text.value { return JSONValue(value) }
    return text.chosen.map { .string(text.screen.options[$0].id) }
  }

  private func act(_ character: Character, _ typed: String, _ text: ScreenLines) -> Act? {
    let screen = text.screen
    guard typed.isEmpty else { return nil }
    if screen.kind == .tour, let place = place(of: character, typed, screen) {
      return .input(.answer(.string(screen.options[place].id)))
    }
    switch character {
    case "<": return .back(leaving: left(text, typed))
    case "?" where screen.hasInfo: return .aside(.info, keeping: left(text, typed))
    case "u" where screen.hasUnits:
      return .aside(.units(screen.units.other), keeping: left(text, typed))
    case " " where screen.options.isEmpty && screen.input == nil: return .input(.answer(true))
    default: return nil
    }
  }

  /// Word by word. A key brings the rest at once, and does nothing else.
  ///
  /// - Returns: The next key; nil if one was pressed meanwhile and is used up.
  private func speak(_ text: ScreenLines) async -> Task<KeyPress?, Never>? {
    terminal.clearWindow()
    terminal.write(Self.skipHint + "\n", as: .dim)
    let isPressed = OneTimeEvent()
    let key = Task { [terminal] in
      let key = await terminal.readKey()
      isPressed.happen()
      return key
    }
    let words = text.lines.filter { $0.role == .bold || $0.role == .coach }
    for line in words {
      for row in terminal.wrapped(line.text).split(separator: "\n") {
        terminal.write("\n", as: line.role)
        // A space after the last word of a full row would begin another.
        for (place, word) in row.split(separator: " ").enumerated() {
          terminal.write((place == 0 ? "" : " ") + word, as: line.role)
          // The words appear at a reading pace.
          if !isPressed.hasHappened { try? await Task.sleep(for: Self.pause) }
        }
      }
      terminal.write("\n", as: line.role)
    }
    guard isPressed.hasHappened else { return key }
    switch await key.value {
    case .interrupted, .end, nil: return key
    default: return nil
    }
  }

  private static let skipHint = "Any key shows the rest at once."
  private static let pause = Duration.milliseconds(150)
}

// Lines.
extension JourneyTerminal {
  /// - Parameter again: Whether the screen stands there already.
  private func askForLine(
    _ screen: JourneyScreen, again: Bool = false, keeping kept: JSONValue? = nil
  ) async -> Act {
    var text = ScreenLines(screen: screen, alphabet: alphabet)
    text.numbersOptions = !takesLines(screen)
    text.hasEditor = terminal.isInteractive
    defer { if terminal.isInteractive { terminal.beginKeys() } }
    if !again { draw(text, hint: true) }
    let known = prefill(screen)
    let typed = kept.flatMap { $0.stringValue ?? $0["email"]?.stringValue }
    let own = OwnWords(typed ?? known, remark: screen.remark)
    switch await terminal.readLine(
      prompt: "You  ", prefill: typed ?? known, assist: assist(screen, own))
    {
    case .interrupted: return .interrupted
    case .endOfInput: return .left
    case .line("<"): return .back(leaving: own.draft.map { .string($0) })
    case .line(let line) where screen.info != nil && ["?", (typed ?? known) + "?"].contains(line):
      var screen = screen
      screen.info = nil
      let draft = own.draft == line ? typed : own.draft ?? typed
      return await askForLine(screen, keeping: draft.map { .string($0) })
    case .line(let line) where line == typed && line != known:
      return await act(line, "", screen)
    case .line(let line): return await act(line, typed ?? known, screen)
    }
  }

  private func prefill(_ screen: JourneyScreen) -> String {
    guard terminal.isInteractive else { return "" }
    return switch screen.input {
    case .text(_, _, let value): value ?? ""
    case .open(_, _, _, let value): value ?? ""
    case .email(_, let value): value ?? ""
    default: ""
    }
  }

  /// Esc goes back, and Tab picks a pill.
  private func assist(_ screen: JourneyScreen, _ own: OwnWords) -> LineAssist {
    // An open tip closes first.
    let escape = screen.info == nil ? "<" : "?"
    guard case .open(_, let pills, _, _) = screen.input, !pills.isEmpty else {
      return LineAssist(escape: escape, draft: own.note, board: own.board)
    }
    return LineAssist(
      choose: { key, line in
        guard key == .tab || key == .backTab else { return nil }
        return own.next(after: line, among: pills, isBackward: key == .backTab)
      }, escape: escape, draft: own.note)
  }

  private func act(_ line: String, _ prefill: String, _ screen: JourneyScreen) async -> Act {
    // Behind an earlier answer that stands in the line, too.
    let line = ["<", "?"].first { !prefill.isEmpty && line == prefill + $0 } ?? line
    // Of an address that stands there already, only the consents are asked.
    if case .email(_, let known?) = screen.input, line.isEmpty || line == known,
      screen.consents.contains(where: { !$0.isGiven })
    {
      return await signIn(known, screen)
    }
    switch line {
    case "<": return .back(leaving: nil)
    case "?" where screen.hasInfo: return .input(.info)
    case "?":
      terminal.writeNote("There's nothing more to say about this one.", as: .dim)
      return await askForLine(screen, again: true)
    case "u" where screen.hasUnits: return .input(.units(screen.units.other))
    case "" where !screen.isAnsweredByButton || !prefill.isEmpty: return .input(.answer(""))
    // What stands there already was not touched.
    case prefill, "": return .input(.answer(true))
    default: break
    }
    if case .email = screen.input, line.contains("@") { return await signIn(line, screen) }
    return .input(.answer(.string(line)))
  }

  /// Asks for each consent, which nobody gives by typing an address.
  private func signIn(_ email: String, _ screen: JourneyScreen) async -> Act {
    guard JourneyEngine.isEmail(email.trimmed) else {
      return .input(.answer(["email": .string(email)]))
    }
    if screen.problem != nil {
      // An earlier address was at fault, and this one isn't.
      var screen = screen
      screen.problem = nil
      show(screen)
    }
    var given = screen.consents.filter(\.isGiven).map { JSONValue.string($0.id) }
    for consent in screen.consents where !consent.isGiven {
      var isAnswered = false
      while !isAnswered {
        switch await terminal.readLine(prompt: "\(consent.label)? (yes/no)  ") {
        case .interrupted: return .interrupted
        case .endOfInput: return .left
        case .line(let answer):
          isAnswered = ["yes", "y", "no", "n"].contains(answer.trimmed.lowercased())
          if !isAnswered { terminal.writeNote("Please type yes or no.", as: .notice) }
          if answer.trimmed.lowercased().hasPrefix("y"), isAnswered {
            given.append(.string(consent.id))
          }
        }
      }
    }
    return .input(.answer(["email": .string(email), "consents": .array(given)]))
  }
}

extension Units {
  var other: Units { self == .metric ? .imperial : .metric }
}

extension JourneyScreen {
  /// Seconds until a new code can be sent; 0 on other screens.
  fileprivate var resendIn: Int {
    if case .code(_, let seconds) = input { seconds } else { 0 }
  }

  /// Whether the button alone means something.
  fileprivate var isAnsweredByButton: Bool { button != nil || input == nil }
}
