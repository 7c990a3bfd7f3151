import Cassettes
import ContextQuality
import FoundationEssentials
import Intake
import LanguageModels
import RapportTesting
import Startup
import Synchronization
import Terminal

/// Keeps the `--record` file up to date with a conversation.
final class SessionRecording: Sendable {
  let file: CassetteFile
  private let recorder: CassetteRecorder
  private let facts: ConversationRecording.Facts
  private let terminal: any Terminal
  private let state = Mutex(State())

  private struct State {
    var failure: String?
    var blankStreams = 0
    var unreadableRequests = 0
    var healthTold = 0
    var isWritten = false
    var made: Cassette?
    var isDiscarded = false
  }

  init(
    _ recorder: CassetteRecorder, file: CassetteFile, facts: ConversationRecording.Facts,
    _ terminal: any Terminal
  ) {
    self.recorder = recorder
    self.file = file
    self.facts = facts
    self.terminal = terminal
  }

  func begin(_ act: Cassette.Step.Act) { recorder.begin(act) }

  /// Writes the recording so far after each pass, so that a crash loses little.
  ///
  /// - Parameter shown: See ``CassetteRecorder/end(interruptedAfter:)``.
  func end(
    interruptedAfter shown: String?, _ state: IntakeState,
    _ logged: () throws -> [RecordedEvent]
  ) {
    do {
      try recorder.end(interruptedAfter: shown, health: state.health, events: logged())
    } catch {
      terminal.writeNote(
        "I couldn't record everything that is in our conversation: \(error).", as: .notice)
    }
    guard !self.state.withLock(\.isDiscarded) else { return }
    var facts = facts
    facts.transcript = state.transcript.messages
    let recording = recorder.recording
    warn(ofBlankStreams: recording.blankStreams)
    warn(ofUnreadable: recording.unreadableRequests(facts.wireFormat))
    if recording.health != nil { tellOfHealth() }
    let made = recording.cassette(facts)
    self.state.withLock { $0.made = made }
    write(made)
  }

  private func write(_ cassette: Cassette) {
    do {
      try file.write(cassette)
      let before = state.withLock { state in
        defer { (state.failure, state.isWritten) = (nil, true) }
        return state.failure
      }
      if before != nil {
        terminal.writeNote("I can write the recording again; nothing is missing.", as: .notice)
      }
    } catch {
      let before = state.withLock { state in
        defer { state.failure = error.description }
        return state.failure
      }
      guard before != error.description else { return }
      terminal.writeNote(
        "I couldn't write the recording just now: \(error). I'll try again after each reply; our "
          + "conversation itself is saved as always.", as: .notice)
    }
  }

  private func tellOfHealth() {
    guard unseen([()], \.healthTold).count == 1 else { return }
    terminal.writeNote(
      "The recording includes the findings and figures from your health data, so check it before "
        + "you share it.", as: .notice)
  }

  /// Reported at once: a blank recording passes every test.
  private func warn(ofBlankStreams purposes: [RequestPurpose]) {
    for purpose in unseen(purposes, \.blankStreams) {
      terminal.writeNote(
        "The server started an answer (\(purpose.rawValue)) but sent nothing in it. That's recorded "
          + "as it happened, and a test of this recording will fail.", as: .notice)
    }
  }

  private func warn(ofUnreadable requests: [ConversationRecording.UnreadableRequest]) {
    for request in unseen(requests, \.unreadableRequests) {
      terminal.writeNote(
        "I left a request (\(request.purpose.rawValue)) out of the recording, because I can't read "
          + "it (\(request.reason)). A test of this recording will fail.", as: .notice)
    }
  }

  /// What has come since the last time; the count is remembered.
  private func unseen<Item>(
    _ items: [Item], _ count: any WritableKeyPath<State, Int> & Sendable
  ) -> ArraySlice<Item> {
    let before = state.withLock { state in
      defer { state[keyPath: count] = items.count }
      return state[keyPath: count]
    }
    return items.dropFirst(before)
  }

  /// The conversation is being forgotten, so its recording goes too.
  func discard() {
    state.withLock { $0.isDiscarded = true }
    do {
      if state.withLock(\.isWritten) { try file.remove() }
    } catch {
      terminal.writeNote("The recording is still there: \(error).", as: .error)
    }
  }

  /// Replays the recording and makes the results its expectations. A recording that does not replay
  /// as it was made is reported now, not by a test much later.
  func verify(_ pack: PromptPack) async {
    guard let made = state.withLock({ $0.isDiscarded ? nil : $0.made }) else { return }
    let run = await ConversationRunner(pack: pack).run(made)
    let verdict = ConversationVerdict(of: run, for: made)
    guard verdict.failures.isEmpty else {
      let first = verdict.failures[0]
      return terminal.writeNote(
        "The recording is complete, but it doesn't play back the way we talked (\(first.path): "
          + "expected \(first.expected.prefix(80)), found \(first.actual.prefix(80))). For details, "
          + "run `rapport test \(file.path)`.", as: .notice)
    }
    write(made.expecting(run))
  }

  /// Reports where the recording is.
  ///
  /// - Returns: Whether it is complete.
  func finish() -> Bool {
    let (failure, isWritten, isDiscarded) = state.withLock {
      ($0.failure, $0.isWritten, $0.isDiscarded)
    }
    if isDiscarded { return true }
    if let failure {
      let kept = isWritten ? " The file ends earlier." : ""
      terminal.writeNote("I couldn't write the recording: \(failure).\(kept)", as: .error)
      return false
    }
    if isWritten { terminal.writeNote("Recorded in \(file.path).", as: .dim) }
    return true
  }
}

/// Checks what `--record` needs before anything is said.
struct RecordingPlan {
  let file: CassetteFile
  let names: [String]

  /// - Throws: ``CommandFailure`` if the file cannot be written later.
  init(path: String, names: [String], overwrites: Bool) throws {
    do throws(CassetteFile.Failure) {
      file = try CassetteFile(path: path, overwrites: overwrites)
    } catch {
      let way =
        error.code == .taken ? "; --overwrite replaces it." : ". Nothing has been said or sent yet."
      throw CommandFailure(.cannotWrite, "I can't record there: \(error)\(way)")
    }
    self.names = names
  }

  /// - Throws: ``CommandFailure`` if there is no model to record.
  func recording(
    _ setup: ModelSetup?, _ coach: CoachChoice, _ pack: PromptPack, _ settings: IntakeSettings,
    isSubscribed: Bool, _ terminal: any Terminal
  ) throws -> SessionRecording {
    guard let recorder = setup?.recorder, let roles = coach.models,
      let format = (roles.coach as? HTTPModel)?.endpoint.format
    else { throw CommandFailure(.usage, Self.needsModel) }
    var recorded = Cassette.Settings()
    recorded.pack = pack.name
    recorded.packVersion = pack.version
    recorded.readyAbove = settings.readyAbove
    recorded.maxTurns = settings.maxTurns
    recorded.timeLimit = Int(settings.timeLimit.components.seconds)
    recorded.followUp = settings.followUp.rawValue
    recorded.isSubscribed = isSubscribed
    recorded.models = Cassette.Models(
      fast: roles.fast.identity.model, coach: roles.coach.identity.model,
      deep: roles.deep.identity.model)
    return SessionRecording(
      recorder, file: file,
      facts: ConversationRecording.Facts(
        title: title, wireFormat: format, rubricVersion: pack.rubric.version, settings: recorded,
        names: names, fixedTexts: pack.fixedTexts),
      terminal)
  }

  static let needsModel =
    "A rehearsal sends nothing to a model, so there is nothing to record. Set up a model with `rapport setup`."

  /// A title made from the file's name.
  private var title: String {
    let name = file.path.split(separator: "/").last ?? "conversation"
    let stem = name.hasSuffix(".json") ? name.dropLast(5) : name
    return stem.split { $0 == "-" || $0 == "_" || $0 == " " }.joined(separator: " ")
  }
}
