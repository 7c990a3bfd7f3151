public import FoundationEssentials
public import Intake
public import Journeys

/// A store as one person sees it, wherever it is.
public protocol PersonalStore: Sendable {
  /// Where it is, for messages. Contains no password.
  var name: String { get }
  /// Whose things these are.
  var person: PersonID { get }

  /// The same store as somebody else sees it.
  func belonging(to person: PersonID) -> Self
}

/// One person's conversations.
public protocol ConversationArchive: PersonalStore {
  associatedtype Log: SessionLog

  /// - Parameter named: The id, such as one derived from a request, so that repeating the request
  ///   creates nothing new; nil picks one.
  func createSession(_ named: SessionID?, at date: Date) async throws(StoreError) -> SessionID
  /// Creates a conversation as ``createSession(_:at:)`` does, in one transaction with others if the store
  /// can.
  func beginSession(_ named: SessionID?, at date: Date) async throws(StoreError) -> SessionID
  func contains(_ session: SessionID) async throws(StoreError) -> Bool
  /// The one with the latest event first.
  func sessions() async throws(StoreError) -> [SessionSummary]
  func sessions(mentioning text: String) async throws(StoreError) -> Set<SessionID>
  /// The conversations whose log holds an event of a kind, such as another module's, the latest first.
  func sessions(withEvent kind: String) async throws(StoreError) -> [SessionID]
  func latestSession() async throws(StoreError) -> SessionID?
  func latestSession(isRehearsal: Bool) async throws(StoreError) -> SessionID?
  func finishedDiscovery() async throws(StoreError) -> SessionID?
  func hasFinishedDiscovery() async throws(StoreError) -> Bool
  /// Finds a conversation by its id or the start of it.
  func session(matching prefix: String) async throws(StoreError) -> SessionID
  func events(of session: SessionID) async throws(StoreError) -> [RecordedEvent]
  func log(for session: SessionID) -> Log
  /// A log whose appends share a transaction with those of others, if the store can.
  func sharedLog(for session: SessionID) -> any SessionLog
  /// Takes the conversation for this process.
  ///
  /// - Throws: `sessionHeld` if another process, or this one, has it.
  func acquireWriter(of session: SessionID) async throws(StoreError) -> SessionWriter
  /// Returns when another writer may have left, or after this long.
  func waitForWriter(of session: SessionID, atMost limit: Duration) async throws(CancellationError)
  /// Deletes all of these conversations, or none.
  func forget(_ sessions: [SessionID], givesSpaceBack: Bool) async throws(StoreError)
}

/// Who somebody is, and what they have set.
public protocol PersonStore: PersonalStore {
  /// Creates the person if missing.
  func register(at date: Date) async throws(StoreError)
  /// Whether the person was registered and not deleted since.
  func isRegistered() async throws(StoreError) -> Bool
  func personSettings() async throws(StoreError) -> PersonSettings
  /// Writes these settings in one statement, nil for none; the others stay as they are. Agreeing to a
  /// version of the terms or the privacy notice dates the consent.
  func setPersonSettings(
    _ changes: [PersonSettings.Name: String?], at date: Date
  ) async throws(StoreError)
  /// Gives everything this person has to another, such as an account that they signed in to. An
  /// entitlement, health data and settings that the other has already stay. This person is then unknown.
  func move(to other: PersonID) async throws(StoreError)
  /// Whose things this person took over, such as those of devices that an account was used on.
  func formerIDs() async throws(StoreError) -> [PersonID]
  func deletePerson(at date: Date) async throws(StoreError) -> DeletionReceipt
  /// Keeps the digest of the person's recovery code, in place of an earlier one.
  func setRecovery(_ digest: String) async throws(StoreError)
  /// Uses a recovery code up.
  ///
  /// - Returns: Whose it was, no matter who this store belongs to; nil if it is nobody's.
  func takeRecovery(_ digest: String) async throws(StoreError) -> PersonID?
  /// Counts tokens that the person's replies used on a day, such as `2026-11-22`. Somebody who took over
  /// counts for them; nothing is counted for somebody who was deleted.
  func addTokens(_ count: Int, on day: String) async throws(StoreError)
  func tokens(on day: String) async throws(StoreError) -> Int
  /// Where journeys write the person's answers.
  var profiles: any ProfileStore { get }
}

/// The person's right to continue after discovery.
public protocol EntitlementStore: PersonalStore {
  func entitlement() async throws(StoreError) -> Entitlement?
  /// Stores an entitlement. An earlier one stays.
  ///
  /// - Returns: The one that is stored now.
  @discardableResult
  func grant(_ entitlement: Entitlement) async throws(StoreError) -> Entitlement
  /// Ends the entitlement. What was already said in conversations stays.
  func revoke() async throws(StoreError)
  /// Follows a shop's report, unless a later one was followed before.
  func take(_ report: PurchaseReport) async throws(StoreError)
}

/// The person's answer about health data, and what was read.
///
/// It belongs to the person rather than to a conversation, and is deleted with the last
/// conversation that used it.
public protocol HealthStore: PersonalStore {
  /// Nil if the person has not been asked.
  func health() async throws(StoreError) -> HealthMemory?
  func rememberHealth(_ snapshot: HealthMemory.Snapshot) async throws(StoreError)
  /// Stores an opt-out and nothing else.
  func declineHealth(at date: Date) async throws(StoreError)
  /// Forgets a snapshot without storing an answer.
  func forgetHealth() async throws(StoreError)
}

/// The person's account elsewhere.
public protocol AccountStore: PersonalStore {
  /// Rows on their way to the account.
  var outbox: any AccountOutbox { get }
  /// The sign-in to the account, in the account's own form; nil if nobody signed in. Contains tokens.
  func signIn() async throws(StoreError) -> String?
  /// Replaces the sign-in; nil forgets it.
  func setSignIn(_ text: String?) async throws(StoreError)
  /// Those who have signed in and have rows that are due, and the person at this machine if they have; no matter who
  /// this store belongs to.
  func peopleWithRows(dueBy date: Date) async throws(StoreError) -> [PersonID]
}

/// One person's conversations and what is kept beside them, wherever they are stored.
///
/// ``SessionStore`` keeps them in a file and answers at once. A store behind a network suspends
/// instead of blocking the caller's thread. Both keep the same contract: an append is durable when it
/// returns, and one writer at a time has a conversation.
public protocol ConversationStore: ConversationArchive, PersonStore, EntitlementStore, HealthStore,
  AccountStore
{
  /// Everybody who has a conversation here, sorted.
  func everybody() async throws(StoreError) -> [PersonID]
  /// A key of the server's own, made at its first use.
  func serverKey(
    _ name: String, making make: @Sendable () -> [UInt8]
  ) async throws(StoreError) -> [UInt8]
  /// Removes conversations in which nothing was said for a day, no matter who they belong to.
  func tidy(at date: Date, keeping kept: SessionID?) async throws(StoreError)
  /// Tidies the store's own files, if it has some and nobody else uses them.
  @discardableResult
  func checkpoint() async throws(StoreError) -> Bool
}

extension ConversationArchive {
  public func beginSession(
    _ named: SessionID?, at date: Date
  ) async throws(StoreError) -> SessionID {
    try await createSession(named, at: date)
  }

  public func sharedLog(for session: SessionID) -> any SessionLog { log(for: session) }
}

extension SessionStore: ConversationStore {
  public var name: String { path }

  public var profiles: any ProfileStore { StoredProfiles(store: self) }

  public var outbox: any AccountOutbox { Outbox(store: self) }

  public func sharedLog(for session: SessionID) -> any SessionLog {
    SharedLog(log: log(for: session))
  }

  public func waitForWriter(
    of session: SessionID, atMost limit: Duration
  ) async throws(CancellationError) {
    // No lock signals that its holder left.
    do { try await Task.sleep(for: min(limit, .milliseconds(200))) } catch {
      throw CancellationError()
    }
  }
}

/// Appends together with other conversations.
private struct SharedLog: SessionLog {
  let log: SQLiteSessionLog

  func events() throws -> [RecordedEvent] { try log.events() }

  func events(continuing known: [RecordedEvent]) throws -> [RecordedEvent] {
    try log.events(continuing: known)
  }

  func append(_ events: [EventEnvelope], at date: Date) async throws -> [RecordedEvent] {
    try await log.appendTogether(events, at: date)
  }
}
