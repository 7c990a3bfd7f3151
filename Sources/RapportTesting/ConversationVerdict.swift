public import Cassettes
import ContextQuality
import IncrementalJSON
import Intake
public import LanguageModels
import WireFormats

/// Whether a conversation met its cassette's expectations, and what failed.
public struct ConversationVerdict: Sendable {
  public var failures: [Mismatch]
  /// Differences from the recording that are not wrong; in a strict run they are failures too.
  public var drift: [PromptDrift]

  public var hasPassed: Bool { failures.isEmpty }

  /// Requests for one purpose that differ from the recording.
  public struct PromptDrift: Hashable, Sendable {
    public var purpose: RequestPurpose?
    public var what: String
    /// The exchanges concerned, counted from 0.
    public var exchanges: [Int]
    /// Both sides' lines, if recorded.
    public var recorded: [String]
    public var sent: [String]
  }

  /// - Parameter isStrict: Whether drift is a failure.
  public init(of run: ConversationRun, for cassette: Cassette, isStrict: Bool = false) {
    drift = Self.grouped(run.drift) + Self.versionDrift(run, cassette)
    failures = run.problems.map { $0.mismatch(cassette, run) }
    // After an unanswered request everything differs, which proves nothing.
    let isCutShort = run.problems.contains { if case .unmatched = $0 { true } else { false } }
    if !isCutShort { failures += cassette.expect?.mismatches(in: run) ?? [] }
    // With unanswered requests or changed prompts, the words can't match.
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
        "the rubric is version \(start.rubricVersion); recorded with \(cassette.rubricVersion)")
    }
    if start.packVersion != cassette.settings.packVersion {
      found.append(
        "the prompts are version \(start.packVersion); recorded with \(cassette.settings.packVersion)"
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
    let same = zip(cassette.transcript, run.transcript).prefix { $0 == $1 }.count
    return Mismatch(
      path: "transcript", expected: cassette.transcript.map(\.line).joined(separator: "\n"),
      actual: run.transcript.map(\.line).joined(separator: "\n"),
      place: [.member("transcript"), .element(min(same, cassette.transcript.count - 1))])
  }
}

extension Cassette {
  /// What is still incomplete; nil if nothing is.
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
  /// A description, with both sides' lines if they are recorded and differ.
  fileprivate var described: (what: String, recorded: [String], sent: [String]) {
    switch kind {
    case .prompt(let recorded, let sent):
      ("the prompt has changed since it was recorded", recorded, recorded.isEmpty ? [] : sent)
    case .conversation: ("what the coach said before has changed since it was recorded", [], [])
    case .model(let recorded, let sent):
      ("the model is \(sent); recorded with \(recorded)", [], [])
    case .order:
      ("requested out of the recorded order", [], [])
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
      Mismatch(path: "script[\(step)]", expected: "the step is possible", actual: reason)
    case .noSuchMoment(let step, let moment):
      Mismatch(
        path: "script[\(step)]", expected: "a moment to stop at: \(moment)",
        actual: "it never came")
    case .otherPack(let recorded, let used):
      Mismatch(
        path: "settings.pack", expected: recorded,
        actual: "\(used); choose the pack with --prompts")
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
      ? "no unused answer was recorded for this purpose"
      : "\(left) unused \(left == 1 ? "answer was" : "answers were") recorded, for other words; `rapport test --update` uses them in order"
    return Mismatch(
      path: "a request for \(purpose)", expected: sameWords ? "a recording" : recorded.joinedLines,
      actual: sameWords ? "no recorded answer matches its key" : said.joinedLines, remark: remark)
  }
}

extension CassettePlayer.Leftover {
  fileprivate var mismatch: Mismatch {
    let purpose = purpose?.rawValue ?? "an unknown request"
    let path = "exchanges[\(exchange)] (\(purpose))"
    guard let unreadParts else {
      return Mismatch(path: path, expected: "requested once", actual: "never requested")
    }
    return Mismatch(
      path: path, expected: "read to its end",
      actual: "\(unreadParts) recorded \(unreadParts == 1 ? "frame was" : "frames were") not read")
  }
}
