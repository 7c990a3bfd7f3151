import Glibc

/// A system call that failed.
public struct SocketError: Error, CustomStringConvertible {
  public var call: String
  public var code: Int32

  public var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// POSIX sockets and threads, in the few forms the server needs.
enum Sockets {
  /// Not inherited by programs that other tests start meanwhile.
  private static let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

  static func listen() throws -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET, stream, 0)
    guard descriptor >= 0 else { throw SocketError(call: "socket", code: errno) }
    var address = loopback
    guard bind(descriptor, &address) == 0, Glibc.listen(descriptor, 256) == 0 else {
      let error = SocketError(call: "listen", code: errno)
      close(descriptor)
      throw error
    }
    return (descriptor, port(of: descriptor))
  }

  /// Reads fail after ten seconds without a byte.
  static func connect(to port: Int) throws -> Int32 {
    let descriptor = socket(AF_INET, stream, 0)
    guard descriptor >= 0 else { throw SocketError(call: "socket", code: errno) }
    var address = loopback
    address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, size)
      }
    }
    guard result == 0 else {
      let error = SocketError(call: "connect", code: errno)
      close(descriptor)
      throw error
    }
    return descriptor
  }

  private static var loopback: sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  static func accept(on listener: Int32) -> Int32? {
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, size)
        return descriptor
      }
      if errno != EINTR { return nil }
    }
  }

  static func startThread(_ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(ThreadBody(run: body))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    guard result == 0 else { return context.release() }
    pthread_detach(thread)
  }

  private static func bind(_ descriptor: Int32, _ address: inout sockaddr_in) -> Int32 {
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func port(of descriptor: Int32) -> Int {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = getsockname(descriptor, $0, &size)
      }
    }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}
