import Glibc

/// Files that only their owner can read, from creation.
enum PrivateFiles {
  /// Creates a file's folder with mode 0700 and the file with mode 0600, whatever the umask.
  static func make(_ path: String) throws(StoreError) {
    try makeFolder(path.folder, for: path)
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
      throw StoreError(.cannotOpen, file: path, detail: String(cString: strerror(errno)))
    }
    close(descriptor)
  }

  /// Removes permissions that others once had. Only the owner can, and only the owner needs to.
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
  /// The path without its last component; empty for a bare name.
  var folder: String {
    guard let slash = lastIndex(of: "/") else { return "" }
    return String(self[..<slash])
  }
}
