public import FoundationEssentials
public import Intake

/// Signs people in with a code by email.
///
/// Without a service, a journey says what signing in would be for and keeps everything on this machine.
public protocol AccountService: Sendable {
  /// Whether a service is set up. If not, only "keep it on this machine" is offered.
  var isAvailable: Bool { get }

  /// Who is signed in; nil if nobody is. Sends no request.
  func current() async -> Account?

  /// Sends a code to an address.
  ///
  /// - Throws: ``AccountError`` with the words to show.
  func sendCode(to email: String) async throws(AccountError)

  /// Signs in with a code.
  ///
  /// - Throws: ``AccountError`` with the words to show; the code can be tried again.
  func verify(_ code: String, for email: String) async throws(AccountError) -> Account
}

public struct Account: Hashable, Sendable {
  /// The service's id of the person.
  public var id: String
  public var email: String

  public init(id: String, email: String) { (self.id, self.email) = (id, email) }
}

/// Why signing in didn't work.
public struct AccountError: Error, Hashable, Sendable {
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
  public init() {}
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
    words: "No sign-in service is set up here, so everything stays on this machine.")
}

/// Drafts and edits goal contracts and programs.
public protocol DocumentDrafter: Sendable {
  /// Drafts a document.
  ///
  /// - Parameter show: Called with what there is so far, in order.
  /// - Throws: ``DraftError`` with the words to show; drafting can be tried again.
  func draft(
    _ kind: DocumentKind, from facts: DraftFacts,
    show: @escaping @Sendable (DraftedDocument) -> Void
  ) async throws(DraftError) -> DraftedDocument

  /// Changes a document as somebody asks for in words. Nothing holds until the person applies it.
  func edit(
    _ document: DraftedDocument, saying words: String, facts: DraftFacts
  ) async throws(DraftError) -> DocumentEdit
}

/// What a document rests on.
public struct DraftFacts: Sendable {
  public var pack: PromptPack
  /// What was said and what the ledger knows.
  public var intake: IntakeState
  /// The journey's questions and answers, in order, as they were shown.
  public var answers: [JourneyScreen.Row]
  /// The answers by field, in metric units.
  public var values: [String: AnswerValue]
  /// The approved goal, for a program.
  public var goal: DraftedDocument?
  public var units: Units
  /// Such as `Europe/Berlin`.
  public var timeZone: String
  public var now: Date
}

/// A goal contract or a program.
public struct DraftedDocument: Hashable, Sendable, Codable {
  public var kind: DocumentKind
  /// The document as a JSON object.
  public var json: String
  /// How it's shown: every field with its text.
  public var rows: [JourneyScreen.Row]
  /// What texts can name as `{{program.first}}`.
  public var values: [String: String]
  /// `template`, or the model.
  public var source: String
  /// Something to know about it, such as that it's a template.
  public var note: String?

  public init(
    kind: DocumentKind, json: String, rows: [JourneyScreen.Row], values: [String: String] = [:],
    source: String, note: String? = nil
  ) {
    (self.kind, self.json, self.rows) = (kind, json, rows)
    (self.values, self.source, self.note) = (values, source, note)
  }
}

/// A change that somebody asked for, before it's applied.
public struct DocumentEdit: Hashable, Sendable, Codable {
  public struct Line: Hashable, Sendable, Codable {
    public enum Change: String, Hashable, Sendable, Codable { case same, removed, added }
    public var change: Change
    public var text: String

    public init(_ change: Change, _ text: String) { (self.change, self.text) = (change, text) }
  }
  /// What the person asked for.
  public var words: String
  public var document: DraftedDocument
  public var diff: [Line]
  /// The constraint that it contradicts; nil if none.
  public var contradiction: String?

  public init(
    words: String, document: DraftedDocument, diff: [Line], contradiction: String? = nil
  ) {
    (self.words, self.document, self.diff) = (words, document, diff)
    self.contradiction = contradiction
  }
}

/// Why a document couldn't be drafted or edited.
public struct DraftError: Error, Hashable, Sendable {
  /// For the person: what happened, what was kept, what to do.
  public var words: String

  public init(words: String) { self.words = words }
}

/// A document that only lists what was answered, and says so. It can't be edited in words.
public struct ListingDrafter: DocumentDrafter {
  public init() {}

  public func draft(
    _ kind: DocumentKind, from facts: DraftFacts,
    show: @escaping @Sendable (DraftedDocument) -> Void
  ) throws(DraftError) -> DraftedDocument {
    DraftedDocument(
      kind: kind, json: "{}", rows: facts.answers, source: "template",
      note: "This is only a list of your own answers: nothing here drafts documents.")
  }

  public func edit(
    _ document: DraftedDocument, saying words: String, facts: DraftFacts
  ) throws(DraftError) -> DocumentEdit {
    throw DraftError(words: "I can't change this list; go back to change an answer.")
  }
}

/// Something that's queued for sync.
public struct SyncItem: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
    case intake, goal, program, profile
  }
  public var kind: Kind
  /// Queuing it again under the same key replaces it.
  public var key: String
  /// A JSON object.
  public var json: String

  public init(kind: Kind, key: String, json: String) {
    (self.kind, self.key, self.json) = (kind, key, json)
  }
}

/// Takes what goes to the account. Nothing waits for it to be sent.
public protocol SyncQueue: Sendable {
  /// Stores an item to be sent; it's on disk when this returns.
  func enqueue(_ item: SyncItem) async throws
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
  /// Writes a row; it's on disk when this returns. Writing it again changes nothing.
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
}

/// Grants notifications, which a program shows at its next start, and has no microphone.
public struct TerminalPermissions: PermissionService {
  public init() {}
  public func isAvailable(_ permission: Permission) -> Bool { permission == .notifications }
  public func request(_ permission: Permission) -> Bool { permission == .notifications }
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

  public init(
    account: any AccountService = NoAccount(), drafter: any DocumentDrafter = ListingDrafter(),
    sync: any SyncQueue = NoSync(), profiles: any ProfileStore = NoProfiles(),
    permissions: any PermissionService = TerminalPermissions(),
    now: @escaping @Sendable () -> Date, timeZone: TimeZone = .current
  ) {
    (self.account, self.drafter, self.sync) = (account, drafter, sync)
    (self.profiles, self.permissions) = (profiles, permissions)
    (self.now, self.timeZone) = (now, timeZone)
  }
}
