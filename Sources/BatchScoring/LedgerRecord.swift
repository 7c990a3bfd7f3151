public import ContextQuality
package import IncrementalJSON
import OfflineScorer

/// Writes what is known of a conversation as batch records, for any scorer.
public struct LedgerRecord: Sendable {
  private let rubric: Rubric
  private let format: ScoreFormat
  private let turnDetails: Bool
  private let scorer: String?
  private let isCascade: Bool

  /// - Parameters:
  ///   - scorer: The scoring model, named in JSON records; nil if there was none.
  ///   - isCascade: Whether records tell who read what.
  package init(
    rubric: Rubric, format: ScoreFormat, turnDetails: Bool, scorer: String? = nil,
    isCascade: Bool = false
  ) {
    (self.rubric, self.format, self.turnDetails) = (rubric, format, turnDetails)
    (self.scorer, self.isCascade) = (scorer, isCascade)
  }

  /// The text before the first record.
  public var header: [UInt8] {
    switch format {
    case .csv:
      Array(
        RecordScorer.csvHeader(
          ScoreTable(rubric), turnDetails: turnDetails,
          certainty: isCascade && !turnDetails ? .ranges : .none, tiers: isCascade
        ).utf8)
    case .table: Array(RecordScorer.tableHeader().utf8)
    default: []
    }
  }

  /// The score after each user turn.
  public func scores(_ ledger: Ledger, turns: Int) -> [ContextComponents] {
    guard turns > 0 else { return [] }
    return (1...turns).map { ContextComponents(known: ledger.known(after: $0), rubric: rubric) }
  }

  /// - Parameters:
  ///   - scores: The score after each user turn.
  ///   - reading: What a JSON record adds about how the conversation was read.
  ///   - tiers: What a cascade's record adds.
  package func bytes(
    id: String, _ ledger: Ledger, _ scores: [ContextComponents], reading: JSONValue? = nil,
    tiers: TierDetails? = nil
  ) -> [UInt8] {
    let text =
      switch format {
      case .csv: csv(id, scores, tiers)
      case .table: row(id, scores)
      default: json(id, ledger, scores, reading, tiers).serialized() + "\n"
      }
    return Array(text.utf8)
  }

  /// `{"id","error"}` for a conversation without a score.
  public static func failure(id: String, reason: String) -> [UInt8] {
    let record: JSONValue = ["id": .string(id), "error": .string(reason)]
    return record.serializedBytes() + [0x0A]
  }

  private func turnsToReady(_ scores: [ContextComponents]) -> Int? {
    scores.firstIndex(where: \.isReadyForCoaching).map { $0 + 1 }
  }
}

// JSON Lines.
extension LedgerRecord {
  private func json(
    _ id: String, _ ledger: Ledger, _ scores: [ContextComponents], _ reading: JSONValue?,
    _ tiers: TierDetails?
  ) -> JSONValue {
    guard let final = scores.last else {
      return [
        "id": .string(id), "overall": .null, "ready": false, "turnsToReady": .null,
        "components": [:], "facets": [:], "turns": [],
      ]
    }
    let certainty = tiers?.certainty
    let range = certainty.map {
      [Self.share($0.range.lowerBound), Self.share($0.range.upperBound)]
    }
    return .members([
      "id": id, "overall": Self.share(final.points), "range": range,
      "ready": final.isReadyForCoaching,
      "turnsToReady": turnsToReady(scores).map { JSONValue($0) } ?? JSONValue.null,
      "components": components(final), "facets": facets(ledger, certainty),
      "turns": turns(scores, tiers), "tier": tiers?.best.rawValue,
      "unlike": certainty?.isUnlike == true ? JSONValue.bool(true) : nil,
      "modelError": tiers?.modelError,
      "scorer": tiers?.best ?? .model == .model ? scorer : nil, "reading": reading,
    ])
  }

  /// A number from 0 to 1.
  private static func share(_ part: Int, of whole: Double = 10_000) -> Double {
    Double(part) / whole
  }

  private func components(_ score: ContextComponents) -> JSONValue {
    .members(score.components.map { ($0.name, JSONValue(Self.share($0.percent, of: 100))) })
  }

  private func facets(_ ledger: Ledger, _ certainty: Certainty?) -> JSONValue {
    .members(
      rubric.facets.map(\.facet).map { facet in
        let chance = certainty.flatMap { certainty in
          OfflineScorer.facets.firstIndex(of: facet).map { certainty.chances[$0] }
        }
        let stretch = ledger.latestStretch(of: facet).map { stretch -> JSONValue in
          .members([
            "turn": stretch.evidence.turn, "quote": stretch.newest.text, "until": stretch.until,
            "chance": stretch.until == nil
              ? chance.map { Self.share(RecordScorer.percent($0), of: 100) } : nil,
            "pieces": stretch.piecesJSON,
          ])
        }
        return (facet.description, stretch)
      })
  }

  private func turns(_ scores: [ContextComponents], _ tiers: TierDetails?) -> JSONValue {
    .array(
      scores.enumerated().map { index, score in
        .members([
          "turn": index + 1, "overall": Self.share(score.points),
          "weakest": score.weakest.map { JSONValue.string($0.name) } ?? JSONValue.null,
          "components": turnDetails ? components(score) : nil, "tier": tier(index, tiers),
        ])
      })
  }

  /// Who read a turn, counted from 0.
  private func tier(_ index: Int, _ tiers: TierDetails?) -> String? {
    guard let turns = tiers?.turns, turns.indices.contains(index) else { return nil }
    return turns[index].rawValue
  }
}

// CSV and the table.
extension LedgerRecord {
  private func csv(
    _ id: String, _ scores: [ContextComponents], _ tiers: TierDetails?
  ) -> String {
    guard !turnDetails else {
      return scores.enumerated().map { index, score in
        Self.line(columns(id, index + 1, score, []) + [tier(index, tiers)].compactMap(\.self))
      }.joined()
    }
    let range = tiers?.certainty?.range
    let added = tiers.map {
      [Self.figure(range?.lowerBound), Self.figure(range?.upperBound), $0.best.rawValue]
    }
    guard let final = scores.last else {
      // Empty from `overall` on but for `ready`.
      let empty = [String](repeating: "", count: 2 + rubric.components.count)
      return Self.line([CSV.field(id), "0", "", "false"] + empty + (added ?? []).map { _ in "" })
    }
    let turns = turnsToReady(scores).map(String.init) ?? ""
    return Self.line(columns(id, scores.count, final, [turns]) + (added ?? []))
  }

  /// - Parameter turnsToReady: Stands behind `ready`.
  private func columns(
    _ id: String, _ turn: Int, _ score: ContextComponents, _ turnsToReady: [String]
  ) -> [String] {
    [CSV.field(id), "\(turn)", Self.figure(score.points), "\(score.isReadyForCoaching)"]
      + turnsToReady + [score.weakest?.name ?? ""]
      + score.components.map { Self.figure($0.percent, of: 100) }
  }

  private static func line(_ columns: [String]) -> String {
    columns.joined(separator: ",") + "\n"
  }

  private static func figure(_ part: Int?, of whole: Double = 10_000) -> String {
    part.flatMap { JSONNumber(share($0, of: whole)) }?.description ?? ""
  }

  private func row(_ id: String, _ scores: [ContextComponents]) -> String {
    RecordScorer.row(
      points: scores.last?.points, weakest: scores.last?.weakest?.name,
      turnsToReady: turnsToReady(scores), turns: scores.count) + ShownText.of(id) + "\n"
  }
}
