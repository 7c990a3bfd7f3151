public import FoundationEssentials

/// The person's answer about health data, and what was read.
public struct HealthMemory: Hashable, Sendable {
  /// A JSON snapshot: figures and findings, but no raw data.
  public struct Snapshot: Hashable, Sendable {
    public var json: String
    /// The source file and its last modification.
    public var file: String
    public var fileChanged: Date
    public var readAt: Date

    public init(json: String, file: String, fileChanged: Date, readAt: Date) {
      self.json = json
      self.file = file
      self.fileChanged = fileChanged
      self.readAt = readAt
    }
  }

  /// Nil if they opted out.
  public var snapshot: Snapshot?

  public init(snapshot: Snapshot? = nil) { self.snapshot = snapshot }
}
