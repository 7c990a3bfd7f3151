public import HTTPStreaming
public import WireFormats

/// What the server does with a request.
public struct MockAnswer: Sendable {
  enum Content: Sendable {
    case delivery(Delivery)
    case stream(status: Int, headers: HTTPHeaders, body: HTTPBody)
  }

  let content: Content
  let pace: ReplayPace?
  let onWrite: @Sendable (Int) -> Void

  /// Follows a delivery exactly.
  ///
  /// - Parameters:
  ///   - pace: Overrides the server's.
  ///   - onWrite: Called with the number of parts passed to the connection so far, just before they
  ///     are written. If the client leaves early, the last number stands.
  public static func delivery(
    _ delivery: Delivery, pace: ReplayPace? = nil,
    onWrite: @escaping @Sendable (_ parts: Int) -> Void = { _ in }
  ) -> MockAnswer {
    MockAnswer(content: .delivery(delivery), pace: pace, onWrite: onWrite)
  }

  /// Forwards a body as it arrives. If reading it fails, the connection closes mid-body.
  public static func stream(
    status: Int, headers: HTTPHeaders, body: HTTPBody
  ) -> MockAnswer {
    MockAnswer(
      content: .stream(status: status, headers: headers, body: body), pace: nil, onWrite: { _ in })
  }
}
