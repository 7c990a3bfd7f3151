import IncrementalJSON
import Intake
import Journeys
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
    var screen = try await engine.open()
    var unsaved: (input: JourneyInput, error: StoreError)?
    while terminal.writeFailure == nil {
      if screen.isBusy {
        show(screen)
        screen = try await engine.settle { part in
          // Where nothing can be erased, the whole document comes at the end.
          if isJSON || terminal.canRedraw { show(part) }
        }
      } else if screen.kind == .end {
        show(screen)
        return .finished
      } else if await engine.conversation != nil {
        terminal.endKeys()
        show(screen)
        switch try await talk.run() {
        case .screen(let next): screen = next
        case .ended(let ending): return ending
        }
      } else {
        switch await act(screen, keeping: unsaved?.input) {
        case .input(let input):
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

  /// Whoever is there can make room and send it again. What comes through a pipe can't wait.
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

  private func show(_ screen: JourneyScreen) {
    if isJSON {
      terminal.writeRecord(screen.json.serialized())
    } else {
      person.show(screen)
    }
  }

  /// - Parameter input: What couldn't be saved, to be sent again.
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
        switch JourneyLine(line) {
        case .input(let input): return .input(input)
        case .blank: continue
        case .mistake(let words): JourneyLine.report(words, terminal)
        }
      }
    }
  }
}

/// A line that a program sends: `{"answer": …}`, `{"back": true}`, `{"info": true}` or
/// `{"units": "imperial"}`.
enum JourneyLine: Equatable {
  case input(JourneyInput)
  case blank
  /// What was expected instead.
  case mistake(String)

  private static let expected =
    "I expected a JSON object such as {\"answer\": \"…\"}, {\"back\": true}, {\"info\": true} or "
    + "{\"units\": \"metric\"}."

  init(_ line: String) {
    if line.allSatisfy(\.isWhitespace) {
      self = .blank
      return
    }
    let json = try? JSONValue(parsing: line)
    self = json.flatMap(JourneyInput.init(json:)).map { .input($0) } ?? .mistake(Self.expected)
  }

  static func report(_ words: String, _ terminal: any Terminal) {
    JSONLinesView(terminal: terminal).note(
      .init(code: "not-an-action", level: .warning, text: words))
  }
}
