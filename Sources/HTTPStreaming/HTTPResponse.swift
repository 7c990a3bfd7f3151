/// A response whose headers have arrived; its body is yet to be read.
public struct HTTPResponse: Sendable {
  /// The status code, such as 200.
  public var status: Int
  public var headers: HTTPHeaders
  /// Releasing it unread closes the transfer.
  public var body: HTTPBody

  public init(status: Int, headers: HTTPHeaders, body: HTTPBody) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// The bytes of a body as they arrive. Chunk boundaries have no meaning.
///
/// Each chunk contains everything that arrived since the previous one. The sequence is single-pass:
/// a second iterator continues where the first stopped. The transfer closes when the reading task
/// is canceled, or when the body and its iterators are released.
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

  /// A body from a source other than the network.
  public init(_ source: any HTTPBodySource) {
    self.source = .other(source)
  }

  public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: Source

    public mutating func next() async throws(HTTPError) -> [UInt8]? {
      try await source.next(isolation: #isolation)
    }

    /// Waits on the caller's executor: the network thread wakes the reader directly.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(HTTPError) -> [UInt8]? {
      try await source.next(isolation: actor)
    }
  }

  /// Reads the whole body.
  ///
  /// - Throws: ``HTTPError`` with ``HTTPError/Code/tooLarge(_:)`` if the body exceeds the limit,
  ///   which closes the transfer.
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
