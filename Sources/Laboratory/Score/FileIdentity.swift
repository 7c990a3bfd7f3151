import Glibc

/// Identifies a file whatever its path. Devices and pipes have no identity: nothing in them can be
/// overwritten.
struct FileIdentity: Hashable {
  private let device: dev_t
  private let node: ino_t

  /// Nil if the file is missing.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Nil if it is not a regular file.
  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The identity of an input; `-` is standard input.
  static func ofInput(_ name: String) -> FileIdentity? {
    name == "-" ? FileIdentity(descriptor: 0) : FileIdentity(path: name)
  }

  private init?(_ status: stat) {
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    (device, node) = (status.st_dev, status.st_ino)
  }
}
