import Coaching
import FoundationEssentials
import HTTPTypes
import Hummingbird
import IncrementalJSON
import Intake
import Journeys
import Plans
import SessionStore

/// A conversation's coaching: the log, goals and limits, reviews, progress and the program. All values come
/// from `Coaching`.
struct CoachingRoutes: Sendable {
  let conversations: Conversations

  private static let mostBytes = 16 * 1024

  func add(to router: RouterGroup<AppContext>) {
    addLog(to: router)
    addGoals(to: router)
    addReview(to: router)
    router.get("conversations/:id/progress") { request, context in
      Response(try await book(request, context).progress)
    }
    router.get("conversations/:id/program") { request, context in
      let book = try await book(request, context)
      let name = request.uri.queryParameters["span"].map(String.init) ?? ProgramSpan.week.rawValue
      guard let span = ProgramSpan(rawValue: name) else {
        throw Problem.badRequest("span is today, week or all.", field: "span")
      }
      if let program = book.program(span) { return Response(program) }
      guard request.isOptional else { throw Problem.noProgram }
      return Response(JSONValue.null)
    }
    router.get("conversations/:id/program.ics") { request, context in
      let id = try context.conversation
      let book = try await book(request, context)
      // What was brought over keeps the names that it has on the other device.
      let row = try JourneyState(events: try await events(context)).row
      guard let text = book.calendar(id: row ?? id.rawValue) else {
        throw Problem.noProgram
      }
      return Response(
        text, "text/calendar; charset=utf-8", downloadedAs: "program-\(id).ics")
    }
  }

  private func addLog(to router: RouterGroup<AppContext>) {
    router.get("conversations/:id/log") { request, context in
      let book = try await book(request, context)
      return Response(book.log(atMost: try request.limit))
    }
    router.post("conversations/:id/log") { request, context in
      let (book, noted) = try await change(request, context) { book, json in
        try book.adding(try Self.words(json), on: try json.text("date"))
      }
      return Response(book.shown(noted), status: .created)
    }
    router.put("conversations/:id/log/:number") { request, context in
      let number = try context.parameters.require("number")
      let (book, noted) = try await change(request, context) { book, json in
        try book.correcting(number, try Self.words(json), on: try json.text("date"))
      }
      return Response(book.shown(noted))
    }
    router.delete("conversations/:id/log/:number") { request, context in
      let number = try context.parameters.require("number")
      _ = try await change(request, context, hasBody: false) { book, _ in
        try book.removing(number)
      }
      return Response(["removed": .string(number)])
    }
    router.get("conversations/:id/log/export") { request, context in
      let id = try context.conversation
      let entries = try await book(request, context).entries
      switch request.uri.queryParameters["format"].map(String.init) ?? "csv" {
      case "csv":
        return Response(
          LogExport.csv(entries), "text/csv; charset=utf-8", downloadedAs: "log-\(id).csv")
      case "json":
        let json = JSONValue.array(entries.map(\.json)).serialized() + "\n"
        return Response(
          json, "application/json; charset=utf-8", downloadedAs: "log-\(id).json")
      default: throw Problem.badRequest("format is csv or json.", field: "format")
      }
    }
  }

  private func addGoals(to router: RouterGroup<AppContext>) {
    router.get("conversations/:id/goals") { request, context in
      Response(try await book(request, context).goals)
    }
    router.patch("conversations/:id/goals") { request, context in
      let (book, _) = try await change(request, context) { book, json in
        // Words that need care get it, whatever is sent beside them.
        let goal = try json.text("goal").map { try book.changing(goal: $0) }
        if let goal, goal.care != nil { return goal }
        try Self.checkMembers(json)
        if let goal { return goal }
        let number = json["limit"]?.intValue.map { "\($0)" }
        guard let limit = try number ?? json.text("limit"),
          let holds = json["holds"]?.boolValue
        else {
          throw Problem.badRequest("Send goal, or limit with holds (true or false).")
        }
        let until = try json.text("until")
        return try book.settling(limit: limit, holds: holds, until: until)
      }
      return Response(book.goals)
    }
  }

  private func addReview(to router: RouterGroup<AppContext>) {
    router.get("conversations/:id/review") { request, context in
      Response(["review": try await book(request, context).review])
    }
    router.post("conversations/:id/review") { request, context in
      let (book, isNew) = try await store(request, context) { book in
        let events = try book.reviewing()
        return (events, !events.isEmpty)
      }
      return Response(["review": book.review], status: isNew ? .created : .ok)
    }
  }
}

// Reading.
extension CoachingRoutes {
  /// - Throws: ``Problem`` if the caller has no such conversation.
  private func book(_ request: Request, _ context: AppContext) async throws -> CoachingBook {
    let desk = conversations.desk.serving(context.caller.person)
    return try await desk.book(try await events(context), Self.language(request))
  }

  private func events(_ context: AppContext) async throws -> [RecordedEvent] {
    let id = try context.conversation
    return try await conversations.owner(of: id, context.caller).store.events(of: id)
  }

  private static func language(_ request: Request) -> String? {
    request.uri.queryParameters["language"].map { String($0.prefix(16)) }
  }
}

// Changing.
extension CoachingRoutes {
  private func change(
    _ request: Request, _ context: AppContext, hasBody: Bool = true,
    _ make: @escaping @Sendable (CoachingBook, JSONObject) throws -> CoachingChange
  ) async throws -> (CoachingBook, CoachingChange) {
    _ = try await conversations.owner(of: context.conversation, context.caller)
    let json = hasBody ? try await request.json(upTo: Self.mostBytes).objectValue : nil
    let (book, change) = try await store(request, context) { book in
      let change = try make(book, json ?? [:])
      return (change.envelopes, change)
    }
    if change.isOnlyCare, let care = change.care {
      throw Problem(.unprocessableContent, "care", care)
    }
    return (book, change)
  }

  /// Stores what the book makes of a request, after a reply that is being written.
  ///
  /// - Returns: The book after it, and the answer.
  private func store<Answer: Sendable>(
    _ request: Request, _ context: AppContext,
    _ make: @escaping @Sendable (CoachingBook) throws -> ([EventEnvelope], Answer)
  ) async throws -> (CoachingBook, Answer) {
    let id = try context.conversation
    let desk = try await conversations.owner(of: id, context.caller)
    try conversations.limits.takeAnswer(context.caller)
    let language = Self.language(request)
    return try await conversations.alone(with: id, waiting: true) {
      let writer = try await desk.store.acquireWriter(of: id)
      defer { withExtendedLifetime(writer) {} }
      let log = desk.store.sharedLog(for: id)
      let events = try await log.events()
      let (made, answer) = try make(try await desk.book(events, language))
      let stored = try await log.append(made, at: desk.now())
      return (try await desk.book(events + stored, language), answer)
    }
  }

  /// One request changes the goal or a limit: of two changes, one could be refused after the other.
  private static func checkMembers(_ json: JSONObject) throws(Problem) {
    let members = json.filter { !$0.value.isNull }.map(\.name)
    let known = ["goal", "limit", "holds", "until"]
    if let unknown = members.first(where: { !known.contains($0) }) {
      throw .badRequest(
        "There's no member of this name. Known: \(known.joined(separator: ", ")).",
        field: String(unknown.prefix(40)))
    }
    guard members.contains("goal"), let other = members.first(where: { $0 != "goal" }) else {
      return
    }
    throw .badRequest(
      "\(other): send the goal and a limit in two requests. Nothing was changed.", field: other)
  }

  private static func words(_ json: JSONObject) throws(Problem) -> String {
    guard let words = try json.text("words") else {
      throw .badRequest("words must be a string, such as \"ran 5k in 31 min\".", field: "words")
    }
    return words
  }
}

extension CoachingBook {
  fileprivate func shown(_ change: CoachingChange) -> JSONValue {
    [
      "entries": .array(change.entries.map { shown($0, asTold: true) }),
      "care": change.care.map { .string($0) } ?? .null,
    ]
  }
}

extension CoachDesk {
  fileprivate func book(
    _ events: [RecordedEvent], _ language: String?
  ) async throws -> CoachingBook {
    let settings = try await store.personSettings()
    return try CoachingBook(
      pack, try coaching.pack(of: pack), events: events,
      for: .init(
        units: settings.chosenUnits, language: language ?? settings.language, zone: settings.zone),
      at: now())
  }
}

extension Problem {
  static let noProgram = Problem(
    .notFound, "no-program",
    "There's no active program in this conversation yet. A journey leads to one.")

  init(_ refusal: CoachingRefusal) {
    let words = refusal.reason
    switch refusal {
    case .noEntry: self.init(.notFound, "no-entry", words, field: "number")
    case .noLimit, .severalLimits: self.init(.notFound, "no-limit", words, field: "limit")
    case .unread, .implausible:
      self = .badRequest(words, field: "words")
    case .over: self = .badRequest(words, field: "until")
    case .badDate, .notYet, .tooLongAgo: self = .badRequest(words, field: "date")
    case .tooLong: self.init(.contentTooLarge, "too-large", words)
    case .blank: self = .badRequest(words)
    case .notCoaching: self.init(.conflict, "not-coaching", words)
    case .nothingOpen: self.init(.conflict, "nothing-open", words)
    case .resting: self.init(.conflict, "resting", words)
    }
  }
}
