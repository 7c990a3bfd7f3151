public import FoundationEssentials
import GRDB
import Intake
import Journeys
import Plans

/// A session's id: short enough to type.
public struct SessionID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public var description: String { rawValue }

  /// Eight characters that are hard to confuse.
  public static func random(using generator: inout some RandomNumberGenerator) -> SessionID {
    // One number is enough for all of them, and each costs a system call.
    var number = generator.next()
    let characters = (0..<8).map { _ in
      defer { number /= UInt64(alphabet.count) }
      return alphabet[Int(number % UInt64(alphabet.count))]
    }
    return SessionID(rawValue: String(decoding: characters, as: UTF8.self))
  }
  private static let alphabet = Array("abcdefghjkmnpqrstuvwxyz23456789".utf8)
}

/// A session's summary for a list.
public struct SessionSummary: Hashable, Sendable {
  public let id: SessionID
  public let created: Date
  public let updated: Date
  public let turns: Int
  public let stage: Stage
  /// Whether only the program said something, such as the coach's greeting.
  public let isUnused: Bool
  /// Whether it is a rehearsal, without a model.
  public let isRehearsal: Bool
  /// The user's first words; empty if there are none yet.
  public let firstWords: String
  /// The journey it is in, if any.
  public let journey: String?
  /// How many of the journey's questions are answered.
  public let answers: Int
  /// Whether it is another module's and no conversation has begun in it, such as a form's first steps.
  public let isWithoutConversation: Bool

  /// How far a conversation has come.
  public enum Stage: String, Hashable, Sendable, CaseIterable {
    /// Getting to know the user.
    case discovery
    /// The user is asked whether the summary is right.
    case confirmation
    /// The discovery is over, and nothing unlocked the coaching yet.
    case paywall
    case coaching

    package init(_ kinds: Set<String>) {
      func has(_ kind: IntakeEvent.Kind) -> Bool { kinds.contains(kind.rawValue) }
      if has(.entitled) {
        self = .coaching
      } else if has(.discoveryCompleted) {
        self = .paywall
      } else {
        self = has(.synthesised) ? .confirmation : .discovery
      }
    }
  }

  package init(
    id: SessionID, created: Date, updated: Date, turns: Int, kinds: Set<String>, isRehearsal: Bool,
    firstWords: String, journey: String? = nil, answers: Int = 0
  ) {
    (self.id, self.created, self.updated, self.turns) = (id, created, updated, turns)
    (stage, isUnused) = (Stage(kinds), kinds.isSubset(of: Self.ownKinds))
    (self.isRehearsal, self.firstWords) = (isRehearsal, firstWords)
    (self.journey, self.answers) = (journey, answers)
    isWithoutConversation =
      !kinds.isEmpty && !kinds.contains(IntakeEvent.Kind.started.rawValue)
  }

  /// What is recorded before anybody says or answers something.
  package static let ownKinds = Set(
    [IntakeEvent.Kind.started, .greeted, .healthNoted, .healthWithdrawn].map(\.rawValue)
      + [
        JourneyEvent.Kind.journeyMoved, .journeyAsked, .journeyQuestionDropped, .journeyRemarked,
      ].map(\.rawValue) + [PlanEvent.Kind.journeyStarted.rawValue])

  /// The discovery is over.
  public var isCompleted: Bool { [.paywall, .coaching].contains(stage) }
}

/// What a list tells, the latest first.
extension [SessionSummary] {
  /// The latest in which something was said, or else the latest.
  package var latest: SessionID? {
    let conversations = filter { !$0.isWithoutConversation }
    return (conversations.first { !$0.isUnused } ?? conversations.first)?.id
  }

  package var finishedDiscovery: SessionID? { first { $0.isCompleted && !$0.isRehearsal }?.id }

  package func session(
    matching prefix: String, in store: String
  ) throws(StoreError) -> SessionID {
    let matches = map(\.id).filter { $0.rawValue.hasPrefix(prefix.lowercased()) }
    if let exact = matches.first(where: { $0.rawValue == prefix.lowercased() }) { return exact }
    guard let match = matches.first, !prefix.isEmpty else {
      throw StoreError(.noSuchSession(prefix), file: store)
    }
    guard matches.count == 1 else { throw StoreError(.ambiguousSession(prefix), file: store) }
    return match
  }
}

extension SessionStore {
  /// Creates a session.
  ///
  /// - Parameter named: Its id, such as one derived from a request, so that repeating the request
  ///   creates nothing new; nil picks one.
  public func createSession(
    _ named: SessionID? = nil, at date: Date
  ) throws(StoreError) -> SessionID {
    try Self.translating(path) {
      try database.write { try insertSession(named, at: date, $0) }
    }
  }

  /// Creates a session as ``createSession(_:at:)`` does, together with any others that write at the same
  /// time.
  public func beginSession(
    _ named: SessionID? = nil, at date: Date
  ) async throws(StoreError) -> SessionID {
    try await writingTogether { try self.insertSession(named, at: date, $0) }
  }

  private func insertSession(
    _ named: SessionID?, at date: Date, _ database: Database
  ) throws -> SessionID {
    var generator = SystemRandomNumberGenerator()
    let id = named ?? SessionID.random(using: &generator)
    try database.cachedStatement(
      sql: "INSERT \(named == nil ? "" : "OR IGNORE") INTO session (id, created_ms, person) "
        + "VALUES (?, ?, ?)"
    ).execute(arguments: [id.rawValue, date.milliseconds, person.rawValue])
    return id
  }

  /// Whether the person has this session.
  public func contains(_ session: SessionID) throws(StoreError) -> Bool {
    try known { try $0.contains(session) }
  }

  /// The session with the latest event; one in which nothing was said only if there is no other.
  public func latestSession() throws(StoreError) -> SessionID? {
    try sessions().latest
  }

  /// The latest rehearsal, or the latest other session.
  public func latestSession(isRehearsal: Bool) throws(StoreError) -> SessionID? {
    try sessions().filter { $0.isRehearsal == isRehearsal }.latest
  }

  /// A session with a model whose discovery is complete, if any.
  public func finishedDiscovery() throws(StoreError) -> SessionID? {
    try sessions().finishedDiscovery
  }

  /// Whether a discovery was ever completed here, including in a session since forgotten.
  public func hasFinishedDiscovery() throws(StoreError) -> Bool {
    try known { try $0.hasFinishedDiscovery() }
  }

  /// Finds a session by its id or the start of it.
  public func session(matching prefix: String) throws(StoreError) -> SessionID {
    try sessions().session(matching: prefix, in: path)
  }

  public func everybody() throws(StoreError) -> [PersonID] { try known { try $0.everybody() } }

  /// The sessions whose log holds an event of a kind, such as another module's, the latest first.
  public func sessions(withEvent kind: String) throws(StoreError) -> [SessionID] {
    try known { try $0.sessions(withEvent: kind) }
  }

  /// All sessions, the one with the latest event first. A session in which nothing was said yet is
  /// ``SessionSummary/isUnused``.
  public func sessions() throws(StoreError) -> [SessionSummary] {
    try known { tables in
      try tables.run(Self.summaries).map { row in
        SessionSummary(
          id: SessionID(rawValue: try require(row.text(0))), created: try require(row.date(1)),
          updated: try require(row.date(2)), turns: Int(try require(row.integer(3))),
          kinds: Set((row.text(4) ?? "").split(separator: ",").map(String.init)),
          isRehearsal: row.integer(5) == 1, firstWords: row.text(6) ?? "", journey: row.text(7),
          answers: Int(try require(row.integer(8))))
      }
    }
  }

  private static let summaries = """
    SELECT id, created_ms,
      coalesce((SELECT max(at_ms) FROM event WHERE session = id), created_ms) AS updated_ms,
      (SELECT count(*) FROM event WHERE session = id AND kind = 'userSaid') AS turns,
      (SELECT group_concat(DISTINCT kind) FROM event WHERE session = id) AS kinds,
      EXISTS (SELECT 1 FROM event WHERE session = id AND kind = 'started'
        AND json_extract(json, '$.source') = 'rehearsal') AS rehearsal,
      (SELECT json_extract(json, '$.text') FROM event
        WHERE session = id AND kind = 'userSaid' ORDER BY position LIMIT 1) AS first_words,
      (SELECT json_extract(json, '$.journey') FROM event
        WHERE session = id AND kind = 'journeyStarted' ORDER BY position LIMIT 1) AS journey,
      (SELECT count(DISTINCT json_extract(json, '$.step')) FROM event
        WHERE session = id AND kind = 'journeyAnswered') AS answers
    FROM session WHERE person = $1 ORDER BY updated_ms DESC, created_ms DESC, id
    """

  /// Takes the session for this process.
  ///
  /// - Throws: `sessionHeld` where another process has it. The lock ends with its holder, however
  ///   that ends.
  public func acquireWriter(of session: SessionID) throws(StoreError) -> SessionWriter {
    try connections.writers.take(session)
    return SessionWriter { [connections] in connections.writers.release(session) }
  }

  /// Deletes a session so that its words are in no file of the store afterward.
  ///
  /// That a discovery was finished is kept, without its words: forgetting gives no second free one.
  ///
  /// - Throws: `notWiped` where it is deleted but its words may still be in the write-ahead log;
  ///   `inUse` while another process has the store open; then nothing is deleted.
  public func forget(_ session: SessionID) throws(StoreError) { try forget([session]) }

  /// Deletes all of these sessions, or none.
  ///
  /// - Throws: As for one session.
  public func forget(_ sessions: [SessionID]) throws(StoreError) {
    try forget(sessions, givesSpaceBack: true)
  }

  /// - Parameter givesSpaceBack: Also makes the file smaller, which takes as long as the file is
  ///   big. What was deleted is overwritten in any case.
  public func forget(_ sessions: [SessionID], givesSpaceBack: Bool) throws(StoreError) {
    for session in sessions where try !contains(session) {
      throw StoreError(.noSuchSession(session.rawValue), file: path)
    }
    let isForgotten: Void? = try Self.translating(path) {
      try presence.exclusively {
        try erase(givesSpaceBack: givesSpaceBack) { database in
          for session in sessions { try Self.remove(session, from: database) }
          try tables(database).forgetUnusedHealth()
        }
      }
    }
    guard isForgotten != nil else { throw StoreError(.inUse, file: path) }
  }

  /// Deletes, then removes what was deleted from the log.
  func erase<Value>(givesSpaceBack: Bool, _ delete: (Database) throws -> Value) throws -> Value {
    let value = try database.write { try delete($0) }
    // What was deleted is overwritten already (`secure_delete`); this only gives space back, and
    // needs some to do so.
    if givesSpaceBack { try? database.vacuum() }
    do {
      try database.inDatabase { _ = try $0.checkpoint(.truncate) }
    } catch let error as DatabaseError {
      throw StoreError(.notWiped, file: path, detail: error.message ?? "\(error.resultCode)")
    }
    return value
  }
}

/// The right of this process to write to a session; let go of when it is released.
public final class SessionWriter: Sendable {
  private let release: @Sendable () -> Void

  package init(release: @escaping @Sendable () -> Void) { self.release = release }

  deinit { release() }
}
