public import HTTPStreaming
import LanguageModels
import Synchronization
public import WireFormats

/// Answers requests from a cassette, in-process. Never opens a connection.
public struct ReplayTransport: HTTPTransport {
  private let player: CassettePlayer
  private let pace: ReplayPace
  private let onMatch: @Sendable (Delivery) -> Void

  /// - Parameter onMatch: Called with each answer before its first byte.
  public init(
    _ player: CassettePlayer, pace: ReplayPace = .none,
    onMatch: @escaping @Sendable (Delivery) -> Void = { _ in }
  ) {
    self.player = player
    self.pace = pace
    self.onMatch = onMatch
  }

  public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let match: CassettePlayer.Match
    do {
      let content = try RequestContent(parsing: request.body, format: player.cassette.wireFormat)
      match = try player.take(
        content, purpose: request.purpose.flatMap(RequestPurpose.init(rawValue:)))
    } catch {
      // Refused like a URL, so that callers don't retry it.
      throw HTTPError(.refusedURL, "no recording answers this request")
    }
    let delivery = Delivery(
      match.exchange.response, format: player.cassette.wireFormat, model: match.content.model,
      isStreaming: match.content.isStreaming, fault: match.exchange.fault)
    onMatch(delivery)
    if delivery.isSilent { throw HTTPError(.timedOut(.firstByte), "no answer in time") }
    let body = ReplayBody(delivery, pace) { [player] in player.note(unread: $0, of: match.index) }
    return HTTPResponse(status: delivery.status, headers: delivery.headers, body: HTTPBody(body))
  }
}

private final class ReplayBody: HTTPBodySource {
  private let delivery: Delivery
  private let pace: ReplayPace
  private let noteUnread: @Sendable (Int) -> Void
  private let taken = Mutex(0)

  init(_ delivery: Delivery, _ pace: ReplayPace, _ noteUnread: @escaping @Sendable (Int) -> Void) {
    self.delivery = delivery
    self.pace = pace
    self.noteUnread = noteUnread
    noteUnread(delivery.parts.count)
  }

  func next() async throws(HTTPError) -> [UInt8]? {
    if Task.isCancelled { throw HTTPError(.cancelled, "the request was cancelled") }
    let index = taken.withLock { taken in
      defer { taken += 1 }
      return taken
    }
    guard index < delivery.parts.count else { return try end(isFirst: index == 0) }
    let before = index == 0 ? 0 : delivery.parts[index - 1].at
    if let delay = pace.delay(milliseconds: delivery.parts[index].at - before) {
      do { try await Task.sleep(for: delay) } catch {
        throw HTTPError(.cancelled, "the request was cancelled")
      }
    }
    noteUnread(delivery.parts.count - index - 1)
    return delivery.parts[index].bytes
  }

  private func end(isFirst: Bool) throws(HTTPError) -> [UInt8]? {
    switch delivery.ending {
    case .whole: return nil
    case .cut, .reset:
      throw HTTPError(.connectionLost, "the connection ended before the response did")
    case .held:
      throw HTTPError(.timedOut(isFirst ? .firstByte : .idle), "nothing more came in time")
    }
  }

  func close() {}
}
