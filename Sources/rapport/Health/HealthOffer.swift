import FoundationEssentials
import HealthRecords
import Terminal

/// Offers, once, to look at the person's health data.
struct HealthOffer {
  let terminal: any Terminal
  var home = ProcessInfo.processInfo.environment["HOME"]

  enum Answer {
    case connect(HealthFile)
    case skip
    /// No answer that could be used.
    /// - Parameter words: What the person said instead: the beginning of their story.
    case unanswered(words: String)
    /// Neither yes nor no: Ctrl-C or the end of input.
    case left
  }

  /// Tries that a path, or a clear answer, has.
  private static let tries = 3
  /// Words; more of them are no answer to a yes or no.
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
      // Whoever gives the path at once has said yes.
      do {
        return .connect(try HealthFile(HealthFile.path(typed: line, home: home)))
      } catch  where Self.isMeantAsPath(line) {
        terminal.writeNote("\(error)", as: .error)
      } catch {
        if words.split(separator: " ").count > Self.longestAnswer { return unanswered(line) }
        terminal.writeNote("1 lets me look, 2 goes on without.", as: .notice)
      }
    }
    return unanswered()
  }

  private static func isMeantAsPath(_ line: String) -> Bool {
    line.contains("/") || [".zip", ".xml", ".json"].contains { line.lowercased().hasSuffix($0) }
  }

  private func path() async -> Answer {
    for _ in 0..<Self.tries {
      let reply = await terminal.readLine(prompt: "Where is it? (a path; empty skips)  ")
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
      "We go on without. I won't ask again; --health lets me look whenever you like.\n", as: .dim)
    return .skip
  }

  private func unanswered(_ words: String = "") -> Answer {
    let kept = words.isEmpty ? "" : " What you wrote is in the line below, for you to send."
    terminal.writeNote(
      "We go on without for now; --health lets me look whenever you like.\(kept)\n", as: .dim)
    return .unanswered(words: words)
  }
}
