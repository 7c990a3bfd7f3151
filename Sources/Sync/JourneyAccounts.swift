import FoundationEssentials
import IncrementalJSON
import Intake
public import Journeys
import LanguageModels
import Plans
public import SessionStore
public import Supabase

/// Signs people in within a journey, and finds what their account holds of it.
public struct JourneyAccounts: AccountService {
  private let account: SupabaseAccount
  private let store: any ConversationArchive
  private let session: SessionID

  /// - Parameters:
  ///   - store: The person's.
  ///   - session: The journey's.
  public init(_ account: SupabaseAccount, store: any ConversationArchive, session: SessionID) {
    (self.account, self.store, self.session) = (account, store, session)
  }

  public var isAvailable: Bool { true }

  public func current() async throws(AccountError) -> Account? {
    do throws(SupabaseError) {
      return try await account.session().map { Account(id: $0.userID, email: $0.email) }
    } catch {
      throw AccountError(error)
    }
  }

  public func sendCode(to email: String) async throws(AccountError) {
    do throws(SupabaseError) {
      try await account.sendCode(to: try address(email))
    } catch {
      throw AccountError(error)
    }
  }

  public func verify(_ code: String, for email: String) async throws(AccountError) -> Account {
    do throws(SupabaseError) {
      guard let code = OneTimeCode(code) else { throw SupabaseError(.wrongCode) }
      let session = try await account.signIn(try address(email), code: code)
      return Account(id: session.userID, email: session.email)
    } catch {
      throw AccountError(error)
    }
  }

  /// `rapport account` reports a sign-in that cannot be removed.
  public func signOut() async { _ = try? await account.signOut() }

  public func synced(
    _ journey: String, of pack: String, in row: String?
  ) async throws(AccountError) -> SyncedJourney? {
    let own = row ?? session.rawValue
    do throws(SupabaseError) {
      let token = try await account.accessToken()
      // The row policies say so, too, if the project has them.
      guard let user = try await account.session()?.userID else { return nil }
      let rows = try await account.client.rows(
        of: DiscoveryRows.intakeTable,
        where: [("user_id", user), ("journey", journey), ("pack", pack)], token: token,
        patience: Self.patience)
      if let mine = rows.first(where: { $0["id"]?.stringValue == own }),
        JourneyProgress.isBeyond(.max, mine)
      {
        throw SupabaseError(
          .unexpected, detail: "the answers in it, so I leave them as they are",
          host: account.client.project.host)
      }
      let here = try await rowsOfOtherSessions()
      let found = rows.compactMap { SyncedJourney(row: $0, own: own) }
        .filter { $0.isOwn || !here.contains($0.row) }
      let newest = found.first(where: \.isOwn) ?? found.max { $0.updatedAt < $1.updatedAt }
      guard var newest else { return nil }
      newest.profile = try await profile(in: newest.row, of: user, token)
      return newest
    } catch {
      throw AccountError(error)
    }
  }

  /// Somebody waits for the answer.
  private static let patience = Duration.seconds(4)

  private func profile(
    in row: String, of user: String, _ token: Secret
  ) async throws(SupabaseError) -> CoachingSystem? {
    let rows = try await account.client.rows(
      of: DiscoveryRows.profileTable, where: [("user_id", user), ("id", row)], token: token,
      patience: Self.patience)
    return rows.first?["system"].flatMap { CoachingSystem(json: $0.visible) }
  }

  /// Their progress is in this store.
  private func rowsOfOtherSessions() async throws(SupabaseError) -> Set<String> {
    do {
      var rows: Set<String> = []
      for id in try await store.sessions(withEvent: PlanEvent.Kind.journeyStarted.rawValue)
      where id != session {
        rows.insert(id.rawValue)
      }
      for id in try await store.sessions(withEvent: JourneyEvent.Kind.journeyBroughtOver.rawValue)
      where id != session {
        if let row = try JourneyState(events: await store.events(of: id)).row { rows.insert(row) }
      }
      return rows
    } catch {
      throw SupabaseError(.cannotStore, detail: "\(error)")
    }
  }

  private func address(_ email: String) throws(SupabaseError) -> EmailAddress {
    guard let address = EmailAddress(email) else { throw SupabaseError(.emailInvalid) }
    return address
  }
}

extension JourneyProgress {
  /// Whether a row has progress of a later version of the journey, or some that this build cannot read.
  static func isBeyond(_ version: Int, _ row: JSONValue) -> Bool {
    guard let progress = row["progress"], progress != .null else { return false }
    return JourneyProgress(json: progress).map { $0.version > version } ?? true
  }
}

extension AccountError {
  init(_ error: SupabaseError) {
    self.init(
      code: error.code.rawValue, words: error.userMessage,
      retryAfter: error.wait.map { Int($0.components.seconds) })
  }
}

extension SyncedJourney {
  /// Nil for a row without progress, such as an older version's.
  fileprivate init?(row: JSONValue, own: String) {
    guard let id = row["id"]?.stringValue,
      let changed = row["updated_at"]?.stringValue.flatMap(Date.init(timestamp:)),
      let progress = row["progress"].flatMap(JourneyProgress.init(json:))
    else { return nil }
    let known = (row["facets"]?.objectValue ?? [:]).compactMap { member in
      member.value["quote"]?.stringValue.map { quote in
        Known(
          facet: member.name, text: quote, step: member.value["step"]?.stringValue,
          wording: member.value["wording"]?.stringValue)
      }
    }
    self.init(
      row: id, isOwn: id == own, updatedAt: changed, progress: progress, known: known)
  }
}

extension Date {
  /// As PostgreSQL writes it, such as `2026-01-31T09:30:00.123+00:00`.
  fileprivate init?(timestamp text: String) {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    guard let date = (try? style.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text)) else {
      return nil
    }
    self = date
  }
}
