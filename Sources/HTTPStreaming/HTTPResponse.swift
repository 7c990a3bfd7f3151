/// A response whose headers have arrived; its body is still to be read.
public struct HTTPResponse: Sendable {
  /// The status code, such as 200.
  public var status: Int
  public var headers: HTTPHeaders
  /// Dropping it unread closes the transfer.
  public var body: HTTPBody

  public init(status: Int, headers: HTTPHeaders, body: HTTPBody) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// The bytes of a body as they arrive, in chunks that have no meaning of their own.
///
/// Each chunk holds everything that arrived since the last one was taken. The sequence is single
/// pass: a second iterator goes on where the first stopped. The transfer closes when the reading
/// task is cancelled, or when the body and its iterators are gone.
public struct HTTPBody: AsyncSequence, Sendable {
  public typealias Element = [UInt8]
  public typealias Failure = HTTPError

  private let reader: TransferReader

  init(reader: TransferReader) {
    self.reader = reader
  }

  public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

  public struct Iterator: AsyncIteratorProtocol {
    let reader: TransferReader

    public mutating func next() async throws(HTTPError) -> [UInt8]? {
      try await reader.next(isolation: #isolation).get()
    }

    /// Waits on the caller's executor: the network thread wakes the reader itself.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(HTTPError) -> [UInt8]? {
      try await reader.next(isolation: actor).get()
    }
  }

  /// Reads the body to its end.
  ///
  /// - Throws: ``HTTPError`` with ``HTTPError/Code/tooLarge(_:)`` once there are more bytes than
  ///   the limit; the transfer is then closed.
  public func bytes(limit: Int) async throws(HTTPError) -> [UInt8] {
    var all: [UInt8] = []
    var iterator = makeAsyncIterator()
    while let chunk = try await iterator.next(isolation: #isolation) {
      guard chunk.count <= limit - all.count else {
        reader.close()
        throw HTTPError(.tooLarge(.bodyBytes), "the body is longer than \(limit) bytes")
      }
      all.append(contentsOf: chunk)
    }
    return all
  }
}
