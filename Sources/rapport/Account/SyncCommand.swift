import ArgumentParser
import Commands
import FoundationEssentials
import IncrementalJSON
import SessionStore
import Startup
import Supabase
import Sync
import Terminal

/// `rapport sync`: sends what waits for the account, and shows what became of it.
struct SyncCommand: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Send what the coach understood to your account, or see what is waiting.",
    usage: "rapport sync [<options>]",
    discussion: """
      Sends scores, the quotes they rest on, profiles, goals and programs. Messages and health data \
      stay on this machine, and so do rehearsals. What can't be sent now stays queued.

      Examples:
        rapport sync
        rapport sync --status
        rapport sync --watch
        rapport sync --retry
      """)

  @OptionGroup(title: "Store") var storeOptions: StoreOptions

  @Flag(help: "Only show what is queued; send nothing.")
  var status = false

  @Flag(help: "Queue again what was set aside, then send.")
  var retry = false

  @Flag(help: "Remove from the queue what was set aside or is outdated.")
  var discard = false

  @Flag(help: "Stay, and send what comes, until Ctrl-C.")
  var watch = false

  @Flag(help: "Print one JSON object per row, then a summary.")
  var json = false

  func validate() throws {
    if [status, retry, discard, watch].filter(\.self).count > 1 {
      throw ValidationError("Use one of --status, --retry, --discard and --watch.")
    }
  }

  func run(on terminal: TTY) async throws {
    let context = try CommandContext(readsCredentials: false)
    context.warn(terminal)
    let store = try context.openStore(storeOptions)
    var view = SyncView(terminal: terminal, isJSON: json)
    if status {
      let account = try context.accountIfSet(besideStore: storeOptions.store)
      view.host = account?.client.project.host
      let user = await account?.knownUser
      // What a run would send is shown, whether or not it's queued yet.
      let kept =
        user == nil
        ? try context.journeysKept(in: store)
        : try context.queueDiscoveries(in: store, at: Date())
      return try show(Outbox(store: store), of: user, kept: kept, view)
    }
    if discard { return view.discarded(try Outbox(store: store).discard()) }
    let account = try context.account(besideStore: storeOptions.store)
    if retry { _ = try Outbox(store: store).retry(at: Date()) }
    if watch { return try await stay(context, store, account, view) }
    let (report, kept) = try await pass(context, store, account, view)
    view.finished(
      report, queued: try Outbox(store: store).entries(), of: await account.knownUser,
      kept: kept)
    if let problem = report.stopped { throw problem }
    if report.setAside > 0 { throw ExitStatus.badData.exit }
    if report.postponed > 0 { throw ExitStatus.modelUnreachable.exit }
  }

  private func show(
    _ outbox: Outbox, of user: String?, kept: Int, _ view: SyncView
  ) throws {
    let entries = try outbox.entries()
    for entry in entries { view.show(entry) }
    view.finished(SyncRun.Report(), queued: entries, of: user, kept: kept)
  }

  private func pass(
    _ context: CommandContext, _ store: SessionStore, _ account: SupabaseAccount, _ view: SyncView,
    onlyDue: Bool = false
  ) async throws -> (SyncRun.Report, kept: Int) {
    let kept = try context.queueDiscoveries(in: store, at: Date())
    let report = try await SyncRun(Outbox(store: store), to: account).run(onlyDue: onlyDue) {
      view.tell($0)
    }
    return (report, kept)
  }

  /// How often a new change is looked for.
  private static let pause = Duration.seconds(5)

  private func stay(
    _ context: CommandContext, _ store: SessionStore, _ account: SupabaseAccount, _ view: SyncView
  ) async throws {
    let interrupts = InterruptMonitor.process.interrupts()
    let watch = Task {
      var isFirst = true
      while !Task.isCancelled {
        let (report, _) = try await pass(context, store, account, view, onlyDue: !isFirst)
        // Without a sign-in, waiting doesn't help.
        if let problem = report.stopped, !problem.isPassing { throw problem }
        isFirst = false
        // Nothing tells when a row is queued by another program, so the queue is read again.
        try? await Task.sleep(for: Self.pause)
      }
    }
    let interrupt = Task {
      for await _ in interrupts { break }
      watch.cancel()
    }
    defer { interrupt.cancel() }
    try await watch.value
  }
}

/// What a run of `rapport sync` prints.
struct SyncView: Sendable {
  let terminal: TTY
  let isJSON: Bool
  /// The project's; nil without one.
  var host: String?

  func tell(_ outcome: SyncRun.Outcome) {
    switch outcome {
    case .sent(let entry): line(entry, "sent", "sent")
    case .outdated(let entry):
      line(entry, "outdated", "your account has a newer version, so I kept that one")
    case .setAside(let entry, let error):
      line(entry, "set-aside", "set aside: \(error.userMessage)", error)
    case .postponed(let entry, _, let error):
      line(entry, "waiting", "waits: \(error.userMessage)", error)
    }
  }

  func show(_ entry: OutboxEntry) {
    let error = host.flatMap { host in
      entry.problem.flatMap { SupabaseError(reason: $0, host: host) }
    }
    // What an older version kept is told as it is.
    let why = (error?.userMessage ?? entry.problem).map { ": \($0)" } ?? ""
    let words =
      switch entry.state {
      case .waiting: "waiting" + why
      case .sent: "sent"
      case .setAside: "set aside" + why
      case .outdated: "outdated: your account has a newer version"
      }
    line(entry, entry.state.rawValue, words, error)
  }

  func discarded(_ count: Int) {
    if isJSON {
      return terminal.writeRecord(JSONValue.object(["discarded": JSONValue(count)]).serialized())
    }
    terminal.writeNote(
      count == 0 ? "There was nothing to remove." : "Removed \(count) from the queue.", as: .notice)
  }

  /// - Parameters:
  ///   - user: Who is signed in; nil if nobody is.
  ///   - kept: How many journeys stay on this machine.
  func finished(
    _ report: SyncRun.Report, queued entries: [OutboxEntry], of user: String?, kept: Int
  ) {
    func count(_ state: OutboxEntry.State) -> Int { entries.count { $0.state == state } }
    let others = user.map { entries.waiting(forOthersThan: $0) } ?? 0
    let waiting = count(.waiting) - others
    let (aside, old) = (count(.setAside), count(.outdated))
    guard !isJSON else {
      let summary: JSONValue = [
        "type": "summary", "sent": JSONValue(report.sent), "waiting": JSONValue(waiting),
        "otherAccount": JSONValue(others), "setAside": JSONValue(aside), "outdated": JSONValue(old),
        "kept": JSONValue(kept),
        "stopped": report.stopped.map { .string($0.code.rawValue) } ?? .null,
      ]
      return terminal.writeRecord(summary.serialized())
    }
    var parts = [
      report.sent > 0 ? "\(report.sent) sent" : nil, waiting > 0 ? "\(waiting) waiting" : nil,
    ]
    parts.append(aside > 0 ? "\(aside) set aside (`rapport sync --retry` or `--discard`)" : nil)
    parts.append(old > 0 ? "\(old) outdated" : nil)
    let words = parts.compactMap(\.self)
    let nothing = entries.isEmpty ? "There's nothing to send yet." : "Your account is up to date."
    terminal.writeNote(words.isEmpty ? nothing : words.joined(separator: ", ") + ".", as: .notice)
    if let note = OtherAccount.note(others) { terminal.writeNote(note, as: .notice) }
    guard kept > 0 else { return }
    let them =
      kept == 1
      ? "1 journey stays on this machine: it was"
      : "\(kept) journeys stay on this machine: they were"
    terminal.writeNote(
      "\(them) begun offline, or you chose to keep \(kept == 1 ? "it" : "them") here.", as: .dim)
  }

  private func line(
    _ entry: OutboxEntry, _ state: String, _ words: String, _ error: SupabaseError? = nil
  ) {
    guard isJSON else {
      return terminal.write("\(entry.row.table)\(entry.row.id.map { " \($0)" } ?? "")  \(words)\n")
    }
    let record: JSONValue = [
      "type": "row", "table": .string(entry.row.table),
      "id": entry.row.id.map { .string($0) } ?? .null, "state": .string(state),
      "problem": (error?.code.rawValue ?? entry.problem).map { .string($0) } ?? .null,
    ]
    terminal.writeRecord(record.serialized())
  }
}

/// What waits for another account than the one that is signed in.
enum OtherAccount {
  /// Nil if nothing does.
  static func note(_ count: Int) -> String? {
    guard count > 0 else { return nil }
    let rows = count.counted("change belongs", "changes belong")
    let them = count == 1 ? "it" : "them"
    return "\(rows) to another account, so I didn't send \(them) to this one. To send \(them), run "
      + "`rapport account sign-out`, sign in with that account, and run `rapport sync`."
  }
}

extension SupabaseAccount {
  /// The id of who is signed in; nil if nobody is, or it cannot be read.
  var knownUser: String? {
    get async { (try? await session())?.userID }
  }
}
