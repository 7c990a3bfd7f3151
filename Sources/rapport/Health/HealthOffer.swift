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
    /// Neither yes nor no: Ctrl-C or the end of input.
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
    terminal.writeAside("[1] Connect   [2] Skip\n\n", as: .accent)
    for _ in 0..<Self.tries {
      guard case .line(let line) = await terminal.readLine(prompt: "Connect?  ") else {
        return .left
      }
      let words = line.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
      if Self.no.contains(words) { return skipped() }
      if Self.yes.contains(words) { return await path() }
      // Giving the path at once means yes.
      do {
        return .connect(try HealthFile(HealthFile.path(typed: line, home: home)))
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
    for _ in 0..<Self.tries {
      let reply = await terminal.readLine(prompt: "Where is it? (a path, or Enter to skip)  ")
      guard case .line(let line) = reply else { return .left }
      if line.allSatisfy(\.isWhitespace) { return skipped() }
      do {
        return .connect(try HealthFile(HealthFile.path(typed: line, home: home)))
      } catch {
        terminal.writeNote("\(error)", as: .error)
      }
    }
    return unanswered()
  }

  private func skipped() -> Answer {
    terminal.writeNote(
      "OK, we'll continue without it. I won't ask again; use --health if you change your mind.\n",
      as: .dim)
    return .skip
  }

  private func unanswered(_ words: String = "") -> Answer {
    let kept = words.isEmpty ? "" : " What you wrote is on the line below, ready to send."
    terminal.writeNote(
      "We'll continue without it for now; use --health whenever you like.\(kept)\n", as: .dim)
    return .unanswered(words: words)
  }
}
