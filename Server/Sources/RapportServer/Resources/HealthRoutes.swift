import FoundationEssentials
import Glibc
import HTTPTypes
import HealthRecords
import Hummingbird
import IncrementalJSON
import Intake
import SessionStore
import Startup

/// The person's health data: a snapshot from an app, or an export that is read here.
struct HealthRoutes: Sendable {
  let desk: CoachDesk
  let limits: Limits
  let largestUpload: Int

  static let exportPath = "/health/export"
  /// The largest export that is accepted.
  static let mostBytes = 4 << 30

  func add(to router: RouterGroup<AppContext>) {
    router.get("health") { _, context in
      guard let memory = try await store(context).health() else {
        return Response(["state": "unasked"])
      }
      guard let kept = memory.snapshot else { return Response(["state": "declined"]) }
      return Response([
        "state": "shared", "read_at": .string(kept.readAt.iso8601),
        "snapshot": (try? JSONValue(parsing: kept.json)) ?? .null,
        "findings": findings(
          try? HealthSnapshot.reading(Array(kept.json.utf8), name: "snapshot", today: desk.today)),
      ])
    }
    router.put("health") { request, context in
      try limits.takeUpload(context.caller)
      let buffer = try await request.body.collect(upTo: HealthSnapshot.longestText)
      let snapshot = try Self.reading { () throws(HealthReadError) in
        try HealthSnapshot.reading(
          Array(buffer.readableBytesView), name: "snapshot", today: desk.today)
      }
      return try await keep(snapshot, context)
    }
    router.post("health/export") { request, context in
      try limits.takeUpload(context.caller)
      let file = try UnlinkedFile()
      for try await part in request.body {
        try file.append(part, upTo: largestUpload)
      }
      let snapshot = try await Self.read(file, at: desk.now())
      return try await keep(snapshot, context)
    }
    router.delete("health") { _, context in
      try await store(context).declineHealth(at: desk.now())
      return Response(["state": "declined"])
    }
  }

  private func store(_ context: AppContext) -> any HealthStore {
    desk.store.belonging(to: context.caller.person)
  }

  private func keep(
    _ snapshot: HealthSnapshot, _ context: AppContext
  ) async throws -> Response {
    let json = try snapshot.jsonText()
    try await store(context).rememberHealth(
      .init(json: json, file: "", fileChanged: desk.now(), readAt: desk.now()))
    return Response(
      [
        "state": "shared", "snapshot": (try? JSONValue(parsing: json)) ?? .null,
        "findings": findings(snapshot),
      ], status: .created)
  }

  /// What the coach will see in it, in sentences to the person.
  private func findings(_ snapshot: HealthSnapshot?) -> JSONValue {
    let note = snapshot.map { HealthNote($0, rubric: desk.pack.rubric, today: desk.today) }
    return .array((note?.findings ?? []).map { .string($0.text) })
  }

  /// Reads in a detached task, because an export takes seconds.
  private static func read(_ file: UnlinkedFile, at date: Date) async throws -> HealthSnapshot {
    try await Task.detached {
      try reading { () throws(HealthReadError) in
        try HealthExport(file.path).snapshot(
          HealthReadOptions(now: Int(date.timeIntervalSince1970)), progress: HealthReadProgress())
      }
    }.value
  }

  /// The reason, without the name of a file of ours.
  private static func reading(
    _ work: () throws(HealthReadError) -> HealthSnapshot
  ) throws(Problem) -> HealthSnapshot {
    do throws(HealthReadError) {
      return try work()
    } catch {
      var error = error
      error.file = "upload"
      let problem = Problem(.unprocessableContent, "health-unread", "\(error)")
      throw error.reason.name.map { problem.with("reason", .string($0)) } ?? problem
    }
  }
}

/// A temporary file without a name: it is gone with its last user, however that ends.
final class UnlinkedFile: Sendable {
  private let descriptor: Int32

  init() throws(Problem) {
    var template = Array(
      (FileManager.default.temporaryDirectory.path + "/rapport-XXXXXX").utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw .noSpace }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(template)
  }

  deinit { close(descriptor) }

  /// How this process opens it again.
  var path: String { "/proc/self/fd/\(descriptor)" }

  /// - Throws: ``Problem`` if the file would be longer, or the disk is full.
  func append(_ buffer: ByteBuffer, upTo most: Int) throws(Problem) {
    guard lseek(descriptor, 0, SEEK_END) + buffer.readableBytes <= most else {
      throw Problem(.contentTooLarge, "too-large", "The export is larger than \(most >> 20) MiB.")
    }
    let isWritten = buffer.withUnsafeReadableBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Glibc.write(
          descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
    if !isWritten { throw .noSpace }
  }
}

extension HealthReadError.Reason {
  /// For programs that tell a person what to do; nil if it is nothing that they could.
  fileprivate var name: String? {
    switch self {
    case .noExport, .nested, .clinicalDocument, .otherDocument, .notXML, .empty: "no-export"
    case .encrypted, .packing: "packed"
    case .tooLarge, .tooMany: "too-large"
    case .damagedArchive, .encoding, .entity, .tooDeep, .tooLong, .badName, .mismatch, .afterTheEnd,
      .syntax, .endsEarly, .snapshot:
      "damaged"
    case .cannotOpen, .cancelled, .outOfMemory: nil
    }
  }
}

extension Problem {
  static let noSpace = Problem(
    .init(code: 507), "no-space",
    "There's no room for the upload right now. Please try again later.")
}
