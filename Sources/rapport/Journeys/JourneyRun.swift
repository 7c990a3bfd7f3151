import Commands
import IncrementalJSON
import Intake
import Journeys
import Plans
import SessionStore
import Startup
import Terminal

/// Walks through a journey: shows a screen, takes what the person does, shows the next.
struct JourneyRun {
  let engine: JourneyEngine
  let terminal: TTY
  let talk: JourneyTalk
  let isJSON: Bool

  enum Ending: Equatable {
    case finished
    case left
    case interrupted
    case failed(ExitStatus)
  }

  func run() async throws -> Ending {
    defer { terminal.endKeys() }
    var earlier = EarlierInterrupt()
    var screen = try await engine.open(looksElsewhere: true)
    var unsaved: (input: JourneyInput, error: StoreError)?
    var unsent: [String: JSONValue] = [:]
    var hasTalked = false
    while terminal.writeFailure == nil {
      if screen.isBusy {
        guard let next = try await settled(screen) else { return .interrupted }
        screen = next
      } else if screen.kind == .end {
        show(screen, hasTalked ? .below : .newWindow)
        return .finished
      } else if await engine.conversation != nil {
        terminal.endKeys()
        show(screen)
        // There an interrupt stops a reply.
        defer { earlier = EarlierInterrupt() }
        hasTalked = true
        switch try await talk.run() {
        case .screen(let next): screen = next
        case .ended(let ending): return ending
        }
      } else {
        // What is typed from here on waits as keys, Ctrl-C too.
        if terminal.isInteractive, !isJSON { terminal.beginKeys() }
        let own = screen.kind == .confirmation ? nil : unsent[screen.step]
        let kept = unsaved?.input ?? own.map { .answer($0) }
        hasTalked = false
        let act = earlier.hasCome ? .interrupted : await act(screen, keeping: kept)
        if screen.kind != .confirmation {
          unsent[screen.step] = act.unsent
        }
        switch act {
        case .input, .aside, .back:
          let input =
            switch act {
            case .input(let input), .aside(let input, _): input
            default: JourneyInput.back
            }
          do {
            screen = try await engine.take(input)
            unsaved = nil
          } catch let error as StoreError where isRetried(error) {
            unsaved = (input, error)
            screen = await engine.screen
            screen.problem = words(for: error)
          }
        case .left:
          if let unsaved { throw unsaved.error }
          return .left
        case .interrupted:
          if let unsaved { throw unsaved.error }
          return .interrupted
        }
      }
    }
    return .left
  }

  /// Waits for what is being written, with Ctrl-C as a signal.
  ///
  /// - Returns: The next screen; nil after an interrupt.
  private func settled(_ screen: JourneyScreen) async throws -> JourneyScreen? {
    terminal.endKeys()
    if terminal.canRedraw { terminal.setEcho(false) }
    show(screen)
    let outcome = try await InterruptMonitor.process.cancelling {
      try await engine.settle { part in
        // Where nothing can be erased, the whole document comes at the end.
        if isJSON || terminal.canRedraw { show(part) }
      }
    }
    guard case .finished(let next) = outcome else { return nil }
    return next
  }

  /// A person can make room and send it again. What comes through a pipe cannot wait.
  private func isRetried(_ error: StoreError) -> Bool {
    (isJSON || terminal.isInteractive) && [.cannotWrite, .busy].contains(error.code)
  }

  private func words(for error: StoreError) -> String {
    "I couldn't save that\(error.detail.isEmpty ? "" : " (\(error.detail))"), so nothing has changed. "
      + "Please try again once I can write to \(error.file), or come back later with "
      + "`\(talk.resume.whole)`."
  }

  private var person: JourneyTerminal {
    JourneyTerminal(terminal: terminal, alphabet: talk.alphabet)
  }

  private func show(_ screen: JourneyScreen, _ place: JourneyTerminal.Place = .newWindow) {
    if isJSON {
      terminal.writeRecord(screen.json.serialized())
    } else {
      person.show(screen, place)
    }
  }

  /// - Parameter input: What could not be saved, to be sent again.
  private func act(
    _ screen: JourneyScreen, keeping input: JourneyInput?
  ) async -> JourneyTerminal.Act {
    guard isJSON else { return await person.ask(screen, keeping: input) }
    terminal.writeRecord(screen.json.serialized())
    while true {
      switch await terminal.readLine(prompt: "") {
      case .interrupted: return .interrupted
      case .endOfInput: return .left
      case .line(let line):
        switch JourneyLine(line, at: screen.step) {
        case .input(let input): return .input(input)
        case .blank: continue
        case .mistake(let words): JourneyLine.report(words, terminal)
        }
      }
    }
  }
}

/// An interrupt that comes between two screens: it must not end the program at once.
private final class EarlierInterrupt {
  private let event = OneTimeEvent()
  private let listening: Task<Void, Never>

  init() {
    let interrupts = InterruptMonitor.process.interrupts()
    listening = Task { [event] in for await _ in interrupts { event.happen() } }
  }

  deinit { listening.cancel() }

  var hasCome: Bool { event.hasHappened }
}

/// A line that a program sends: `{"answer": …}`, `{"back": true}`, `{"info": true}` or
/// `{"units": "imperial"}`, each with or without the `step` that it is for.
enum JourneyLine: Equatable {
  case input(JourneyInput)
  case blank
  /// What was expected instead.
  case mistake(String)

  private static let expected =
    "I expected a JSON object such as {\"answer\": \"…\"}, {\"back\": true}, {\"info\": true} or "
    + "{\"units\": \"metric\"}, with the \"step\" that it's for or without."

  /// - Parameter step: The one that is shown.
  init(_ line: String, at step: String?) {
    if line.allSatisfy(\.isWhitespace) {
      self = .blank
      return
    }
    let members = (try? JSONValue(parsing: line))?.objectValue.map(Array.init) ?? []
    let rest = JSONValue.object(JSONObject(members.filter { $0.name != "step" }))
    let meant = members.first { $0.name == "step" }?.value
    if let units = rest["units"], Units(rawValue: units.stringValue ?? "") == nil {
      self = .mistake(
        "I expected \"metric\" or \"imperial\" for units, found \(units.serialized()).")
      return
    }
    guard let input = JourneyInput(json: rest), meant == nil || meant?.stringValue != nil else {
      self = .mistake(Self.expected)
      return
    }
    let isMeant = meant == nil || meant?.stringValue == step
    self = isMeant ? .input(input) : .mistake(Self.moved(from: meant?.stringValue, to: step))
  }

  private static func moved(from meant: String?, to step: String?) -> String {
    "That was for the step \(meant ?? ""), but we're at \(step ?? "the end"). "
      + "I left everything as it was."
  }

  static func report(_ words: String, _ terminal: any Terminal) {
    JSONLinesView(terminal: terminal).note(
      .init(code: "not-an-action", level: .warning, text: words))
  }
}
