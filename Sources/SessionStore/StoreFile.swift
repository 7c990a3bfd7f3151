import Glibc

/// Examines the store's file before SQLite or a lock touches it.
///
/// Only for files that this process does not have open: closing one would drop SQLite's locks.
struct StoreFile {
  enum State {
    case missing, empty
    /// A Rapport store whose creation was interrupted.
    case unfinished
    case ready
  }

  let path: String

  /// The lock file beside it, shared by every process that has the store open.
  var lockPath: String { path + ".open" }

  /// - Throws: `notAStore` or `damaged`; nothing was changed or created.
  func state() throws(StoreError) -> State {
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return .missing }
      throw StoreError(.cannotOpen, file: path, detail: String(cString: strerror(errno)))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(.notAStore, file: path)
    }
    var page = [UInt8](repeating: 0, count: 4_096)
    let count = pread(descriptor, &page, page.count, 0)
    guard count >= 0 else {
      throw StoreError(.cannotOpen, file: path, detail: String(cString: strerror(errno)))
    }
    return try state(of: page.prefix(count))
  }

  /// A hot journal: the next process that opens the file rolls its changes back, including the
  /// switch to WAL (sqlite.org/lockingv3.html, "Dealing with hot journals").
  private var hasHotJournal: Bool {
    let descriptor = open(path + "-journal", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var first: UInt8 = 0
    return read(descriptor, &first, 1) == 1 && first != 0
  }

  /// Reads SQLite's header: the magic string, the application id, and the format version, which is
  /// 2 for WAL.
  private func state(of page: ArraySlice<UInt8>) throws(StoreError) -> State {
    if page.isEmpty { return .empty }
    let id = page.dropFirst(68).prefix(4).reduce(0) { $0 << 8 | Int($1) }
    let isMarked = id == SessionStore.applicationID
    if isMarked, page.starts(with: "SQLite format 3\u{0}".utf8) {
      return page[18...19].elementsEqual([2, 2]) && !hasHotJournal ? .ready : .unfinished
    }
    // The rest of the page, or a file beside it, may still identify the owner.
    let wasOurs =
      isMarked || page.firstRange(of: "event_is_never_changed".utf8) != nil
      || access(lockPath, F_OK) == 0
    throw StoreError(wasOurs ? .damaged : .notAStore, file: path)
  }
}
