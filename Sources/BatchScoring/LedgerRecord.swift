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

  /// - Parameter scorer: The scoring model, named in JSON records; nil if there was none.
  public init(rubric: Rubric, format: ScoreFormat, turnDetails: Bool, scorer: String? = nil) {
    self.init(
      rubric: rubric, format: format, turnDetails: turnDetails, scorer: scorer, isCascade: false)
  }

  /// - Parameter isCascade: Whether records tell who read what.
  package init(
    rubric: Rubric, format: ScoreFormat, turnDetails: Bool, scorer: String?, isCascade: Bool
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

  /// - Parameter scores: The score after each user turn.
  public func bytes(id: String, _ ledger: Ledger, _ scores: [ContextComponents]) -> [UInt8] {
    bytes(id: id, ledger, scores, reading: nil)
  }

  /// - Parameters:
  ///   - reading: What a JSON record adds about how the conversation was read.
  ///   - tiers: What a cascade's record adds.
  package func bytes(
    id: String, _ ledger: Ledger, _ scores: [ContextComponents], reading: JSONValue?,
    tiers: TierDetails? = nil
  ) -> [UInt8] {
    var output = ByteBuffer(capacity: 4096)
    let final = scores.last ?? ContextComponents(known: [], rubric: rubric)
    switch format {
    case .csv: writeCSV(id, scores, final, tiers, &output)
    case .table: writeRow(id, scores, final, &output)
    default: writeJSON(id, ledger, scores, final, reading, tiers, &output)
    }
    return Array(output.bytes)
  }

  /// `{"id","error"}` for a conversation without a score.
  public static func failure(id: String, reason: String) -> [UInt8] {
    var output = ByteBuffer(capacity: 256)
    output.append("{\"id\":")
    output.append(jsonText: id)
    output.append(",\"error\":")
    output.append(jsonText: reason)
    output.append("}\n")
    return Array(output.bytes)
  }

  private func turnsToReady(_ scores: [ContextComponents]) -> Int? {
    scores.firstIndex(where: \.isReadyForCoaching).map { $0 + 1 }
  }
}

// JSON Lines.
extension LedgerRecord {
  private func writeJSON(
    _ id: String, _ ledger: Ledger, _ scores: [ContextComponents], _ final: ContextComponents,
    _ reading: JSONValue?, _ tiers: TierDetails?, _ output: inout ByteBuffer
  ) {
    output.append("{\"id\":")
    output.append(jsonText: id)
    if scores.isEmpty { return output.append(RecordScorer.silentMembers) }
    output.append(",\"overall\":")
    output.append(fraction: final.points)
    if let range = tiers?.certainty?.range {
      output.append(",\"range\":[")
      output.append(fraction: range.lowerBound)
      output.append(",")
      output.append(fraction: range.upperBound)
      output.append("]")
    }
    output.append(final.isReadyForCoaching ? ",\"ready\":true" : ",\"ready\":false")
    output.append(",\"turnsToReady\":")
    if let turns = turnsToReady(scores) {
      output.append(number: turns)
    } else {
      output.append("null")
    }
    output.append(",\"components\":")
    writeComponents(final, &output)
    writeFacets(ledger, tiers?.certainty, &output)
    writeTurns(scores, tiers, &output)
    if let tiers { writeTiers(tiers, &output) }
    if let scorer, tiers?.best ?? .model == .model {
      output.append(",\"scorer\":")
      output.append(jsonText: scorer)
    }
    if let reading {
      output.append(",\"reading\":")
      output.append(reading.serializedBytes())
    }
    output.append("}\n")
  }

  private func writeComponents(_ score: ContextComponents, _ output: inout ByteBuffer) {
    for (index, component) in score.components.enumerated() {
      output.append(index == 0 ? UInt8(ascii: "{") : UInt8(ascii: ","))
      output.append(jsonText: component.name)
      output.append(":")
      output.append(fraction: component.percent, digits: 2)
    }
    output.append("}")
  }

  private func writeTiers(_ tiers: TierDetails, _ output: inout ByteBuffer) {
    output.append(",\"tier\":")
    output.append(jsonText: tiers.best.rawValue)
    if tiers.certainty?.isUnlike == true { output.append(",\"unlike\":true") }
    if let error = tiers.modelError {
      output.append(",\"modelError\":")
      output.append(jsonText: error)
    }
  }

  private func writeFacets(
    _ ledger: Ledger, _ certainty: Certainty?, _ output: inout ByteBuffer
  ) {
    output.append(",\"facets\":{")
    var isFirst = true
    for definition in rubric.facets {
      guard let stretch = ledger.latestStretch(of: definition.facet) else { continue }
      if !isFirst { output.append(",") }
      isFirst = false
      output.append(jsonText: definition.facet.description)
      output.append(":{\"turn\":")
      output.append(number: stretch.evidence.turn)
      output.append(",\"quote\":")
      output.append(jsonText: stretch.newest.text)
      if let until = stretch.until {
        output.append(",\"until\":")
        output.append(number: until)
      } else if let certainty,
        let place = OfflineScorer.facets.firstIndex(of: definition.facet)
      {
        output.append(",\"chance\":")
        output.append(fraction: RecordScorer.percent(certainty.chances[place]), digits: 2)
      }
      if let pieces = stretch.piecesJSON {
        output.append(",\"pieces\":")
        output.append(pieces.serializedBytes())
      }
      output.append("}")
    }
    output.append("}")
  }

  private func writeTurns(
    _ scores: [ContextComponents], _ tiers: TierDetails?, _ output: inout ByteBuffer
  ) {
    output.append(",\"turns\":[")
    for (index, score) in scores.enumerated() {
      output.append(index == 0 ? "{\"turn\":" : ",{\"turn\":")
      output.append(number: index + 1)
      output.append(",\"overall\":")
      output.append(fraction: score.points)
      output.append(",\"weakest\":")
      if let weakest = score.weakest {
        output.append(jsonText: weakest.name)
      } else {
        output.append("null")
      }
      if turnDetails {
        output.append(",\"components\":")
        writeComponents(score, &output)
      }
      if let tiers, index < tiers.turns.count {
        output.append(",\"tier\":")
        output.append(jsonText: tiers.turns[index].rawValue)
      }
      output.append("}")
    }
    output.append("]")
  }
}

// CSV and the table.
extension LedgerRecord {
  private func writeCSV(
    _ id: String, _ scores: [ContextComponents], _ final: ContextComponents,
    _ tiers: TierDetails?, _ output: inout ByteBuffer
  ) {
    if scores.isEmpty { return writeSilentRow(id, tiers, &output) }
    guard turnDetails else {
      writeCSVRow(id, scores.count, final, turnsToReady(scores), &output)
      if let tiers { writeRangeAndTier(tiers.certainty?.range, tiers.best, &output) }
      return output.append("\n")
    }
    for (index, score) in scores.enumerated() {
      writeCSVRow(id, index + 1, score, nil, &output)
      if let tiers, index < tiers.turns.count {
        output.append(",")
        output.append(Array(tiers.turns[index].rawValue.utf8))
      }
      output.append("\n")
    }
  }

  /// Empty from `overall` on but for `ready`; with details, there's no turn for a row.
  private func writeSilentRow(_ id: String, _ tiers: TierDetails?, _ output: inout ByteBuffer) {
    guard !turnDetails else { return }
    output.append(csvText: id)
    let empty = 1 + rubric.components.count + (tiers == nil ? 0 : 3)
    output.append(Array((",0,,false," + String(repeating: ",", count: empty) + "\n").utf8))
  }

  private func writeRangeAndTier(
    _ range: ClosedRange<Int>?, _ tier: ScoringTier, _ output: inout ByteBuffer
  ) {
    output.append(",")
    if let range { output.append(fraction: range.lowerBound) }
    output.append(",")
    if let range { output.append(fraction: range.upperBound) }
    output.append(",")
    output.append(Array(tier.rawValue.utf8))
  }

  private func writeCSVRow(
    _ id: String, _ turn: Int, _ score: ContextComponents, _ turnsToReady: Int?,
    _ output: inout ByteBuffer
  ) {
    output.append(csvText: id)
    output.append(",")
    output.append(number: turn)
    output.append(",")
    output.append(fraction: score.points)
    output.append(score.isReadyForCoaching ? ",true," : ",false,")
    if !turnDetails {
      if let turnsToReady { output.append(number: turnsToReady) }
      output.append(",")
    }
    output.append(Array((score.weakest?.name ?? "").utf8))
    for component in score.components {
      output.append(",")
      output.append(fraction: component.percent, digits: 2)
    }
  }

  private func writeRow(
    _ id: String, _ scores: [ContextComponents], _ final: ContextComponents,
    _ output: inout ByteBuffer
  ) {
    let row = RecordScorer.row(
      points: scores.isEmpty ? nil : final.points,
      weakest: scores.isEmpty ? nil : final.weakest?.name, turnsToReady: turnsToReady(scores),
      turns: scores.count)
    output.append(Array(row.utf8))
    output.append(Array(ShownText.of(id).utf8))
    output.append("\n")
  }
}

extension ByteBuffer {
  fileprivate mutating func append(jsonText text: String) {
    var text = text
    text.withUTF8 { bytes in
      guard let start = bytes.baseAddress else { return append("\"\"") }
      append(jsonString: start, bytes.count)
    }
  }

  fileprivate mutating func append(csvText text: String) {
    var text = text
    text.withUTF8 { bytes in
      if let start = bytes.baseAddress { CSV.append(start, bytes.count, &self) }
    }
  }
}
