import FoundationEssentials
import Intake
import Terminal

/// Offers, once, to read the person's health data. It speaks English until an answer shows another
/// language.
struct HealthOffer {
  let terminal: any Terminal
  let engine: IntakeEngine
  var home = ProcessInfo.processInfo.environment["HOME"]
  private var texts = ScreenTexts.english

  init(terminal: any Terminal, engine: IntakeEngine) {
    (self.terminal, self.engine) = (terminal, engine)
  }

  enum Answer {
    case connect(HealthFile)
    case skip
    /// No usable answer.
    /// - Parameter words: What the person said instead: the beginning of their story.
    case unanswered(words: String)
    /// Neither yes nor no: `/quit`, Ctrl-C or the end of input.
    case left
  }

  /// How often a path or a clear answer is asked for.
  private static let tries = 3
  /// The longest answer to a yes-or-no question, in words.
  private static let longestAnswer = 3

  mutating func answer() async -> Answer {
    terminal.writeNote("\n" + texts(.offer), as: .notice)
    var triesLeft = Self.tries
    while triesLeft > 0 {
      let question = "[1] \(texts(.offerConnect))   [2] \(texts(.offerSkip)):  "
      guard let line = await line(question) else { return .left }
      await hear(line)
      let words = line.split(whereSeparator: \.isWhitespace)
      if words.isEmpty {
        terminal.writeNote(texts(.offerChoose), as: .notice)
        continue
      }
      switch isYes(line) {
      case true?: return await path()
      case false?: return skipped()
      case nil: break
      }
      triesLeft -= 1
      // Giving the path at once means yes.
      do {
        return connected(try HealthFile(HealthFile.path(typed: line, home: home)))
      } catch  where Self.isMeantAsPath(line) {
        terminal.writeNote("\(error)", as: .error)
      } catch {
        if words.count > Self.longestAnswer { return unanswered(line) }
        terminal.writeNote(texts(.offerChoose), as: .notice)
      }
    }
    return unanswered()
  }

  /// The language of the latest words that show one.
  private mutating func hear(_ line: String) async {
    let heard = await engine.screenTexts(hearing: line)
    if heard.isTranslated { texts = heard }
  }

  private func isYes(_ line: String) -> Bool? {
    let typed = line.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let labels = [ScreenTexts.english, texts].map { texts in
      (yes: texts(.offerConnect).lowercased(), no: texts(.offerSkip).lowercased())
    }
    if ["1", "y"].contains(typed) || labels.contains(where: { $0.yes == typed }) { return true }
    if ["2", "n"].contains(typed) || labels.contains(where: { $0.no == typed }) { return false }
    return engine.isYes(line)
  }

  private static func isMeantAsPath(_ line: String) -> Bool {
    line.contains("/") || [".zip", ".xml", ".json"].contains { line.lowercased().hasSuffix($0) }
  }

  private func path() async -> Answer {
    terminal.writeNote(texts(.healthExport) + " " + texts(.healthSent), as: .notice)
    for _ in 0..<Self.tries {
      guard let line = await line(texts(.offerPath) + "  ") else { return .left }
      if line.allSatisfy(\.isWhitespace) { return skipped() }
      do {
        return .connect(try HealthFile(HealthFile.path(typed: line, home: home)))
      } catch {
        terminal.writeNote("\(error)", as: .error)
      }
    }
    return unanswered()
  }

  /// The next line that is not a command; nil if the person leaves. Tab completes paths.
  private func line(_ prompt: String) async -> String? {
    while true {
      let completer = PathCompleter(home: home)
      let input = await terminal.readLine(prompt: prompt, prefill: "", assist: completer.assist)
      guard case .line(let line) = input else { return nil }
      switch SlashCommand.read(line) {
      case .message: return line
      case .command(.quit): return nil
      case .command(let command): explain(command)
      case .edit: explain(.edit)
      case .connect(let path): return path
      case .unknown(let name):
        if FileManager.default.fileExists(atPath: name) { return line }
        terminal.writeNote(texts.translated(.unknownCommand(name)).text, as: .notice)
      }
    }
  }

  private func explain(_ command: SlashCommand) {
    switch command {
    case .help:
      let list = SlashCommand.list(texts, readsHealth: true)
      terminal.writeAside("\n" + terminal.wrappedList(list) + "\n\n", as: .dim)
    case .health:
      terminal.writeNote(
        "\n" + texts(.healthExport) + " " + texts(.healthSent) + "\n", as: .dim)
    case .insight, .log, .goals, .plan, .review, .again, .edit, .done, .forget, .quit:
      terminal.writeNote(
        texts(.offerNotStarted, ["command": command.rawValue]) + " " + texts(.offerChoose),
        as: .notice)
    }
  }

  private func connected(_ file: HealthFile) -> Answer {
    terminal.writeNote(texts(.healthSent), as: .dim)
    return .connect(file)
  }

  private func skipped() -> Answer {
    terminal.writeNote(texts(.offerSkipped), as: .dim)
    return .skip
  }

  private func unanswered(_ words: String = "") -> Answer {
    terminal.writeNote(texts(.offerUnanswered, ["isKept": words.isEmpty ? "" : "yes"]), as: .dim)
    return .unanswered(words: words)
  }
}

extension SessionOutput.Notice {
  static func unknownCommand(_ name: String) -> Self {
    var notice = Self(
      code: "unknown-command", level: .info,
      text: "I don't know \(name). /help lists what I understand.")
    notice.values["said"] = name
    return notice
  }
}
