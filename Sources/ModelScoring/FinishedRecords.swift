import IncrementalJSON

/// What an earlier run wrote: the records that need not be asked for again.
public struct FinishedRecords: Sendable {
  /// How many records there are of each id.
  private var finished: [String: Int] = [:]
  /// Ids of records that say why there is no score.
  private var failed: Set<String> = []
  public private(set) var count = 0

  public init() {}

  /// Takes a line of the output.
  ///
  /// - Returns: whether it is a record of a score, or of why there is none.
  public mutating func take(_ line: some Collection<UInt8> & Sendable) -> Bool {
    guard let record = try? JSONValue(parsing: line), let id = record["id"]?.stringValue else {
      return false
    }
    if record["error"]?.stringValue != nil {
      failed.insert(id)
      return true
    }
    // The offline scorer's records name no scorer: they are not what was asked for.
    guard record["overall"]?.doubleValue != nil, record["turns"]?.arrayValue != nil,
      record["scorer"]?.stringValue != nil
    else { return false }
    finished[id, default: 0] += 1
    count += 1
    return true
  }

  /// Whether the next conversation of this id is finished; each record stands for one.
  mutating func isFinished(_ id: String) -> Bool {
    guard let left = finished[id], left > 0 else { return false }
    finished[id] = left - 1
    return true
  }

  /// Whether the output says already that there is no score for this id.
  func saysFailed(_ id: String) -> Bool { failed.contains(id) }
}
