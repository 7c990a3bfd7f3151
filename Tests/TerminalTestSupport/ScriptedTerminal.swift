import Synchronization
public import Terminal

/// A terminal with a scripted person, for tests.
///
/// It keeps what was written and gives the scripted answers in order; after the last one, input
/// ends.
public final class ScriptedTerminal: Terminal {
  /// Something that was shown or asked.
  public enum Entry: Sendable, Equatable {
    case text(String, TextRole)
    case aside(String, TextRole)
    case record(String)
    case status(String)
    case statusCleared
    case prompt(String, prefill: String)
    case hiddenPrompt(String)
    case echo(Bool)
  }

  private struct State {
    var lines: [LineInput]
    var secrets: [HiddenInput]
    var entries: [Entry] = []
    var size: TerminalSize
  }

  public let isInteractive: Bool
  public var writeFailure: Int32? { nil }
  private let state: Mutex<State>

  public init(
    lines: [LineInput] = [], secrets: [HiddenInput] = [], isInteractive: Bool = true,
    size: TerminalSize = TerminalSize(columns: 80, rows: 24)
  ) {
    self.isInteractive = isInteractive
    state = Mutex(State(lines: lines, secrets: secrets, size: size))
  }

  /// A person who types these lines and leaves with Ctrl-D.
  public convenience init(typing lines: [String]) {
    self.init(lines: lines.map { .line($0) })
  }

  public var size: TerminalSize {
    get { state.withLock(\.size) }
    set { state.withLock { $0.size = newValue } }
  }

  /// Everything that happened, in order.
  public var entries: [Entry] { state.withLock(\.entries) }

  /// The text written: conversation and asides, in order.
  public var transcript: String {
    entries.map { entry in
      switch entry {
      case .text(let text, _), .aside(let text, _): text
      default: ""
      }
    }.joined()
  }

  /// What a pipe on standard output gets: the conversation's text and records.
  public var output: String {
    entries.map { entry in
      switch entry {
      case .text(let text, _): text
      case .record(let json): json + "\n"
      default: ""
      }
    }.joined()
  }

  public func write(_ text: String, as role: TextRole) {
    add(.text(OutputFilter.clean(text), role))
  }

  public func writeAside(_ text: String, as role: TextRole) {
    add(.aside(OutputFilter.clean(text), role))
  }

  public func writeRecord(_ json: String) {
    add(.record(OutputFilter.escaped(json: json)))
  }

  public func showStatus(_ text: String, beginning: StatusLine.Beginning?, hint: String) {
    if let beginning { add(.status(OutputFilter.clean(beginning.text))) }
    add(.status(OutputFilter.clean(hint.isEmpty ? text : "\(text) \(hint)")))
  }
  /// No time passes here, so only what can be done about a wait is kept.
  public func expectMore(_ text: String, hint: String) {
    if !hint.isEmpty { add(.status(OutputFilter.clean("\(text) \(hint)"))) }
  }
  public func clearStatus() { add(.statusCleared) }
  public func setEcho(_ isOn: Bool) { add(.echo(isOn)) }

  public func readLine(
    prompt: String, prefill: String, assist: LineAssist?
  ) async -> LineInput {
    state.withLock { state in
      state.entries.append(.prompt(prompt, prefill: prefill))
      return state.lines.isEmpty ? .endOfInput : state.lines.removeFirst()
    }
  }

  public func readHidden(prompt: String) async -> HiddenInput {
    state.withLock { state in
      state.entries.append(.hiddenPrompt(prompt))
      return state.secrets.isEmpty ? .endOfInput : state.secrets.removeFirst()
    }
  }

  private func add(_ entry: Entry) {
    state.withLock { $0.entries.append(entry) }
  }
}
