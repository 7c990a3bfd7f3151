import Glibc
import HTTPStreaming
import IncrementalJSON
public import LanguageModels

/// What setup stored: a key, the address it was given for, and the models it can use.
public struct Credentials: Hashable, Sendable {
  public var provider: Provider
  public var baseURL: String
  /// Empty for a server that needs none.
  public var key: Secret
  /// Models by role: `fast`, `coach`, `deep`.
  public var models: [String: String]

  public init(provider: Provider, baseURL: String, key: Secret, models: [String: String] = [:]) {
    self.provider = provider
    self.baseURL = baseURL
    self.key = key
    self.models = models
  }

  /// Scheme and host that the key belongs to.
  var origin: String? { (try? HTTPURL(validating: baseURL))?.origin }

  init?(json: JSONValue) {
    guard let provider = json["provider"]?.stringValue.flatMap(Provider.init(rawValue:)),
      let baseURL = json["baseURL"]?.stringValue, let key = json["key"]?.stringValue
    else { return nil }
    let models = (json["models"]?.objectValue ?? [:]).compactMap { name, value in
      value.stringValue.map { (name, $0) }
    }
    self.init(
      provider: provider, baseURL: baseURL, key: Secret(key),
      models: Dictionary(models, uniquingKeysWith: { first, _ in first }))
  }

  var json: JSONValue {
    [
      "version": 1, "provider": .string(provider.rawValue), "baseURL": .string(baseURL),
      "key": .string(key.revealed),
      "models": .object(
        JSONObject(models.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value)) })),
    ]
  }
}

/// The credentials file: mode 0600 from creation, replaced atomically.
public struct CredentialsFile: Sendable {
  public let path: String

  public init(path: String) { self.path = path }

  /// A failure with the file's name and the system's reason; never contains the key.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// The stored credentials; nil if there are none.
  public func load() throws(Failure) -> Credentials? {
    let bytes: [UInt8]
    do throws(RegularFile.Failure) {
      bytes = try RegularFile.bytes(path, limit: 64 * 1024, options: O_NOFOLLOW) { status in
        if status.st_uid != geteuid() { return "belongs to another user" }
        return status.st_mode & 0o077 == 0
          ? nil : "can be read by others (`chmod 600` it, and consider a new key)"
      }
    } catch {
      if error.isMissing { return nil }
      throw Failure(description: "\(path) \(error.reason), so I didn't use it")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let json = try? JSONValue(parsing: text), let credentials = Credentials(json: json) else {
      throw Failure(description: "\(path) is not valid; `rapport setup` writes a new one")
    }
    return credentials
  }

  /// Replaces the file atomically: the old one stays complete until the new one is on disk.
  public func save(_ credentials: Credentials) throws(Failure) {
    guard PrivateFile.replace(path, with: credentials.json.serialized(pretty: true) + "\n") else {
      throw failure("can't be written")
    }
  }

  /// Returns whether there was a file to remove.
  public func remove() throws(Failure) -> Bool {
    guard unlink(path) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return false }
      throw failure("can't be removed")
    }
    return true
  }

  private func failure(_ what: String) -> Failure {
    Failure(description: "\(path) \(what): \(String(cString: strerror(errno)))")
  }
}

package enum PrivateFile {
  static func makeFolder(_ folder: String) -> Bool {
    guard !folder.isEmpty, access(folder, F_OK) != 0 else { return true }
    let parent = folder.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/")
    return makeFolder(parent) && (mkdir(folder, 0o700) == 0 || errno == EEXIST)
  }

  /// Replaces a file's text atomically: the old file stays complete until the new one is on disk.
  /// If it returns false, `errno` says why.
  package static func replace(_ path: String, with text: String) -> Bool {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/")
    guard makeFolder(folder) else { return false }
    let temporary = "\(path).\(getpid()).new"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return false }
    let isWritten = write(Array(text.utf8), to: descriptor) && fsync(descriptor) == 0
    close(descriptor)
    if isWritten, rename(temporary, path) == 0 { return true }
    let reason = errno
    unlink(temporary)
    errno = reason
    return false
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
