package import FoundationEssentials
import HTTPStreaming
import Intake
package import SessionStore
import Settings
public import Supabase
import Sync

/// The person's account at the project in the settings.
extension CommandContext {
  /// Nil if no project is set up.
  ///
  /// - Throws: `SettingError` if the project cannot be used.
  public func supabaseProject() throws -> SupabaseProject? {
    guard let found = try settings.supabase() else { return nil }
    do throws(SupabaseProject.Unusable) {
      return try SupabaseProject(url: found.url, key: found.key)
    } catch {
      let setting: Setting = error.isAboutKey ? .supabaseKey : .supabaseURL
      throw CommandFailure(
        .notConfigured, "\(setting.rawValue) (from \(found.source)) \(error).")
    }
  }

  /// Nil if no project is set up.
  ///
  /// - Parameter file: The store that the sign-in stands beside; overrides the settings.
  /// - Throws: `SettingError` or ``CommandFailure`` if the project, or `RAPPORT_CA_FILE`, cannot be used.
  public func accountIfSet(besideStore file: String? = nil) throws -> SupabaseAccount? {
    guard let client = try supabaseClient() else { return nil }
    return SupabaseAccount(client, keeper: AccountFile(besideStore: try storePath(file)))
  }

  /// Sends requests to the project, over the connections that `RAPPORT_CA_FILE` allows; nil if no project
  /// is set up.
  ///
  /// - Throws: `SettingError` or ``CommandFailure`` if the project, or `RAPPORT_CA_FILE`, cannot be used.
  public func supabaseClient() throws -> SupabaseClient? {
    guard let project = try supabaseProject() else { return nil }
    let trusted = try certificateFile(settings.certificates(at: try settings.supabase()?.source))
    return SupabaseClient(
      project, transport: HTTPClient(configuration: .init(certificateFile: trusted)))
  }

  /// - Parameter file: The store that the sign-in stands beside; overrides the settings.
  /// - Throws: ``CommandFailure`` if no project is set up, with the way to change that.
  public func account(besideStore file: String? = nil) throws -> SupabaseAccount {
    guard let account = try accountIfSet(besideStore: file) else {
      throw CommandFailure(
        .notConfigured,
        "An account keeps what I know about you in a Supabase project, and none is set up. Set "
          + "SUPABASE_URL to the project's address and SUPABASE_ANON_KEY to its public key, in the "
          + "environment or in .env. You don't need an account: without one, everything stays on "
          + "this machine.")
    }
    return account
  }

  /// Queues what the person's conversations have become since the last time.
  ///
  /// - Returns: How many journeys are kept on this machine.
  package func queueDiscoveries(in store: SessionStore, at date: Date) throws -> Int {
    let outbox = Outbox(store: store)
    return try countKept(in: store) { row in try outbox.put(row, at: date) }
  }

  /// How many journeys are kept on this machine.
  package func journeysKept(in store: SessionStore) throws -> Int {
    try countKept(in: store) { _ in }
  }

  private func countKept(in store: SessionStore, each: (OutboxRow) throws -> Void) throws -> Int {
    var kept = 0
    for summary in try store.sessions() where !summary.isUnused && !summary.isRehearsal {
      let events = try store.events(of: summary.id)
      // A conversation with prompts that aren't here can't be understood now.
      guard let pack = try? promptPack(of: events) else { continue }
      let discovery = DiscoveryRows(
        session: summary.id, events: events, state: pack.state(after: events))
      if discovery.isKeptLocal { kept += 1 }
      for row in discovery.rows { try each(row) }
    }
    return kept
  }

  func checkSupabase(_ setting: Setting) throws {
    guard let found = settings[setting] else { return }
    do throws(SupabaseProject.Unusable) {
      _ = try SupabaseProject(
        url: setting == .supabaseURL ? found.value : "https://localhost",
        key: setting == .supabaseKey ? found.value : "key")
    } catch {
      throw CommandFailure(.notConfigured, "\(setting.rawValue) (from \(found.source)) \(error).")
    }
  }
}
