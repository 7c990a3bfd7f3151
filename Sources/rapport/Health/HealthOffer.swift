import FoundationEssentials
import HealthRecords
import Terminal

/// Offers, once, to read the person's health data.
struct HealthOffer {
  let terminal: any Terminal
  var home = ProcessInfo.processInfo.environment["HOME"]

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
  private static let yes: Set<String> = ["1", "connect", "yes", "y", "sure", "ok", "okay"]
  private static let no: Set<String> = [
    "2", "skip", "no", "n", "nope", "not now", "no thanks", "no thank you", "not now thanks",
    "not now, thanks", "no, thanks", "rather not", "i'd rather not",
  ]

  func answer() async -> Answer {
    terminal.writeNote("\n" + HealthTexts.offer, as: .notice)
    var triesLeft = Self.tries
    while triesLeft > 0 {
      guard let line = await line("[1] Connect   [2] Skip:  ") else { return .left }
      let words = line.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
      if Self.no.contains(words) { return skipped() }
      if Self.yes.contains(words) { return await path() }
      if words.isEmpty {
        terminal.writeNote("Type 1 to let me look, or 2 to skip.", as: .notice)
        continue
      }
      triesLeft -= 1
      // Giving the path at once means yes.
      do {
        return connected(try HealthFile(HealthFile.path(typed: line, home: home)))
      } catch  where Self.isMeantAsPath(line) {
        terminal.writeNote("\(error)", as: .error)
      } catch {
        if words.split(separator: " ").count > Self.longestAnswer { return unanswered(line) }
        terminal.writeNote("Type 1 to let me look, or 2 to skip.", as: .notice)
      }
    }
    return unanswered()
  }

  private static func isMeantAsPath(_ line: String) -> Bool {
    line.contains("/") || [".zip", ".xml", ".json"].contains { line.lowercased().hasSuffix($0) }
  }

  private func path() async -> Answer {
    terminal.writeNote(HealthTexts.explanation, as: .notice)
    for _ in 0..<Self.tries {
      guard let line = await line("Where is it? (a path, or Enter to skip)  ") else { return .left }
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
        terminal.writeNote("I don't know \(name). /help lists what I understand.", as: .notice)
      }
    }
  }

  private func explain(_ command: SlashCommand) {
    switch command {
    case .help: terminal.writeNote("\n" + SlashCommand.list + "\n", as: .dim)
    case .health: terminal.writeNote("\n" + HealthTexts.explanation + "\n", as: .dim)
    case .insight, .again, .edit, .done, .forget, .quit:
      terminal.writeNote(
        "We haven't started yet, so there's nothing to do for /\(command.rawValue). "
          + "Type 1 to let me look, or 2 to skip.", as: .notice)
    }
  }

  private func connected(_ file: HealthFile) -> Answer {
    terminal.writeNote(HealthTexts.whatTheModelGets, as: .dim)
    return .connect(file)
  }

  private func skipped() -> Answer {
    terminal.writeNote(
      "OK, we'll continue without it. I won't ask again; /health shows how if you change your mind.",
      as: .dim)
    return .skip
  }

  private func unanswered(_ words: String = "") -> Answer {
    let kept = words.isEmpty ? "" : " What you wrote is on the line below, ready to send."
    terminal.writeNote(
      "We'll continue without it for now; /health shows how to connect it.\(kept)", as: .dim)
    return .unanswered(words: words)
  }
}
