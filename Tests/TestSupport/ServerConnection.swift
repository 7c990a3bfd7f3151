import Glibc

/// How a client that expects TLS begins; a server of plain HTTP answers it in plain HTTP.
private let tlsHandshake: UInt8 = 0x16

/// One accepted connection. Belongs to its thread.
final class ServerConnection {
  private let socket: Int32
  private let willClose: () -> Void
  private var received: [UInt8] = []
  private(set) var isClosed = false

  /// - Parameter willClose: called before the socket's number can become another's.
  init(socket: Int32, willClose: @escaping () -> Void) {
    self.socket = socket
    self.willClose = willClose
  }

  deinit { close() }

  /// The next whole request, or nil once the client has closed.
  func readRequest() throws -> RecordedRequest? {
    while true {
      if let request = takeRequest() { return request }
      guard received.first != tlsHandshake else {
        try write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        return nil
      }
      guard try receiveMore() else { return nil }
    }
  }

  func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, noSignal) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SocketError(call: "send", code: errno) }
      rest = rest.dropFirst(count)
    }
  }

  func writeUntilBlocked(_ bytes: [UInt8], patience: Int32, most: Int) throws -> Int {
    var total = 0
    while total < most {
      guard canWrite(within: patience) else { break }
      let flags = noSignal | Int32(MSG_DONTWAIT)
      let count = bytes.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, flags) }
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      guard count > 0 else { throw SocketError(call: "send", code: errno) }
      total += count
    }
    return total
  }

  func waitForClientToClose() {
    while (try? receiveMore()) == true {}
  }

  func waitForClientToClose(milliseconds: Int32) -> Bool {
    var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    guard poll(&descriptor, 1, milliseconds) > 0 else { return false }
    return (try? receiveMore()) != true
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    willClose()
    Glibc.close(socket)
  }

  func reset() {
    var abort = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  private var noSignal: Int32 { Int32(MSG_NOSIGNAL) }

  private func canWrite(within milliseconds: Int32) -> Bool {
    var descriptor = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
    return poll(&descriptor, 1, milliseconds) > 0
  }

  /// - Returns: false at the end of what the client sends.
  private func receiveMore() throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = buffer.withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, 0) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SocketError(call: "recv", code: errno) }
      received.append(contentsOf: buffer.prefix(count))
      return count > 0
    }
  }

  private func takeRequest() -> RecordedRequest? {
    guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
    let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
    let headers = lines.dropFirst().map { line in
      let name = line.prefix { $0 != ":" }
      let value = line.dropFirst(name.count + 1).drop { $0 == " " }
      return RecordedRequest.Header(name: String(name), value: String(value))
    }
    let start = (lines.first ?? "").split(separator: " ")
    var request = RecordedRequest(
      method: String(start.first ?? ""), path: String(start.dropFirst().first ?? ""),
      headers: headers, body: [])
    let length = request["content-length"].flatMap { Int($0) } ?? 0
    guard received.count - end.upperBound >= length else { return nil }
    request.body = Array(received[end.upperBound..<(end.upperBound + length)])
    received.removeFirst(end.upperBound + length)
    return request
  }
}
