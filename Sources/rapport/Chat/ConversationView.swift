import ContextQuality
import Intake
import LanguageModels
import Synchronization
import Terminal

/// How much a person wants to see beside the conversation.
enum Verbosity: Sendable {
  /// The conversation, warnings and errors.
  case quiet
  case normal
  /// Also causes and requests, in the program's own terms.
  case verbose
}

/// Shows the conversation to a person. Nothing here hints at scoring unless asked to.
final class ConversationView: SessionView {
  private let terminal: any Terminal
  private let showsInsight: Bool
  /// Whether Ctrl-C continues without a reading that takes long.
  private let skipsReadings: Bool
  private let verbosity: Verbosity
  private let insight: InsightText
  /// The command that resumes the conversation.
  private let resume: String
  private let state = Mutex(State())

  private struct State {
    var reply: ReplyText?
    /// The last message shown, so that it is not shown twice.
    var lastMessage = ""
    /// Whether a blank line already precedes the next output.
    var hasGap = false
    var texts = ScreenTexts.english
    /// What was waited for last, whatever came in between.
    var wait = SessionOutput.Wait.writing
  }

  init(
    terminal: any Terminal, rubric: Rubric, showsInsight: Bool = false,
    verbosity: Verbosity = .normal, alphabet: BarChart.Alphabet, resume: String = "rapport chat",
    skipsReadings: Bool = true
  ) {
    self.resume = resume
    self.terminal = terminal
    (self.showsInsight, self.skipsReadings) = (showsInsight, skipsReadings)
    self.verbosity = verbosity
    insight = InsightText(rubric: rubric, width: terminal.size.columns, alphabet: alphabet)
  }

  func show(_ output: SessionOutput) {
    switch output {
    case .delta(let text, _): append(text)
    case .message(let message): finish(message)
    case .scored(let report): if showsInsight { explain(report) }
    case .waiting(let wait):
      if verbosity != .quiet { expect(wait) }
    case .notice(let notice): if verbosity != .quiet || notice.level != .info { note(notice) }
    case .choices(let choices): offer(choices)
    // Starters are shown beside the input line, by its reader; /insight tells what is understood.
    case .profile, .starters, .understood: break
    case .resumed(let resumed): welcomeBack(resumed)
    case .paywall(let paywall): show(paywall)
    case .done: endPass()
    }
  }

  func speak(_ texts: ScreenTexts) { state.withLock { $0.texts = texts } }

  private var texts: ScreenTexts { state.withLock(\.texts) }

  func note(_ notice: SessionOutput.Notice) {
    closeReply()
    let notice = texts.translated(notice)
    let isError = notice.level == .error
    terminal.writeNote(openGap() + text(of: notice), as: isError ? .error : .notice)
    if verbosity == .verbose, let detail = notice.detail {
      terminal.writeNote(detail, as: .dim)
    }
    terminal.writeAside(closeGap(), as: .notice)
  }

  private func text(of notice: SessionOutput.Notice) -> String {
    guard notice.canBeAskedAgain else { return notice.text }
    guard terminal.isInteractive else {
      return notice.text + " " + texts(.resumeLater, ["command": resume])
    }
    // This one already ends with "Try again in …".
    return notice.code == "model-busy"
      ? notice.text.dropLast() + ": /again."
      : notice.text + " " + (notice.values["again"] ?? "Type /again to retry.")
  }

  func heard() {
    state.withLock { $0.hasGap = false }
  }

  private func append(_ text: String) {
    state.withLock { state in
      if state.reply == nil {
        let label = terminal.isInteractive ? "Coach  " : ""
        state.reply = ReplyText(width: terminal.wrappingWidth, column: label.count)
        terminal.write(gap(&state, before: true) + label, as: .bold)
      }
      if let ready = state.reply?.feed(text), !ready.isEmpty { terminal.write(ready, as: .coach) }
    }
    if verbosity != .quiet { terminal.expectMore(texts(.waitRest), hint: "") }
  }

  private func finish(_ message: SessionOutput.CoachMessage) {
    if !message.wasStreamed {
      // What was shown of it, if anything, was a draft.
      closeReply(isCut: true)
      append(message.text)
    }
    closeReply(isCut: message.cut != nil)
    if message.purpose != .confirmation { state.withLock { $0.lastMessage = message.text } }
  }

  private func closeReply(isCut: Bool = false) {
    state.withLock { state in
      guard let rest = state.reply?.finish() else { return }
      state.reply = nil
      terminal.write(rest + (isCut ? " …\n" : "\n") + gap(&state, before: false), as: .coach)
    }
  }

  private func endPass() {
    closeReply()
    terminal.clearStatus()
  }

  // People read with air between the messages; programs read lines.

  private func openGap() -> String { state.withLock { gap(&$0, before: true) } }
  private func closeGap() -> String { state.withLock { gap(&$0, before: false) } }

  private func gap(_ state: inout State, before: Bool) -> String {
    guard terminal.isInteractive, !(before && state.hasGap) else { return "" }
    state.hasGap = !before
    return "\n"
  }
}

extension ConversationView {
  private func explain(_ report: SessionOutput.ScoreReport) {
    terminal.clearStatus()
    var lines: [String] = []
    for facet in report.new {
      if let evidence = report.evidence.first(where: { $0.facet == facet }) {
        lines.append("+ \(insight.title(of: facet, texts)): \"\(evidence.text)\"")
      }
    }
    if let failure = report.failure {
      lines.append(texts(.insightFailure, ["reason": "\(failure)"]))
    }
    if verbosity == .verbose {
      lines += [("dropped", report.dropped), ("snapped", report.snapped)].compactMap(Self.counts)
    }
    let text = [insight.bars(report.components, texts)] + lines.map { terminal.wrapped($0) }
    terminal.writeAside(openGap() + text.joined(separator: "\n") + "\n" + closeGap(), as: .dim)
  }

  private static func counts(_ name: String, _ counts: [String: Int]) -> String? {
    let reasons = counts.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
    return reasons.isEmpty ? nil : "\(name): " + reasons.joined(separator: ", ")
  }

  private func welcomeBack(_ resumed: SessionOutput.Resumed) {
    guard terminal.isInteractive else { return }
    if verbosity != .quiet {
      terminal.writeAside(texts(.welcomeBack) + "\n", as: .dim)
    }
    append(resumed.lastMessage)
    closeReply()
    state.withLock { $0.lastMessage = resumed.lastMessage }
  }

  private func offer(_ choices: [SessionOutput.Choice]) {
    // Coaching's questions say what to answer, and a number can be one: "2" sessions.
    guard terminal.isInteractive, choices.allSatisfy({ $0.intent != nil || $0.isOfPaywall }) else {
      return
    }
    let labels = choices.enumerated().map { "[\($0.offset + 1)] \($0.element.label)" }
    write(labels)
  }

  /// Options side by side. An option that does not fit begins a new row.
  private func write(_ options: [String]) {
    let rows = options.rows(columns: terminal.wrappingWidth ?? .max).map(terminal.wrapped)
    terminal.writeAside(rows.joined(separator: "\n") + "\n" + closeGap(), as: .accent)
  }

  private func show(_ paywall: SessionOutput.Paywall) {
    terminal.clearStatus()
    if state.withLock({ $0.lastMessage }) != paywall.insight, !paywall.insight.isEmpty {
      append(paywall.insight)
      closeReply()
      state.withLock { $0.lastMessage = paywall.insight }
    }
    terminal.writeAside(openGap() + paywall.title + "\n", as: .bold)
    terminal.writeNote(paywall.note, as: .dim)
    write(paywall.options.enumerated().map { "[\($0.offset + 1)] \($0.element.label)" })
  }

  private func expect(_ wait: SessionOutput.Wait) {
    var beginning: StatusLine.Beginning?
    if case .retry(let pause) = wait {
      beginning = .init(words(for: pause), lasts: pause.delay)
    } else {
      state.withLock { $0.wait = wait }
    }
    let (wait, isSpeaking) = state.withLock { ($0.wait, $0.reply != nil) }
    let canSkip = wait == .reading && terminal.isInteractive && skipsReadings
    let hint = canSkip ? texts(.waitReadingLong) : ""
    if isSpeaking, beginning == nil {
      terminal.expectMore(words(for: wait), hint: hint)
    } else {
      terminal.showStatus(words(for: wait), beginning: beginning, hint: hint)
    }
  }

  private func words(for wait: SessionOutput.Wait) -> String {
    switch wait {
    case .reading: texts(.waitReading)
    case .puttingTogether: texts(.waitPuttingTogether)
    case .writing, .retry: texts(.waitWriting)
    }
  }

  private func words(for pause: ModelWait) -> String {
    let seconds = ["n": "\(max(1, Int((pause.delay / .seconds(1)).rounded(.up))))"]
    return switch pause.reason {
    case .rateLimited, .overloaded: texts(.waitOverloaded, seconds)
    case .serverError: texts(.waitServerError, seconds)
    case .unreachable: texts(.waitUnreachable, seconds)
    }
  }
}
