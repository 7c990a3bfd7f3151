import Glibc

/// A connection to this machine that sends bytes as they are and shows what comes.
public final class RawClient {
  private let socket: Int32
  private var isClosed = false
  /// Everything that came so far.
  public private(set) var received: [UInt8] = []

  /// - Throws: ``SocketError`` where nobody listens.
  public init(port: Int) throws {
    socket = try Sockets.connect(to: port)
  }

  deinit { close() }

  public var text: String { String(decoding: received, as: UTF8.self) }

  public func send(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw SocketError(call: "send", code: errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// What one read gives; nil at the end.
  ///
  /// - Throws: ``SocketError`` where the connection was reset, or nothing came for ten seconds.
  public func read() throws -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(socket, &buffer, buffer.count, 0)
    guard count >= 0 else { throw SocketError(call: "recv", code: errno) }
    received += buffer.prefix(count)
    return count == 0 ? nil : Array(buffer.prefix(count))
  }

  /// Reads until this text is there, or the connection ends.
  public func read(until mark: String) throws {
    while received.firstRange(of: Array(mark.utf8)) == nil, try read() != nil {}
  }

  public func readToEnd() throws {
    while try read() != nil {}
  }

  /// Whether nothing comes for so long, and the connection stays.
  public func isQuiet(milliseconds: Int32) -> Bool {
    var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, milliseconds) == 0
  }

  public func close() {
    guard !isClosed else { return }
    isClosed = true
    Glibc.close(socket)
  }
}
