public import ContextQuality
package import IncrementalJSON
import OfflineScorer

/// Writes what is known of a conversation as batch records, for any scorer.
public struct LedgerRecord: Sendable {
  private let rubric: Rubric
  private let format: ScoreFormat
  private let turnDetails: Bool
  private let scorer: String?

  /// - Parameter scorer: The scoring model, named in JSON records; nil if there was none.
  public init(rubric: Rubric, format: ScoreFormat, turnDetails: Bool, scorer: String? = nil) {
    (self.rubric, self.format, self.turnDetails) = (rubric, format, turnDetails)
    self.scorer = scorer
  }

  /// The text before the first record.
  public var header: [UInt8] {
    switch format {
    case .csv: Array(RecordScorer.csvHeader(ScoreTable(rubric), turnDetails: turnDetails).utf8)
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

  /// - Parameter reading: What a JSON record adds about how the conversation was read.
  package func bytes(
    id: String, _ ledger: Ledger, _ scores: [ContextComponents], reading: JSONValue?
  ) -> [UInt8] {
    var output = ByteBuffer(capacity: 4096)
    let final = scores.last ?? ContextComponents(known: [], rubric: rubric)
    switch format {
    case .csv: writeCSV(id, scores, final, &output)
    case .table: writeRow(id, scores, final, &output)
    default: writeJSON(id, ledger, scores, final, reading, &output)
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
    _ reading: JSONValue?, _ output: inout ByteBuffer
  ) {
    output.append("{\"id\":")
    output.append(jsonText: id)
    output.append(",\"overall\":")
    output.append(fraction: final.points)
    output.append(final.isReadyForCoaching ? ",\"ready\":true" : ",\"ready\":false")
    output.append(",\"turnsToReady\":")
    if let turns = turnsToReady(scores) {
      output.append(number: turns)
    } else {
      output.append("null")
    }
    output.append(",\"components\":")
    writeComponents(final, &output)
    writeFacets(ledger, &output)
    writeTurns(scores, &output)
    if let scorer {
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

  private func writeFacets(_ ledger: Ledger, _ output: inout ByteBuffer) {
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
      output.append(jsonText: stretch.evidence.text)
      if let until = stretch.until {
        output.append(",\"until\":")
        output.append(number: until)
      }
      output.append("}")
    }
    output.append("}")
  }

  private func writeTurns(_ scores: [ContextComponents], _ output: inout ByteBuffer) {
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
      output.append("}")
    }
    output.append("]")
  }
}

// CSV and the table.
extension LedgerRecord {
  private func writeCSV(
    _ id: String, _ scores: [ContextComponents], _ final: ContextComponents,
    _ output: inout ByteBuffer
  ) {
    guard turnDetails else {
      return writeCSVRow(id, scores.count, final, turnsToReady(scores), &output)
    }
    for (index, score) in scores.enumerated() { writeCSVRow(id, index + 1, score, nil, &output) }
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
    output.append("\n")
  }

  private func writeRow(
    _ id: String, _ scores: [ContextComponents], _ final: ContextComponents,
    _ output: inout ByteBuffer
  ) {
    let row = RecordScorer.row(
      points: final.points, weakest: final.weakest?.name, turnsToReady: turnsToReady(scores),
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
