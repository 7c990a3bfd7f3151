public import HTTPStreaming
public import WireFormats

/// What the server does with a request.
public struct MockAnswer: Sendable {
  enum Content: Sendable {
    case delivery(Delivery)
    case stream(status: Int, headers: [RecordedResponse.Header], body: HTTPBody)
  }

  let content: Content
  let pace: ReplayPace?
  let onWrite: @Sendable (Int) -> Void

  /// Follows a delivery to the letter.
  ///
  /// - Parameters:
  ///   - pace: Instead of the server's.
  ///   - onWrite: Called with the number of parts that are handed to the connection so far, just
  ///     before they go. Where the client leaves early, the last number stays.
  public static func delivery(
    _ delivery: Delivery, pace: ReplayPace? = nil,
    onWrite: @escaping @Sendable (_ parts: Int) -> Void = { _ in }
  ) -> MockAnswer {
    MockAnswer(content: .delivery(delivery), pace: pace, onWrite: onWrite)
  }

  /// Passes a body on as it comes. Where reading it fails, the connection closes in the middle.
  public static func stream(
    status: Int, headers: [RecordedResponse.Header], body: HTTPBody
  ) -> MockAnswer {
    MockAnswer(
      content: .stream(status: status, headers: headers, body: body), pace: nil, onWrite: { _ in })
  }
}
