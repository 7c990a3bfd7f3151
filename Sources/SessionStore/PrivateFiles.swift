import Glibc

/// Files that only their owner can read, from the moment they exist.
enum PrivateFiles {
  /// Makes the folder of a file, 0700, and the file itself, 0600, whatever the umask.
  static func make(_ path: String) throws(StoreError) {
    try makeFolder(path.folder, for: path)
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
      throw StoreError(.cannotOpen, file: path, detail: String(cString: strerror(errno)))
    }
    close(descriptor)
  }

  /// Takes back what others were once allowed. Whoever does not own it cannot, and need not.
  static func tighten(_ path: String, to mode: mode_t) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o7777 & ~mode != 0 else { return }
    chmod(path, mode)
  }

  private static func makeFolder(_ folder: String, for file: String) throws(StoreError) {
    guard !folder.isEmpty, access(folder, F_OK) != 0 else { return }
    try makeFolder(folder.folder, for: file)
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
      throw StoreError(
        .cannotOpen, file: file, detail: "\(folder): \(String(cString: strerror(errno)))")
    }
  }
}

extension String {
  /// The path without its last part; empty for a bare name.
  var folder: String {
    guard let slash = lastIndex(of: "/") else { return "" }
    return String(self[..<slash])
  }
}
