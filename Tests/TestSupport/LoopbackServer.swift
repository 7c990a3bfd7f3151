import Glibc
import Synchronization

/// A small HTTP/1.1 server on 127.0.0.1 that does, byte for byte, what a test tells it to.
///
/// Each connection has a thread that reads whole requests, records them, and runs the handler for
/// each. The handler writes what it likes and may block on a ``Gate``. A connection stays open for
/// the next request unless the handler closes or resets it. The kernel chooses the port.
public final class LoopbackServer: Sendable {
  /// Answers one request, on the connection's thread. An error closes the connection.
  public typealias Handler = @Sendable (ServerExchange) throws -> Void

  private struct State {
    var requests: [RecordedRequest] = []
    /// Nil once it's closed, when its number may be another's.
    var listener: Int32?
    var sockets: Set<Int32> = []
    var isStopped = false
  }

  /// Outlives the server, so that its threads say what they close even while it goes.
  private final class Shared: Sendable { let state = Mutex(State()) }

  /// The port it listens on.
  public let port: Int
  /// Connections accepted so far.
  public let connections = Counter()
  /// Connections that have ended so far, whichever side closed them.
  public let closedConnections = Counter()
  /// Requests read so far.
  public let requestCount = Counter()

  private let handler: Handler
  private let shared = Shared()

  /// Starts listening.
  ///
  /// - Throws: ``SocketError`` where the kernel refuses.
  public init(_ handler: @escaping Handler) throws {
    let (listener, port) = try Sockets.listen()
    (self.port, self.handler) = (port, handler)
    shared.state.withLock { $0.listener = listener }
    Sockets.startThread { [weak self, shared] in
      // The thread closes what it accepts on: a number closed elsewhere may already be another's.
      defer {
        shared.state.withLock { state in
          state.listener = nil
          Glibc.close(listener)
        }
      }
      // The server must not be kept alive by its own thread.
      while let socket = Sockets.accept(on: listener) {
        guard let self else {
          Glibc.close(socket)
          return
        }
        self.serve(socket)
      }
    }
  }

  deinit { stop() }

  /// `http://127.0.0.1:PORT` with a path.
  public func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

  /// The requests read so far, in the order they were complete.
  public var requests: [RecordedRequest] { shared.state.withLock { $0.requests } }

  /// Stops listening and breaks every connection.
  public func stop() {
    shared.state.withLock { state in
      guard !state.isStopped else { return }
      state.isStopped = true
      if let listener = state.listener { shutdown(listener, Int32(SHUT_RDWR)) }
      for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }
  }

  private func serve(_ socket: Int32) {
    let isStopped = shared.state.withLock { state in
      if !state.isStopped { state.sockets.insert(socket) }
      return state.isStopped
    }
    guard !isStopped else {
      Glibc.close(socket)
      return
    }
    connections.increment()
    Sockets.startThread { [handler, shared, weak self] in
      let connection = ServerConnection(socket: socket) {
        shared.state.withLock { _ = $0.sockets.remove(socket) }
      }
      while let request = try? connection.readRequest() {
        self?.record(request)
        try? handler(ServerExchange(request: request, connection: connection))
        if connection.isClosed { break }
      }
      connection.close()
      self?.closedConnections.increment()
    }
  }

  private func record(_ request: RecordedRequest) {
    shared.state.withLock { $0.requests.append(request) }
    requestCount.increment()
  }
}

/// A request as the server read it.
public struct RecordedRequest: Hashable, Sendable {
  public var method: String
  public var path: String
  /// Names and values as sent, in order.
  public var headers: [Header]
  public var body: [UInt8]

  public init(method: String, path: String, headers: [Header], body: [UInt8]) {
    self.method = method
    self.path = path
    self.headers = headers
    self.body = body
  }

  public struct Header: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The first value of the header, whatever its case.
  public subscript(header: String) -> String? {
    headers.first { $0.name.lowercased() == header.lowercased() }?.value
  }

  /// The body as text.
  public var text: String { String(decoding: body, as: UTF8.self) }
}
