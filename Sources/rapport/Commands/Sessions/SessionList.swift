import ArgumentParser
import Commands
import FoundationEssentials
import IncrementalJSON
import SessionStore
import Terminal

extension Sessions {
  struct List: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List conversations, newest first.",
      usage: "rapport sessions list [<options>]",
      discussion: """
        Examples:
          rapport sessions list
          rapport sessions list --limit 5 --since 2026-01-31
          rapport sessions list --search "left knee" --json
        """)

    @Option(help: ArgumentHelp("Print at most this many.", valueName: "n"))
    var limit: Int?

    @Option(
      help: ArgumentHelp(
        "Only conversations in which you or the coach said this.", valueName: "text"))
    var search: String?

    @Option(
      help: ArgumentHelp(
        "Only conversations since then: a date, or an age such as 12h, 7d or 4w.", valueName: "time"
      ))
    var since: PastTime?

    @Flag(help: "Print one JSON object per conversation, for programs.")
    var json = false

    @OptionGroup(title: "Store") var storeOptions: SharedStoreOptions

    func validate() throws {
      if let limit, limit < 1 { throw ValidationError("--limit must be 1 or more.") }
    }

    func run(on terminal: TTY) async throws {
      let store = try await storeOptions.existingStore()
      let all = try await store?.sessions().filter { !$0.isUnused } ?? []
      let found = try await chosen(all, store)
      if json {
        for session in found { terminal.writeRecord(session.json.serialized()) }
        return
      }
      if found.isEmpty {
        let words = all.isEmpty ? "No conversations yet." : "No conversation matches."
        terminal.writeAside(words + "\n", as: .dim)
      }
      SessionLines(sessions: found, terminal: terminal).write()
    }

    private func chosen(
      _ sessions: [SessionSummary], _ store: (any ConversationStore)?
    ) async throws -> [SessionSummary] {
      let earliest = since?.date(before: Date()) ?? .distantPast
      var mentioning: Set<SessionID>?
      if let search { mentioning = try await store?.sessions(mentioning: search) }
      let fitting = sessions.filter {
        $0.updated >= earliest && (mentioning?.contains($0.id) ?? true)
      }
      return Array(fitting.prefix(limit ?? fitting.count))
    }
  }
}

/// Conversations, one a line.
struct SessionLines {
  let sessions: [SessionSummary]
  let terminal: TTY

  func write() {
    let stages = sessions.map(Self.stage)
    let width = stages.map(\.count).max() ?? 0
    for (session, stage) in zip(sessions, stages) {
      let time = terminal.isInteractive ? session.updated.localMinute : session.updated.minute
      let start = "\(session.id)  \(time)  \(stage.padded(to: width))  "
      let words =
        (session.isRehearsal ? "(rehearsal) " : "")
        + (session.journey.map { "(journey \($0)) " } ?? "")
        + session.firstWords.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      let room = max(20, (terminal.wrappingWidth ?? 100) - start.count)
      terminal.write(start + (words.count > room ? words.prefix(room - 1) + "…" : words) + "\n")
    }
  }

  private static func stage(_ session: SessionSummary) -> String {
    if session.turns == 0, session.answers > 0 {
      return session.answers.counted("answer")
    }
    let turns = session.turns.counted("turn")
    return switch session.stage {
    case .discovery: turns
    case .confirmation: "summary to confirm"
    case .paywall: "first part done"
    case .coaching: "coaching, \(turns)"
    }
  }
}

extension SessionSummary {
  fileprivate var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("id", .string(id.rawValue)), ("startedAt", .string(created.second)),
      ("updatedAt", .string(updated.second)), ("phase", .string(stage.rawValue)),
      ("turns", JSONValue(turns)), ("isRehearsal", .bool(isRehearsal)),
      ("firstWords", .string(firstWords)),
    ]
    if let journey {
      members += [("journey", .string(journey)), ("answers", JSONValue(answers))]
    }
    return .object(JSONObject(members))
  }
}
