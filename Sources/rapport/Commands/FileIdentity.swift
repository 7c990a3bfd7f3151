import Glibc

/// Which file it is, whatever it is called; devices and pipes keep nothing that could be lost.
struct FileIdentity: Hashable {
  private let device: dev_t
  private let node: ino_t

  /// Nil where there is no file.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Nil where it is no file.
  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Of an input, `-` being standard input.
  static func ofInput(_ name: String) -> FileIdentity? {
    name == "-" ? FileIdentity(descriptor: 0) : FileIdentity(path: name)
  }

  private init?(_ status: stat) {
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    (device, node) = (status.st_dev, status.st_ino)
  }
}
