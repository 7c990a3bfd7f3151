import ArgumentParser
import Coaching
import Commands
import IncrementalJSON
import Terminal

/// `rapport review`: a look back, and at most one proposed change.
struct ReviewCommand: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "review",
    abstract: "Look back: what you planned and did, what moved, and one change to consider.",
    usage: "rapport review [<options>]",
    discussion: """
      The coach does this by itself once a week. Answer its question in your own words, here or in \
      the conversation. Nothing changes until you agree: for a proposal, say yes, no, or how you'd \
      rather have it.

      Examples:
        rapport review
        rapport review --answer "2 sessions"
        rapport review --answer "good, but my legs were tired"
        rapport review --json
      """)

  @OptionGroup var options: CoachedOptions
  @Option(help: ArgumentHelp("Answer the last review instead of looking back.", valueName: "words"))
  var answer: String?
  @Flag(help: "Print the review as JSON.")
  var json = false

  func run(on terminal: TTY) async throws {
    var session = try await CoachedSession(options)
    if let answer { return try await settle(answer, &session, terminal) }
    let review: Review
    switch session.reviewer.asked(lastSeen: session.state.lastActiveDay) {
    case .new(let new):
      try await session.store([.reviewed(new)])
      review = new
    case .known(let known): review = known
    case .resting(let words): return terminal.write(terminal.wrapped(words) + "\n")
    }
    if json {
      return terminal.writeDocument(review.json.serialized(pretty: true) + "\n", isJSON: true)
    }
    terminal.write(terminal.wrapped(review.text) + "\n")
    guard terminal.isInteractive else {
      return terminal.writeNote("`rapport review --answer \"…\"` answers it.", as: .dim)
    }
    try await ask(&session, terminal)
  }

  /// The question's answer, and then the proposal's if it is still open. Enter alone leaves it.
  private func ask(_ session: inout CoachedSession, _ terminal: TTY) async throws {
    terminal.write("\n")
    for _ in 0..<2 {
      guard case .line(let words) = await terminal.readLine(prompt: "> "),
        !words.allSatisfy(\.isWhitespace)
      else { return }
      try await settle(words, &session, terminal)
      guard session.state.openReview != nil else { return }
    }
  }

  private func settle(
    _ words: String, _ session: inout CoachedSession, _ terminal: TTY
  ) async throws {
    let change = try await session.change(showingCareOn: terminal) { book throws(CoachingRefusal) in
      try book.answering(words)
    }
    if let said = change?.words { terminal.write(terminal.wrapped(said) + "\n") }
  }
}
