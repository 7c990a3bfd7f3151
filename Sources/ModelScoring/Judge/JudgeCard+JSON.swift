import BatchScoring
import ContextQuality
package import IncrementalJSON

extension JudgeCard {
  /// The card for programs; what has no figure is null.
  package var json: JSONValue {
    [
      "scorer": scorer.map { .string($0) } ?? .null, "pack": .string(pack),
      "readyAbove": Self.json(Double(readyAbove) / 10_000),
      "conversations": JSONValue(conversations), "repeats": JSONValue(repeats),
      "readings": ["planned": JSONValue(planned), "done": JSONValue(done)],
      "changes": .array(shifts.map(Self.json)),
      "facets": .array(
        flickers.map { flicker in
          [
            "facet": .string(flicker.facet.description), "found": JSONValue(flicker.found),
            "flickered": JSONValue(flicker.flickered),
          ]
        }),
      "quotes": [
        "offered": JSONValue(quotes.offered), "verbatim": JSONValue(quotes.verbatim),
        "snapped": JSONValue(quotes.snapped), "refused": JSONValue(quotes.refused),
        "snaps": Self.json(quotes.snaps), "refusals": Self.json(quotes.refusals),
      ],
      "labels": labels.map(Self.json) ?? .null,
      "cost": .members([
        "requests": cost.requests, "repairs": cost.repairs, "inputTokens": cost.inputTokens,
        "outputTokens": cost.outputTokens, "uncounted": cost.uncounted,
        "milliseconds": cost.milliseconds, "medianMilliseconds": cost.medianMilliseconds,
      ]),
      "errors": Self.json(errors),
    ]
  }

  private static func json(_ shift: Shift) -> JSONValue {
    [
      "change": .string(shift.change.rawValue), "conversations": JSONValue(shift.conversations),
      "decisions": json(shift.decisions), "endings": json(shift.endings),
      "facets": json(shift.facets), "overall": json(shift.overall),
    ]
  }

  private static func json(_ labels: Labels) -> JSONValue {
    [
      "conversations": JSONValue(labels.conversations), "prefixes": JSONValue(labels.prefixes),
      "f1": json(labels.f1), "precision": json(labels.precision), "recall": json(labels.recall),
      "error": json(labels.error), "decisions": json(labels.decisions),
    ]
  }

  private static func json(_ counts: [Count]) -> JSONValue {
    .array(counts.map { ["name": .string($0.name), "count": JSONValue($0.count)] })
  }

  private static func json(_ estimate: Estimate?) -> JSONValue {
    guard let estimate else { return .null }
    return [
      "value": json(estimate.value), "low": estimate.isInterval ? json(estimate.low) : .null,
      "high": estimate.isInterval ? json(estimate.high) : .null,
    ]
  }

  private static func json(_ figure: Double) -> JSONValue {
    JSONValue(floatLiteral: (figure * 10_000).rounded() / 10_000)
  }
}
