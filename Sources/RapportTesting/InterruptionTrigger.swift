import Cassettes
import HTTPStreaming
import Intake
import LanguageModels
import Synchronization

/// Waits for the moment to interrupt a step, and acts once.
final class InterruptionTrigger: Sendable {
  /// Nil if there is nothing to wait for.
  let moment: Cassette.Moment?
  private let state: Mutex<State>

  private struct State {
    var isDue: Bool
    var shown = ""
    var act: (@Sendable () -> Void)?
  }

  init(_ moment: Cassette.Moment?) {
    self.moment = moment
    state = Mutex(State(isDue: moment != nil))
  }

  /// The moment has not come.
  var isDue: Bool { state.withLock(\.isDue) }

  func whenItComes(_ act: @escaping @Sendable () -> Void) {
    state.withLock { $0.act = act }
  }

  func see(_ output: SessionOutput) {
    guard case .afterText(let text)? = moment, case .delta(let piece, _) = output else { return }
    let comes = state.withLock { state in
      guard state.isDue else { return false }
      state.shown += piece
      return state.shown.contains(text)
    }
    if comes { come() }
  }

  /// The server has started to answer.
  func see(answerTo purpose: String?) {
    guard case .during(let awaited)? = moment, awaited.rawValue == purpose, isDue else { return }
    come()
  }

  private func come() {
    let act = state.withLock { state in
      state.isDue = false
      return state.act
    }
    act?()
  }
}

/// Reports each answer as it starts.
struct WatchedTransport: HTTPTransport {
  private let transport: any HTTPTransport
  private let moments: CurrentMoment

  init(_ transport: any HTTPTransport, _ moments: CurrentMoment) {
    self.transport = transport
    self.moments = moments
  }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let response = try await transport.send(request)
    moments.watch?.see(answerTo: request.purpose)
    return response
  }
}

/// The watch for the current step.
final class CurrentMoment: Sendable {
  private let current = Mutex<InterruptionTrigger?>(nil)

  var watch: InterruptionTrigger? {
    get { current.withLock(\.self) }
    set { current.withLock { $0 = newValue } }
  }
}
