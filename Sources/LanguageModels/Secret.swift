/// A key or token that no description, log or error shows.
public struct Secret: Hashable, Sendable {
  /// The secret itself. The name says it: a caller takes care where it goes.
  public let revealed: String

  public init(_ value: String) { revealed = value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Enough to tell two keys apart: the last four characters, of a key long enough to spare them.
  public var description: String {
    revealed.count >= 20 ? "…\(revealed.suffix(4))" : "…"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: ["secret": description]) }
}
