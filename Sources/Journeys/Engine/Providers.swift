public import FoundationEssentials
public import Plans

/// Signs people in with a code by email.
///
/// Without a service, a journey says what signing in would be for and keeps everything on this machine.
public protocol AccountService: Sendable {
  /// Whether a service is set up. If not, only "keep it on this machine" is offered.
  var isAvailable: Bool { get }

  /// Why nobody can sign in although a service is set up, for the person; else nil.
  var reason: String? { get }

  /// Who is signed in; nil if nobody is. Sends no request.
  ///
  /// - Throws: ``AccountError`` if that is unknown just now.
  func current() async throws(AccountError) -> Account?

  /// Sends a code to an address.
  ///
  /// - Throws: ``AccountError`` with the words to show.
  func sendCode(to email: String) async throws(AccountError)

  /// Signs in with a code.
  ///
  /// - Throws: ``AccountError`` with the words to show; the code can be tried again.
  func verify(_ code: String, for email: String) async throws(AccountError) -> Account

  /// Ends the sign-in on this machine. Does nothing where an app signs its people in itself.
  func signOut() async

  /// What the account of who is signed in holds of a journey: the newest of what this session and other
  /// devices sent. What other sessions of this store sent is not asked for; they are here.
  ///
  /// - Parameters:
  ///   - pack: The journey's.
  ///   - row: The account's row that this session keeps, if it was brought over from there.
  /// - Returns: Nil if it holds nothing of it, or where an app syncs for its people itself.
  /// - Throws: ``AccountError`` with the words to show. It gives up after a few seconds.
  func synced(
    _ journey: String, of pack: String, in row: String?
  ) async throws(AccountError) -> SyncedJourney?
}

extension AccountService {
  public var reason: String? { nil }
  public func signOut() {}

  public func synced(
    _ journey: String, of pack: String, in row: String?
  ) throws(AccountError) -> SyncedJourney? { nil }
}

public struct Account: Hashable, Sendable {
  /// The service's id of the person.
  public var id: String
  public var email: String

  public init(id: String, email: String) { (self.id, self.email) = (id, email) }
}

/// Why signing in did not work.
public struct AccountError: Error, Hashable, Sendable {
  /// The code of an error that says that codes are asked for too often.
  public static let tooSoon = "email-limit"

  /// A stable name for programs, such as `otp-expired`.
  public var code: String
  /// For the person: what happened and what to do.
  public var words: String
  /// Seconds until it makes sense to try again; nil if any time.
  public var retryAfter: Int?

  public init(code: String, words: String, retryAfter: Int? = nil) {
    (self.code, self.words, self.retryAfter) = (code, words, retryAfter)
  }
}

/// Keeps everything on this machine.
public struct NoAccount: AccountService {
  public let reason: String?

  /// - Parameter reason: Why nobody can sign in here, for the person; nil if no service is set up.
  public init(because reason: String? = nil) { self.reason = reason }

  public var isAvailable: Bool { false }
  public func current() -> Account? { nil }
  public func sendCode(to email: String) throws(AccountError) { throw .unavailable }
  public func verify(_ code: String, for email: String) throws(AccountError) -> Account {
    throw .unavailable
  }
}

extension AccountError {
  fileprivate static let unavailable = AccountError(
    code: "no-account-service",
    words: "There's no account to sign in to, so everything is kept here.")
}

/// Something that is queued for sync.
public struct SyncItem: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
    case intake, goal, program, profile
  }
  public var kind: Kind
  /// Queuing it again under the same key replaces it.
  public var key: String
  /// Where a profile's row goes; nil for the other kinds.
  public var table: String?
  /// A JSON object.
  public var json: String

  public init(kind: Kind, key: String, table: String? = nil, json: String) {
    (self.kind, self.key, self.table, self.json) = (kind, key, table, json)
  }
}

/// Takes what goes to the account. Nothing waits for it to be sent.
public protocol SyncQueue: Sendable {
  /// Stores an item to be sent; it is on disk when this returns.
  func enqueue(_ item: SyncItem) async throws
  /// Removes what has not been sent yet.
  func withdraw() async throws
}

extension SyncQueue {
  public func withdraw() {}
}

/// Syncs nothing.
public struct NoSync: SyncQueue {
  public init() {}
  public func enqueue(_ item: SyncItem) {}
}

/// What a journey's projection writes.
public struct ProfileRow: Hashable, Sendable {
  public struct Cell: Hashable, Sendable {
    public enum Value: Hashable, Sendable {
      case null
      case text(String)
      case integer(Int)
      case real(Double)
      case boolean(Bool)
    }
    public var column: Projection.Column
    public var value: Value

    package init(column: Projection.Column, value: Value) {
      (self.column, self.value) = (column, value)
    }
  }
  public var table: String
  public var cells: [Cell]

  package init(table: String, cells: [Cell]) { (self.table, self.cells) = (table, cells) }
}

/// Writes a journey's answers to a table.
public protocol ProfileStore: Sendable {
  /// Writes a row; it is on disk when this returns. Writing it again changes nothing.
  func write(_ row: ProfileRow) async throws
}

/// Writes nothing.
public struct NoProfiles: ProfileStore {
  public init() {}
  public func write(_ row: ProfileRow) {}
}

/// Asks for permissions where they are real.
public protocol PermissionService: Sendable {
  /// Whether the permission means anything here.
  func isAvailable(_ permission: Permission) -> Bool
  /// Asks; whether it was granted.
  func request(_ permission: Permission) async -> Bool

  /// What does the same where a permission means nothing, for the person; nil if nothing does.
  func instead(of permission: Permission) -> String?
}

extension PermissionService {
  public func instead(of permission: Permission) -> String? { nil }
}

/// A terminal has no microphone and sends nothing by itself. A calendar can remind somebody.
public struct TerminalPermissions: PermissionService {
  public init() {}
  public func isAvailable(_ permission: Permission) -> Bool { false }
  public func request(_ permission: Permission) -> Bool { false }
  public func instead(of permission: Permission) -> String? {
    permission == .notifications
      ? "`rapport program --ics workouts.ics` puts your workouts into your calendar, which can remind "
        + "you." : nil
  }
}

/// What a journey's engine needs from outside.
public struct JourneyProviders: Sendable {
  public var account: any AccountService
  public var drafter: any DocumentDrafter
  public var sync: any SyncQueue
  public var profiles: any ProfileStore
  public var permissions: any PermissionService
  public var now: @Sendable () -> Date
  public var timeZone: TimeZone
  /// A journey that begins now is kept on this machine, until somebody signs in within it.
  public var staysLocal: Bool
  /// A journey that begins now starts over, whatever the account holds of it.
  public var startsOver: Bool

  public init(
    account: any AccountService = NoAccount(), drafter: any DocumentDrafter = TemplateDrafter(),
    sync: any SyncQueue = NoSync(), profiles: any ProfileStore = NoProfiles(),
    permissions: any PermissionService = TerminalPermissions(),
    now: @escaping @Sendable () -> Date, timeZone: TimeZone = .current, staysLocal: Bool = false,
    startsOver: Bool = false
  ) {
    (self.account, self.drafter, self.sync) = (account, drafter, sync)
    (self.profiles, self.permissions) = (profiles, permissions)
    (self.now, self.timeZone) = (now, timeZone)
    (self.staysLocal, self.startsOver) = (staysLocal, startsOver)
  }
}
