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

  fileprivate enum Source: Sendable {
    case transfer(TransferReader)
    case other(any HTTPBodySource)

    func next(isolation actor: isolated (any Actor)?) async throws(HTTPError) -> [UInt8]? {
      switch self {
      case .transfer(let reader): try await reader.next(isolation: actor).get()
      case .other(let source): try await source.next()
      }
    }

    func close() {
      switch self {
      case .transfer(let reader): reader.close()
      case .other(let source): source.close()
      }
    }
  }

  private let source: Source

  init(reader: TransferReader) {
    source = .transfer(reader)
  }

  /// A body that comes from somewhere else than the network.
  public init(_ source: any HTTPBodySource) {
    self.source = .other(source)
  }

  public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: Source

    public mutating func next() async throws(HTTPError) -> [UInt8]? {
      try await source.next(isolation: #isolation)
    }

    /// Waits on the caller's executor: the network thread wakes the reader itself.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(HTTPError) -> [UInt8]? {
      try await source.next(isolation: actor)
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
        source.close()
        throw HTTPError(.tooLarge(.bodyBytes), "the body is longer than \(limit) bytes")
      }
      all.append(contentsOf: chunk)
    }
    return all
  }
}
