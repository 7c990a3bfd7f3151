public import LanguageModels

/// Where a mock server's recorded answers come from.
public protocol RecordedAnswers: Sendable {
  /// The names of the recordings that can be requested one by one.
  var names: [String] { get }

  /// The models that were recorded.
  var models: [String] { get }

  /// Whether a recording has this name.
  func contains(_ name: String) -> Bool

  /// The recorded answer to a request.
  ///
  /// - Parameter name: The one recording to look in; nil looks in all of them.
  /// - Returns: Nil if no recording answers the request in this format.
  func answer(
    _ content: RequestContent, format: WireFormat, from name: String?
  ) -> RecordedAnswer?
}

/// A recorded exchange and where it was found.
public struct RecordedAnswer: Hashable, Sendable {
  /// The recording's name.
  public var name: String
  /// The exchange's place in the recording, from 0.
  public var index: Int
  public var exchange: Exchange

  public init(name: String, index: Int, exchange: Exchange) {
    self.name = name
    self.index = index
    self.exchange = exchange
  }
}
