import FoundationEssentials
import Glibc
import IncrementalJSON
import SessionStore
import Settings
public import Supabase

/// A session in a file that only its owner can read, beside the store.
///
/// The file is replaced atomically. A lock beside it keeps two processes from using one refresh
/// token, and ends with its process, however that ends.
public struct AccountFile: SessionKeeper {
  public let path: String
  private var lockPath: String { path + ".turn" }
  /// Longer than a refresh can take.
  private static let patience = Duration.seconds(60)

  /// - Parameter store: The path of the store that it stands beside.
  public init(besideStore store: String) { path = store + ".account" }

  public func load() throws(SupabaseError) -> AccountSession? {
    let bytes: [UInt8]
    do throws(RegularFile.Failure) {
      bytes = try RegularFile.bytes(path, limit: 64 * 1024, options: O_NOFOLLOW) { status in
        if status.st_uid != geteuid() { return "belongs to another user" }
        return status.st_mode & 0o077 == 0 ? nil : "can be read by others (`chmod 600` it)"
      }
    } catch {
      if error.isMissing { return nil }
      throw SupabaseError(.cannotStore, detail: "\(path) \(error.reason), so I didn't use it")
    }
    guard let session = (try? JSONValue(parsing: bytes)).flatMap(AccountSession.init(json:)) else {
      throw SupabaseError(
        .cannotStore,
        detail:
          "\(path) isn't a sign-in that I can read, so I didn't use it. If you sign in again, "
          + "I keep it as \(asidePath)")
    }
    return session
  }

  /// Where a file goes that cannot be used.
  private var asidePath: String { path + ".unreadable" }

  public func save(_ session: AccountSession) throws(SupabaseError) {
    if (try? load()) == nil, rename(path, asidePath) == 0 { chmod(asidePath, 0o600) }
    guard PrivateFile.replace(path, with: session.json.serialized(pretty: true) + "\n") else {
      throw failure("can't be written")
    }
  }

  public func remove() throws(SupabaseError) {
    guard unlink(path) != 0, errno != ENOENT, errno != ENOTDIR else { return }
    throw failure("can't be removed")
  }

  public func turn() async throws(SupabaseError) -> any Sendable & AnyObject {
    makeFolder()
    let clock = ContinuousClock()
    let end = clock.now + Self.patience
    while clock.now < end {
      do throws(StoreError) {
        if let lock = try FileLock(path: lockPath) { return lock }
      } catch {
        throw SupabaseError(.cannotStore, detail: "\(error)")
      }
      // Waiting for the lock would block a thread, so it is tried again instead.
      do { try await clock.sleep(for: .milliseconds(20)) } catch {
        throw SupabaseError(.timedOut, detail: "cancelled")
      }
    }
    throw SupabaseError(.cannotStore, detail: "another rapport has held \(lockPath) for a minute")
  }

  /// The sign-in may come before the first conversation. If it fails, the lock says why.
  private func makeFolder() {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/")
    guard !folder.isEmpty else { return }
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  private func failure(_ what: String) -> SupabaseError {
    SupabaseError(.cannotStore, detail: "\(path) \(what): \(String(cString: strerror(errno)))")
  }
}
