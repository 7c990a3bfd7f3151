import OfflineScorer

/// The form of the records.
public enum ScoreFormat: String, CaseIterable, Sendable { case jsonl, csv, table, html }

/// Scores line after line and writes the results.
struct RecordScorer: ~Copyable {
  let table: ScoreTable
  let format: ScoreFormat
  let turnDetails: Bool
  let certaintyShown: CertaintyShown
  /// How sure the scorer is after the last turn; nil if nobody asks. With details, after each turn.
  private var certainty: Certainty?
  private var ranges: [ClosedRange<Int>] = []
  private var scorer: TurnReader
  private var line = TranscriptLine()
  private(set) var totals: ScoreTotals
  /// The data of an HTML report, and the best conversations.
  private(set) var parts = ChunkParts()
  /// Conversations, selected or not.
  private(set) var conversations = 0
  /// Conversations in a language that this scorer does not read.
  private(set) var unread = 0
  private let selection: ScoreSelection
  private let isUnread: (@Sendable (String) -> Bool)?
  /// Whether the current conversation is among ``unread``.
  private var isOther = false
  private var known: [UInt32] = []
  /// Who read each turn; empty unless there is a choice.
  private var tiers: [ScoringTier] = []
  private let isCascade: Bool
  private var userTurns: [TranscriptLine.Message] = []
  private let componentNames: [[UInt8]]

  init(table: ScoreTable, options: BatchOptions) {
    (self.table, format, turnDetails) = (table, options.format, options.turnDetails)
    certaintyShown = options.certainty
    isCascade = options.isCascade
    (selection, isUnread) = (options.selection, options.isUnread)
    scorer = TurnReader(encoder: options.encoder, budget: options.encoderBudget)
    totals = ScoreTotals(table: table, options)
    componentNames = table.components.map { Array("\"\($0.name)\"".utf8) }
  }

  /// Resets the counts but keeps what it learned about words.
  mutating func begin(_ parts: ChunkParts) {
    self.parts = parts
    (conversations, unread) = (0, 0)
    totals = totals.emptied
  }

  /// Whether nobody can tell what the user of the current conversation said. It has no score.
  var isSilent: Bool { !line.hasUserWords }

  /// Scores a line.
  ///
  /// - Returns: What is wrong with the line, in which case nothing is written; nil if valid.
  mutating func score(
    _ bytes: UnsafeRawBufferPointer, fallbackID: @autoclosure () -> String,
    into output: inout ByteBuffer
  ) -> String? {
    if let problem = line.read(bytes) { return problem }
    read()
    conversations += 1
    isOther = looksUnread
    if isOther { unread += 1 }
    let points = table.points(known: finalKnown)
    guard !isSilent || selection.isEverything, selection.accepts(points: points, state: state)
    else {
      totals.leaveOut(1)
      return nil
    }
    guard parts.best == nil else {
      offer(points, fallbackID(), &output)
      return nil
    }
    if isSilent {
      totals.countSilent()
    } else {
      totals.count(known, isUnread: isOther, certainty: certainty, tiers: tiers)
    }
    if isSilent, parts.report != nil { return nil }
    if parts.report != nil {
      countForReport(bytes, fallbackID())
    } else {
      write(fallbackID(), &output)
    }
    return nil
  }

  @inline(__always)
  private func write(_ fallbackID: @autoclosure () -> String, _ output: inout ByteBuffer) {
    if let id = line.id { return write(id.start, id.count, &output) }
    var id = fallbackID()
    id.withUTF8 { if let start = $0.baseAddress { write(start, $0.count, &output) } }
  }

  private mutating func offer(
    _ points: Int, _ fallbackID: @autoclosure () -> String, _ output: inout ByteBuffer
  ) {
    // Taken out of the scorer, which the record is made from.
    guard var best = parts.best.take() else { return }
    best.offer(points: points) {
      let start = output.count
      write(fallbackID(), &output)
      defer { output.truncate(to: start) }
      return BestRecord(
        record: Array(output.bytes[start..<output.count]), known: known, isUnread: isOther,
        certainty: certainty, tiers: tiers)
    }
    parts.best = best
  }

  /// The first of the user's words, enough to tell a language.
  private static let sampleBytes = 240

  private var looksUnread: Bool {
    guard let isUnread, scorer.hasManyUnknownWords else { return false }
    var sample: [UInt8] = []
    for message in userTurns {
      let room = Self.sampleBytes - sample.count
      guard room > 0 else { break }
      sample += UnsafeBufferPointer(start: message.start, count: min(room, message.count))
      sample.append(0x0A)
    }
    return isUnread(String(decoding: sample, as: UTF8.self))
  }

  /// A hash of the line's id; 0 if it has none.
  var idHash: UInt64 {
    guard let id = line.id else { return 0 }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for index in 0..<id.count { hash = (hash ^ UInt64(id.start[index])) &* 0x0000_0100_0000_01b3 }
    return (hash ^ hash >> 32) | 1
  }

  /// The line's id, if it is readable.
  var id: String? {
    line.id.map {
      String(decoding: UnsafeBufferPointer(start: $0.start, count: $0.count), as: UTF8.self)
    }
  }

  private mutating func read() {
    scorer.begin()
    known.removeAll(keepingCapacity: true)
    userTurns.removeAll(keepingCapacity: true)
    ranges.removeAll(keepingCapacity: true)
    tiers.removeAll(keepingCapacity: true)
    for message in line.messages {
      let text = UnsafeBufferPointer(start: message.start, count: message.count)
      if message.speaker == TranscriptLine.Speaker.coach.rawValue {
        scorer.coachSaid(text)
      } else {
        userSaid(text, message.speaker)
        known.append(scorer.known)
        userTurns.append(message)
        if isCascade { tiers.append(scorer.tier) }
        if turnDetails, certaintyShown != .none { ranges.append(scorer.certainty(table).range) }
      }
    }
    certainty = certaintyShown == .none ? nil : scorer.certainty(table)
  }

  /// The state at the end.
  private var state: ReadyState {
    if certaintyShown == .abstaining, certainty?.isUnsure(readyAbove: table.readyAbove) == true {
      return .unsure
    }
    return table.points(known: finalKnown) > table.readyAbove ? .ready : .notReady
  }

  @inline(__always)
  private mutating func userSaid(_ text: UnsafeBufferPointer<UInt8>, _ speaker: UInt8) {
    if speaker == TranscriptLine.Speaker.aside.rawValue {
      scorer.passOver()
    } else {
      scorer.userSaid(text)
    }
  }

  private func write(_ id: UnsafePointer<UInt8>, _ length: Int, _ output: inout ByteBuffer) {
    switch format {
    case .jsonl: writeJSON(id, length, &output)
    case .csv: writeCSV(id, length, &output)
    case .table: writeRow(id, length, &output)
    case .html: break
    }
  }

  private var finalKnown: UInt32 { known.last ?? 0 }

  private var turnsToReady: Int? {
    known.firstIndex { table.points(known: $0) > table.readyAbove }.map { $0 + 1 }
  }

  private mutating func countForReport(
    _ bytes: UnsafeRawBufferPointer, _ fallbackID: @autoclosure () -> String
  ) {
    let key = ContentKey.of(bytes)
    guard parts.report?.accepts(key) == true else {
      parts.report?.count(known: known, table: table, sample: nil)
      return
    }
    var builder = ReportConversationBuilder(id: id ?? fallbackID(), table: table)
    scorer.begin()
    for message in line.messages {
      let text = UnsafeBufferPointer(start: message.start, count: message.count)
      if message.speaker == TranscriptLine.Speaker.coach.rawValue {
        scorer.coachSaid(text)
        builder.coachSaid(text)
      } else {
        userSaid(text, message.speaker)
        builder.userSaid(text, read: scorer)
      }
    }
    builder.conversation.isUnread = isOther
    builder.conversation.certainty = certainty
    parts.report?.count(known: known, table: table, sample: (key, builder.conversation))
  }

  // MARK: JSON Lines

  private func writeJSON(_ id: UnsafePointer<UInt8>, _ length: Int, _ output: inout ByteBuffer) {
    let points = table.points(known: finalKnown)
    output.append("{\"id\":")
    output.append(jsonString: id, length)
    if isSilent { return output.append(Self.silentMembers) }
    output.append(",\"overall\":")
    output.append(fraction: points)
    if let certainty { writeRange(certainty.range, &output) }
    switch state {
    case .ready: output.append(",\"ready\":true")
    case .notReady: output.append(",\"ready\":false")
    case .unsure: output.append(",\"ready\":\"unsure\"")
    }
    output.append(",\"turnsToReady\":")
    if let turns = turnsToReady { output.append(number: turns) } else { output.append("null") }
    output.append(",\"components\":")
    writeComponents(finalKnown, &output)
    writeFacets(&output)
    writePossible(&output)
    writeTurns(&output)
    if isCascade {
      output.append(",\"tier\":")
      output.append((tiers.max() ?? .linear).json)
    }
    if certainty?.isUnlike == true { output.append(",\"unlike\":true") }
    output.append(isOther ? ",\"language\":\"other\"}\n" : "}\n")
  }

  /// The rest of a record of somebody who said nothing that can be read.
  static let silentMembers: StaticString = """
    ,"overall":null,"ready":false,"turnsToReady":null,"components":{},"facets":{},"turns":[]}

    """

  private func writeRange(_ range: ClosedRange<Int>, _ output: inout ByteBuffer) {
    output.append(",\"range\":[")
    output.append(fraction: range.lowerBound)
    output.append(UInt8(ascii: ","))
    output.append(fraction: range.upperBound)
    output.append(UInt8(ascii: "]"))
  }

  /// A facet that is not known is named if it is as likely as this.
  private static let leastPossible = 0.1

  /// Facets that the scorer may have missed.
  private func writePossible(_ output: inout ByteBuffer) {
    guard let certainty else { return }
    output.append(",\"possible\":{")
    var isFirst = true
    for facet in 0..<OfflineScorer.facets.count
    where finalKnown >> UInt32(facet) & 1 == 0 && certainty.chances[facet] >= Self.leastPossible {
      if !isFirst { output.append(",") }
      isFirst = false
      output.append(FacetNames.json[facet])
      output.append(":")
      output.append(fraction: Self.percent(certainty.chances[facet]), digits: 2)
    }
    output.append(UInt8(ascii: "}"))
  }

  /// Never 0 or 100, which nobody can be sure of.
  static func percent(_ chance: Double) -> Int {
    min(99, max(1, Int((100 * chance).rounded())))
  }

  private func writeComponents(_ known: UInt32, _ output: inout ByteBuffer) {
    for index in table.components.indices {
      output.append(index == 0 ? UInt8(ascii: "{") : UInt8(ascii: ","))
      output.append(componentNames[index])
      output.append(UInt8(ascii: ":"))
      output.append(fraction: table.percent(index, known: known), digits: 2)
    }
    output.append(UInt8(ascii: "}"))
  }

  private func writeFacets(_ output: inout ByteBuffer) {
    output.append(",\"facets\":{")
    var isFirst = true
    let findings = scorer.findings
    for facet in 0..<OfflineScorer.facets.count {
      let finding = findings[facet]
      guard finding.turn > 0 else { continue }
      if !isFirst { output.append(UInt8(ascii: ",")) }
      isFirst = false
      output.append(FacetNames.json[facet])
      output.append(":{\"turn\":")
      output.append(number: Int(finding.turn))
      output.append(",\"quote\":")
      let text = userTurns[Int(finding.turn) - 1].start
      output.append(jsonString: text + Int(finding.start), Int(finding.end - finding.start))
      if finding.until > 0 {
        output.append(",\"until\":")
        output.append(number: Int(finding.until))
      } else if let certainty {
        output.append(",\"chance\":")
        output.append(fraction: Self.percent(certainty.chances[facet]), digits: 2)
      }
      output.append(UInt8(ascii: "}"))
    }
    output.append(UInt8(ascii: "}"))
  }

  private func writeTurns(_ output: inout ByteBuffer) {
    output.append(",\"turns\":[")
    var (before, weakest) = (UInt32(0), table.weakest(known: 0))
    for (index, known) in known.enumerated() {
      if known != before { (before, weakest) = (known, table.weakest(known: known)) }
      output.append(index == 0 ? "{\"turn\":" : ",{\"turn\":")
      output.append(number: index + 1)
      output.append(",\"overall\":")
      output.append(fraction: table.points(known: known))
      if index < ranges.count { writeRange(ranges[index], &output) }
      output.append(",\"weakest\":")
      if let weakest {
        output.append(componentNames[weakest])
      } else {
        output.append("null")
      }
      if turnDetails {
        output.append(",\"components\":")
        writeComponents(known, &output)
      }
      if index < tiers.count {
        output.append(",\"tier\":")
        output.append(tiers[index].json)
      }
      output.append(UInt8(ascii: "}"))
    }
    output.append(UInt8(ascii: "]"))
  }

  // MARK: CSV

  static func csvHeader(
    _ table: ScoreTable, turnDetails: Bool, certainty: CertaintyShown = .none,
    tiers: Bool = false
  ) -> String {
    let first =
      turnDetails
      ? ["id", "turn", "overall", "ready"] : ["id", "turns", "overall", "ready", "turnsToReady"]
    let last = (certainty == .none ? [] : ["low", "high"]) + (tiers ? ["tier"] : [])
    return (first + ["weakest"] + table.components.map(\.name) + last).joined(separator: ",") + "\n"
  }

  private func writeCSV(_ id: UnsafePointer<UInt8>, _ length: Int, _ output: inout ByteBuffer) {
    guard turnDetails else {
      return writeCSVRow(
        id, length, known.count, finalKnown, certainty?.range,
        isCascade ? tiers.max() ?? .linear : nil, &output)
    }
    for (index, known) in known.enumerated() {
      let range = index < ranges.count ? ranges[index] : nil
      let tier = index < tiers.count ? tiers[index] : nil
      writeCSVRow(id, length, index + 1, known, range, tier, &output)
    }
  }

  private func writeCSVRow(
    _ id: UnsafePointer<UInt8>, _ length: Int, _ turn: Int, _ known: UInt32,
    _ range: ClosedRange<Int>?, _ tier: ScoringTier?, _ output: inout ByteBuffer
  ) {
    let points = table.points(known: known)
    CSV.append(id, length, &output)
    output.append(UInt8(ascii: ","))
    output.append(number: turn)
    output.append(UInt8(ascii: ","))
    if isSilent { return writeSilentColumns(range, tier, &output) }
    output.append(fraction: points)
    switch turnDetails ? (points > table.readyAbove ? .ready : .notReady) : state {
    case .ready: output.append(",true,")
    case .notReady: output.append(",false,")
    case .unsure: output.append(",unsure,")
    }
    if !turnDetails {
      if let turns = turnsToReady { output.append(number: turns) }
      output.append(UInt8(ascii: ","))
    }
    if let weakest = table.weakest(known: known) {
      output.append(Array(table.components[weakest].name.utf8))
    }
    for index in table.components.indices {
      output.append(UInt8(ascii: ","))
      output.append(fraction: table.percent(index, known: known), digits: 2)
    }
    if let range {
      output.append(",")
      output.append(fraction: range.lowerBound)
      output.append(",")
      output.append(fraction: range.upperBound)
    }
    if let tier {
      output.append(",")
      output.append(Array(tier.rawValue.utf8))
    }
    output.append(UInt8(ascii: "\n"))
  }

  /// The columns from `overall` on, empty but for `ready`.
  private func writeSilentColumns(
    _ range: ClosedRange<Int>?, _ tier: ScoringTier?, _ output: inout ByteBuffer
  ) {
    let empty =
      (turnDetails ? 0 : 1) + table.components.count + (range == nil ? 0 : 2)
      + (tier == nil ? 0 : 1)
    output.append(Array((",false," + String(repeating: ",", count: empty) + "\n").utf8))
  }

  // MARK: Table

  static func tableHeader() -> String { "overall  ready  turns  weakest              id\n" }

  private func writeRow(_ id: UnsafePointer<UInt8>, _ length: Int, _ output: inout ByteBuffer) {
    let row = Self.row(
      points: isSilent ? nil : table.points(known: finalKnown),
      weakest: isSilent
        ? nil : table.weakest(known: finalKnown).map { table.components[$0].name },
      turnsToReady: turnsToReady, turns: known.count, isUnsure: state == .unsure)
    output.append(Array(row.utf8))
    ShownText.append(UnsafeBufferPointer(start: id, count: length), &output)
    output.append(UInt8(ascii: "\n"))
  }

  /// A row, without its id.
  static func row(
    points: Int?, weakest: String?, turnsToReady: Int?, turns: Int, isUnsure: Bool = false
  ) -> String {
    let ready = isUnsure ? "unsure" : turnsToReady.map { "turn \($0)" } ?? "no"
    return padded(points.map(ShownFigure.score) ?? "-", 7) + "  " + padded(ready, 7)
      + padded("\(turns)", 5)
      + "  "
      + padded(weakest ?? "-", 20) + " "
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.utf8.count))
  }
}

extension ScoringTier {
  /// In quotation marks.
  fileprivate var json: [UInt8] { Array("\"\(rawValue)\"".utf8) }
}

enum FacetNames {
  static let json: [[UInt8]] = OfflineScorer.facets.map { Array("\"\($0)\"".utf8) }
}
