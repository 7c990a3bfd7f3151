public import Cassettes
import ContextQuality
import Intake
public import LanguageModels
import WireFormats

/// Whether a conversation came out as its cassette says, and what did not.
public struct ConversationVerdict: Sendable {
  public var failures: [Mismatch]
  /// What differs from the recording without being wrong; failures as well where the run is strict.
  public var drift: [PromptDrift]

  public var hasPassed: Bool { failures.isEmpty }

  /// Requests of one purpose that differ from what was recorded.
  public struct PromptDrift: Hashable, Sendable {
    public var purpose: RequestPurpose?
    public var what: String
    /// The exchanges that it happens in, counted from 0.
    public var exchanges: [Int]
    /// The lines of both sides, where they are recorded.
    public var recorded: [String]
    public var sent: [String]
  }

  /// - Parameter isStrict: Drift is a failure.
  public init(of run: ConversationRun, for cassette: Cassette, isStrict: Bool = false) {
    drift = Self.grouped(run.drift) + Self.versionDrift(run, cassette)
    failures = run.problems.map { $0.mismatch(cassette, run) }
    // Behind a request that nobody answered, everything differs, and it says nothing.
    let isCutShort = run.problems.contains { if case .unmatched = $0 { true } else { false } }
    if !isCutShort { failures += cassette.expect?.mismatches(in: run) ?? [] }
    // Where requests went unanswered or the prompts changed, the words are another matter.
    if run.problems.isEmpty, let said = Self.transcriptMismatch(run, cassette) {
      failures.append(said)
    }
    if isStrict {
      failures += drift.map {
        Mismatch(
          path: "\($0.purpose?.rawValue ?? "request") (--strict)",
          expected: $0.recorded.isEmpty ? "as recorded" : $0.recorded.joined(separator: "\n"),
          actual: $0.sent.isEmpty ? $0.what : $0.sent.joined(separator: "\n"), remark: $0.what)
      }
    }
  }

  private static func versionDrift(
    _ run: ConversationRun, _ cassette: Cassette
  ) -> [PromptDrift] {
    guard case .started(let start)? = run.events.first?.event else { return [] }
    var found: [String] = []
    if start.rubricVersion != cassette.rubricVersion {
      found.append(
        "the rubric is version \(start.rubricVersion), recorded was \(cassette.rubricVersion)")
    }
    if start.packVersion != cassette.settings.packVersion {
      found.append(
        "the prompts are version \(start.packVersion), recorded was \(cassette.settings.packVersion)"
      )
    }
    return found.map {
      PromptDrift(purpose: nil, what: $0, exchanges: [], recorded: [], sent: [])
    }
  }

  private static func grouped(_ drift: [CassettePlayer.Drift]) -> [PromptDrift] {
    var groups: [PromptDrift] = []
    for item in drift {
      let (what, recorded, sent) = item.described
      let place = groups.firstIndex { $0.purpose == item.purpose && $0.what == what }
      if let place {
        groups[place].exchanges.append(item.exchange)
        if groups[place].recorded.isEmpty, !recorded.isEmpty {
          groups[place].recorded = recorded
          groups[place].sent = sent
        }
      } else {
        groups.append(
          PromptDrift(
            purpose: item.purpose, what: what, exchanges: [item.exchange], recorded: recorded,
            sent: sent))
      }
    }
    return groups
  }

  private static func transcriptMismatch(_ run: ConversationRun, _ cassette: Cassette) -> Mismatch?
  {
    guard !cassette.transcript.isEmpty, cassette.transcript != run.transcript else { return nil }
    return Mismatch(
      path: "transcript", expected: cassette.transcript.map(\.line).joined(separator: "\n"),
      actual: run.transcript.map(\.line).joined(separator: "\n"))
  }
}

extension Cassette {
  /// What is still to be completed; nil where nothing is.
  var draft: Mismatch? {
    let isKeyed = exchanges.allSatisfy { $0.request != nil }
    guard !isKeyed || expect == nil else { return nil }
    return Mismatch(
      path: isKeyed ? "expect" : "exchanges",
      expected: isKeyed ? "expectations" : "a request with each exchange",
      actual: "a draft; `rapport test --update` completes it")
  }
}

extension Transcript.Message {
  var line: String { "\(speaker.rawValue): \(text)" }
}

extension CassettePlayer.Drift {
  /// In words, with the lines of both sides where they are recorded and differ.
  fileprivate var described: (what: String, recorded: [String], sent: [String]) {
    switch kind {
    case .prompt(let recorded, let sent):
      ("the prompt has changed since it was recorded", recorded, recorded.isEmpty ? [] : sent)
    case .conversation: ("what the coach said before has changed since it was recorded", [], [])
    case .model(let recorded, let sent):
      ("the model is \(sent), recorded was \(recorded)", [], [])
    case .order:
      ("asked for out of the recorded order", [], [])
    }
  }
}

extension ConversationRun.Problem {
  fileprivate func mismatch(_ cassette: Cassette, _ run: ConversationRun) -> Mismatch {
    switch self {
    case .unmatched(let request): request.mismatch(cassette)
    case .leftover(let leftover): leftover.mismatch
    case .emptyRecording(let index):
      Mismatch(
        path: "exchanges[\(index)].response", expected: "an answer",
        actual: "the recording is blank; record the conversation again")
    case .failed(let step, let reason):
      Mismatch(path: "script[\(step)]", expected: "the step is taken", actual: reason)
    case .noSuchMoment(let step, let moment):
      Mismatch(
        path: "script[\(step)]", expected: "a moment to stop at: \(moment)",
        actual: "it never came")
    case .otherPack(let recorded, let used):
      Mismatch(
        path: "settings.pack", expected: recorded,
        actual: "\(used); --prompts names the pack to run with")
    }
  }
}

extension CassettePlayer.Unmatched {
  fileprivate func mismatch(_ cassette: Cassette) -> Mismatch {
    let purpose = purpose?.rawValue ?? "this"
    let said = content.conversation
    let recorded = cassette.transcript.prefix(said.count).map(\.line)
    let sameWords = Array(recorded) == said
    let remark =
      left == 0
      ? "no recording of that kind is left, and none is made up"
      : "of that kind \(left) \(left == 1 ? "is" : "are") left, for other words; `rapport test --update` takes them in their order"
    return Mismatch(
      path: "a request for \(purpose)", expected: sameWords ? "a recording" : recorded.joinedLines,
      actual: sameWords ? "no recording has its key" : said.joinedLines, remark: remark)
  }
}

extension CassettePlayer.Leftover {
  fileprivate var mismatch: Mismatch {
    let purpose = purpose?.rawValue ?? "a stranger's request"
    let path = "exchanges[\(exchange)] (\(purpose))"
    guard let unreadParts else {
      return Mismatch(path: path, expected: "asked for once", actual: "nobody asked for it")
    }
    return Mismatch(
      path: path, expected: "read to its end",
      actual: "\(unreadParts) recorded \(unreadParts == 1 ? "frame was" : "frames were") not read")
  }
}
