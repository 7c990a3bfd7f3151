import IncrementalJSON
public import SessionStore
public import Supabase

extension AccountStore where Self: ConversationArchive {
  /// Where the person's sign-in is kept. The person at this machine has a file beside the store, which
  /// all programs share; others have a row of the store, which goes with everything they have.
  public var signInKeeper: any SessionKeeper {
    if person == .local, let file = self as? SessionStore {
      return AccountFile(besideStore: file.path)
    }
    return StoredSignIn(store: self)
  }
}

/// A sign-in in a store, whose file or table only the server can read.
struct StoredSignIn<Store: AccountStore & ConversationArchive>: SessionKeeper {
  let store: Store
  /// Longer than a refresh can take.
  private static var patience: Duration { .seconds(60) }

  func load() async throws(SupabaseError) -> AccountSession? {
    let text: String?
    do throws(StoreError) { text = try await store.signIn() } catch {
      throw SupabaseError(.cannotStore, detail: "\(error)")
    }
    return text.flatMap { try? JSONValue(parsing: $0) }.flatMap(AccountSession.init(json:))
  }

  func save(_ session: AccountSession) async throws(SupabaseError) {
    try await set(session.json.serialized())
  }

  func remove() async throws(SupabaseError) { try await set(nil) }

  func turn() async throws(SupabaseError) -> any Sendable & AnyObject {
    let clock = ContinuousClock()
    let end = clock.now + Self.patience
    while clock.now < end {
      do throws(StoreError) { return try await store.acquireWriter(of: lock) } catch {
        guard case .sessionHeld = error.code else {
          throw SupabaseError(.cannotStore, detail: "\(error)")
        }
      }
      do throws(CancellationError) {
        try await store.waitForWriter(of: lock, atMost: .milliseconds(200))
      } catch {
        throw SupabaseError(.timedOut, detail: "cancelled")
      }
    }
    throw SupabaseError(.cannotStore, detail: "another server has held the sign-in for a minute")
  }

  /// Refreshing or ending the sign-in takes the lock of a conversation that does not exist. Two
  /// people who share a name of it only wait for each other.
  private var lock: SessionID {
    let hash = store.person.rawValue.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return SessionID(rawValue: "sign-in-" + String(hash, radix: 36))
  }

  private func set(_ text: String?) async throws(SupabaseError) {
    do throws(StoreError) { try await store.setSignIn(text) } catch {
      throw SupabaseError(.cannotStore, detail: "\(error)")
    }
  }
}
