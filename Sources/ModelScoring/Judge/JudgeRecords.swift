import ContextQuality
import IncrementalJSON

/// The records of a judge's readings, by id.
public struct JudgeRecords: Sendable {
  struct Record: Hashable, Sendable {
    /// The user turns in which each facet became known, and in which it no longer was.
    var facets: [Facet: (Range<Int>)]
    /// The overall score after each user turn, in ten-thousandths.
    var points: [Int]
    var details: ReadingDetails

    func known(after turn: Int) -> Set<Facet> {
      Set(facets.lazy.filter { $0.value.contains(turn) }.map(\.key))
    }

    var known: Set<Facet> { known(after: points.count) }
  }

  private var records: [String: Record] = [:]
  private var failures: [String: String] = [:]
  /// The models that the records name.
  public private(set) var scorers: Set<String> = []

  /// Lines that are no records of readings are passed over.
  public init(lines: [UInt8]) {
    for line in lines.split(separator: 0x0A) { take(line) }
  }

  public mutating func take(_ line: some Collection<UInt8> & Sendable) {
    guard let json = try? JSONValue(parsing: line), let id = json["id"]?.stringValue else { return }
    if let error = json["error"]?.stringValue {
      failures[id] = error
      return
    }
    guard let turns = json["turns"]?.arrayValue, let reading = json["reading"] else { return }
    if let scorer = json["scorer"]?.stringValue { scorers.insert(scorer) }
    var facets: [Facet: Range<Int>] = [:]
    for (name, value) in json["facets"]?.objectValue ?? [:] {
      guard let facet = Facet(name), let turn = value["turn"]?.intValue else { continue }
      let until = value["until"]?.intValue ?? .max
      if turn < until { facets[facet] = turn..<until }
    }
    records[id] = Record(
      facets: facets,
      points: turns.map { Int((($0["overall"]?.doubleValue ?? 0) * 10_000).rounded()) },
      details: ReadingDetails(reading))
  }

  subscript(id: String) -> Record? { records[id] }

  /// Why a reading has no score; nil if it has one, or was never tried.
  func failure(of id: String) -> String? { records[id] == nil ? failures[id] : nil }
}
