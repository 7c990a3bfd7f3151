import Glibc
import Synchronization

/// Takes conversations for this process: each is a byte of one file beside the store, which is locked for
/// as long as the conversation is held.
///
/// The file also says who holds a conversation, for the words of an error. Only the lock decides.
final class WriterLocks: Sendable {
  private struct State {
    /// Negative until something is taken.
    var descriptor: Int32 = -1
    /// A process's own locks on one open file do not exclude each other.
    var held: Set<off_t> = []
  }

  private static let recordSize = 128
  /// Conversations that share a record overwrite each other's. The file is at most half a megabyte.
  private static let records: UInt64 = 4_096
  private static let terminal = ttyname(0).map { String(cString: $0) } ?? ""

  private let path: String
  private let state = Mutex(State())

  init(store: String) { path = store + ".writers" }

  deinit {
    state.withLock { if $0.descriptor >= 0 { close($0.descriptor) } }
  }

  /// - Throws: `sessionHeld` if another process, or this one, has it.
  func take(_ session: SessionID) throws(StoreError) {
    let hash = Self.hash(session)
    let byte = Self.byte(hash)
    try state.withLock { state throws(StoreError) in
      // Somebody may have removed the file.
      if state.held.isEmpty, !FileLock.isFile(path, state.descriptor) {
        if state.descriptor >= 0 { close(state.descriptor) }
        state.descriptor = -1
        state.descriptor = try opened()
      }
      let descriptor = state.descriptor
      guard !state.held.contains(byte), try lock(descriptor, byte) else {
        throw StoreError(.sessionHeld(by: Self.holder(of: session, hash, descriptor)), file: path)
      }
      state.held.insert(byte)
      Self.write("\(session) \(getpid()) \(Self.terminal)\n", at: hash, descriptor)
    }
  }

  func release(_ session: SessionID) {
    let hash = Self.hash(session)
    state.withLock { state in
      // Another conversation's record may be there by now.
      if Self.record(at: hash, state.descriptor).starts(with: "\(session) ".utf8) {
        Self.write("", at: hash, state.descriptor)
      }
      _ = FileLock.set(state.descriptor, F_UNLCK, from: Self.byte(hash), count: 1)
      state.held.remove(Self.byte(hash))
    }
  }

  /// Erases what killed processes left. Only while no other process has the store open.
  func clear() {
    state.withLock { state in
      let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { return }
      defer { close(descriptor) }
      // The locks don't depend on the file's size.
      if state.held.isEmpty { ftruncate(descriptor, 0) }
    }
  }

  private func opened() throws(StoreError) -> Int32 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure(errno) }
    return descriptor
  }

  /// - Returns: Whether nobody else had it.
  private func lock(_ descriptor: Int32, _ byte: off_t) throws(StoreError) -> Bool {
    if FileLock.set(descriptor, F_WRLCK, from: byte, count: 1) { return true }
    guard errno == EAGAIN || errno == EACCES else { throw failure(errno) }
    return false
  }

  private func failure(_ code: Int32) -> StoreError {
    StoreError(.cannotOpen, file: path, detail: String(cString: strerror(code)))
  }

  /// FNV-1a: the same in every process.
  private static func hash(_ session: SessionID) -> UInt64 {
    session.rawValue.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  /// Any offset can be locked, also far behind the file's end.
  private static func byte(_ hash: UInt64) -> off_t { off_t(hash >> 2) }

  private static func holder(
    of session: SessionID, _ hash: UInt64, _ descriptor: Int32
  ) -> SessionHolder {
    let words = String(decoding: record(at: hash, descriptor), as: UTF8.self)
      .split(whereSeparator: \.isWhitespace)
    guard words.count >= 2, words[0] == session.rawValue, let process = Int32(words[1]) else {
      return SessionHolder(process: 0, terminal: "")
    }
    return SessionHolder(process: process, terminal: words.count > 2 ? String(words[2]) : "")
  }

  private static func record(at hash: UInt64, _ descriptor: Int32) -> ArraySlice<UInt8> {
    var bytes = [UInt8](repeating: 0, count: recordSize)
    let count = pread(descriptor, &bytes, bytes.count, place(hash))
    return bytes.prefix(max(0, count)).prefix { $0 != 0 }
  }

  private static func write(_ text: String, at hash: UInt64, _ descriptor: Int32) {
    var bytes = text.utf8.count < recordSize ? Array(text.utf8) : []
    bytes += [UInt8](repeating: 0, count: recordSize - bytes.count)
    pwrite(descriptor, bytes, bytes.count, place(hash))
  }

  private static func place(_ hash: UInt64) -> off_t {
    off_t(hash % records) * off_t(recordSize)
  }
}
