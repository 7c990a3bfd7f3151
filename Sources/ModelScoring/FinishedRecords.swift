import IncrementalJSON

/// An earlier run's output: the records that need no new request.
public struct FinishedRecords: Sendable {
  /// The number of records per id.
  private var finished: [String: Int] = [:]
  /// Ids of records that explain a missing score.
  private var failed: Set<String> = []
  public private(set) var count = 0

  /// Whether records of the offline tiers count, as in a cascade.
  private let takesTiers: Bool

  /// - Parameter cascade: Whether the records are those of a cascade.
  public init(cascade: Bool = false) { takesTiers = cascade }

  /// Reads a line of the output.
  ///
  /// - Returns: Whether it is a record of a score, or of why it is missing.
  public mutating func take(_ line: some Collection<UInt8> & Sendable) -> Bool {
    guard let record = try? JSONValue(parsing: line), let id = record["id"]?.stringValue else {
      return false
    }
    if record["error"]?.stringValue != nil {
      failed.insert(id)
      return true
    }
    // Offline records name no scorer; a model's scores were asked for.
    guard record["overall"]?.doubleValue != nil, record["turns"]?.arrayValue != nil,
      record[takesTiers ? "tier" : "scorer"]?.stringValue != nil
    else { return false }
    // The model is asked again.
    if record["modelError"]?.stringValue != nil {
      failed.insert(id)
      return true
    }
    finished[id, default: 0] += 1
    count += 1
    return true
  }

  /// Whether the next conversation with this id is finished; each record stands for one.
  mutating func isFinished(_ id: String) -> Bool {
    guard let left = finished[id], left > 0 else { return false }
    finished[id] = left - 1
    return true
  }

  /// Whether the output already explains a missing score for this id.
  func saysFailed(_ id: String) -> Bool { failed.contains(id) }
}
