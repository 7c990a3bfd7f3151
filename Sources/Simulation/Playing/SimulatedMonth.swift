import Coaching
import FoundationEssentials
import Intake
import Journeys
import Plans

/// A persona over the days of their sheet: the first conversation, then one visit after the other.
public struct SimulatedMonth: Sendable {
  public enum Entry: Hashable, Sendable {
    /// A visit begins. Days are counted from 0.
    case day(Int, date: String, PersonaMonth.Doing?)
    case coach(String)
    case person(String)
    /// A quiet line, such as what was noted.
    case note(String)
  }

  public var coach: SimulatedCoach

  /// The hour of every visit, in UTC.
  private static let hour = 18.0
  private static let secondsPerMessage = 60.0
  /// The most questions of the coach's own that a visit answers.
  private static let mostAnswers = 4

  public init(with coach: SimulatedCoach) { self.coach = coach }

  /// - Throws: ``SimulationFailure`` if the coach did not answer, or if the sheet has no month; the
  ///   engine's errors.
  public func play(_ persona: Persona, seed: Int) async throws -> [Entry] {
    guard let month = persona.month,
      let start = try? Date(month.startsOn, strategy: .iso8601.year().month().day())
    else { throw SimulationFailure(persona: persona.name, reason: "the sheet has no month") }
    let evening = start + Self.hour * 3_600
    var visits = Visits(self, persona, month, evening)
    try await visits.discover(seed)
    for visit in month.visits {
      try await visits.visit(visit, at: evening + Double(visit.day) * 86_400)
    }
    return visits.entries
  }

  /// The visits so far.
  private struct Visits {
    let coach: SimulatedCoach
    let persona: Persona
    let month: PersonaMonth
    let clock: SimulatedClock
    let log = InMemorySessionLog()
    let entitlement = InMemoryEntitlement()
    var entries: [Entry] = []
    private var reviews = 0
    private var limits = 0
    private var supposed = 0

    init(_ simulation: SimulatedMonth, _ persona: Persona, _ month: PersonaMonth, _ start: Date) {
      (coach, self.persona, self.month) = (simulation.coach, persona, month)
      clock = SimulatedClock(start)
    }

    /// The first conversation, up to the first coaching.
    mutating func discover(_ seed: Int) async throws {
      begin(0, nil)
      let engine = try await engine()
      let run = try await coach.play(
        persona, seed: seed, engine: engine, clock: clock)
      for turn in run.turns {
        entries += [.coach(turn.coach), .person(turn.reply.text)]
      }
      entries.append(.coach(run.closing))
      guard await engine.state.shownPhase == .confirmation else {
        throw SimulationFailure(
          persona: persona.name, reason: "the first conversation ended with \(run.ending.rawValue)")
      }
      try await pass { try await engine.say(PersonaTalk.goAhead, show: $0) }
      try await pass { try await engine.continueAfterPaywall(show: $0) }
    }

    mutating func visit(_ visit: PersonaMonth.Visit, at time: Date) async throws {
      clock.set(time)
      begin(visit.day, visit.does)
      let engine = try await engine()
      try await pass { try await engine.open(show: $0) }
      try await answer(engine)
      for words in visit.says {
        try await say(words, engine)
        try await answer(engine)
      }
    }

    private mutating func begin(_ day: Int, _ does: PersonaMonth.Doing?) {
      let date = clock.now.formatted(.iso8601.year().month().day())
      entries.append(.day(day, date: String(date.prefix(10)), does))
    }

    private func engine() async throws -> IntakeEngine {
      let clock = clock
      return try await IntakeEngine(
        log: log, coach: coach.choice, pack: coach.pack, settings: coach.settings,
        entitlements: entitlement,
        surroundings: try .coached(by: coach.pack, in: .gmt, cycle: coach.pack.dayCycle),
        now: { clock.now })
    }

    private mutating func say(_ words: String, _ engine: IntakeEngine) async throws {
      clock.advance(seconds: SimulatedMonth.secondsPerMessage)
      entries.append(.person(words))
      try await pass { try await engine.say(words, show: $0) }
    }

    /// Answers what the coach asks by itself.
    private mutating func answer(_ engine: IntakeEngine) async throws {
      for _ in 0..<SimulatedMonth.mostAnswers {
        guard let words = try await due(engine) else { return }
        try await say(words, engine)
      }
    }

    private mutating func due(_ engine: IntakeEngine) async throws -> String? {
      let coaching = try CoachingState(
        events: await log.events(), careNotes: coach.pack.careNotes)
      func next(_ answers: [String], _ count: inout Int) -> String? {
        guard !answers.isEmpty else { return nil }
        defer { count += 1 }
        return answers[count % answers.count]
      }
      if coaching.constraints.open != nil { return next(month.limits, &limits) }
      if coaching.openReview != nil { return next(month.reviews, &reviews) }
      if await engine.state.hypotheses.open != nil { return next(month.supposed, &supposed) }
      return nil
    }

    private mutating func pass(
      _ act: (@escaping IntakeEngine.Show) async throws -> Void
    ) async throws {
      let shown = ShownText()
      try await act { shown.add($0) }
      if let reason = shown.failure {
        throw SimulationFailure(persona: persona.name, reason: reason)
      }
      // What a rehearsal discloses at every visit isn't part of the talk.
      let notes = shown.notices.filter { $0.level == .info && $0.code != "rehearsal" }
      entries += notes.map { .note($0.text) } + shown.messages.map { .coach($0) }
    }
  }
}
