import IncrementalJSON
import Intake

/// What became of a model's quotes in one reading of a conversation, and what the reading cost.
struct ReadingDetails: Hashable, Sendable {
  /// Quotes that were accepted, and of these the ones that were not verbatim.
  var accepted = 0
  var snapped = 0
  /// How those differed.
  var snaps: [String: Int] = [:]
  /// Quotes that were refused, by reason.
  var refused: [String: Int] = [:]
  var requests = 0
  var inputTokens = 0
  var outputTokens = 0
  /// Answers without a token count.
  var uncounted = 0
  /// Of all requests of the reading, in milliseconds.
  var milliseconds = 0

  init(_ reading: TranscriptReading, _ usage: ModelUsage) {
    (accepted, snapped) = (reading.accepted, reading.snapped)
    (snaps, refused) = (reading.snaps, reading.refused)
    (requests, uncounted) = (usage.requests, usage.uncounted + usage.broken)
    (inputTokens, outputTokens) = (usage.inputTokens, usage.outputTokens)
    milliseconds = Int(usage.time / .milliseconds(1))
  }

  /// Missing members count as 0.
  init(_ json: JSONValue) {
    func count(_ name: String) -> Int { max(0, json[name]?.intValue ?? 0) }
    func counts(_ name: String) -> [String: Int] {
      var counts: [String: Int] = [:]
      for (reason, count) in json[name]?.objectValue ?? [:] { counts[reason] = count.intValue }
      return counts
    }
    (accepted, snapped) = (count("accepted"), count("snapped"))
    (snaps, refused) = (counts("snaps"), counts("refused"))
    (requests, uncounted) = (count("requests"), count("uncounted"))
    (inputTokens, outputTokens) = (count("inputTokens"), count("outputTokens"))
    milliseconds = count("milliseconds")
  }

  var json: JSONValue {
    [
      "accepted": JSONValue(accepted), "snapped": JSONValue(snapped), "snaps": Self.json(snaps),
      "refused": Self.json(refused), "requests": JSONValue(requests),
      "inputTokens": JSONValue(inputTokens), "outputTokens": JSONValue(outputTokens),
      "uncounted": JSONValue(uncounted), "milliseconds": JSONValue(milliseconds),
    ]
  }

  private static func json(_ counts: [String: Int]) -> JSONValue {
    .members(counts.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) })
  }
}
