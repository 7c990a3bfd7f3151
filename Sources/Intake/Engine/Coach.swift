package import ContextQuality
package import FoundationEssentials
package import LanguageModels

/// The coach for a session: models, or a coach that needs none.
public struct CoachChoice: Sendable {
  /// The models; nil if the coach needs none.
  public let models: ModelRoles?
  let makeCoach: @Sendable (PromptPack) throws -> any Coach

  /// A coach that needs no model.
  package init(_ makeCoach: @escaping @Sendable (PromptPack) throws -> any Coach) {
    models = nil
    self.makeCoach = makeCoach
  }

  private init(models: ModelRoles) {
    self.models = models
    makeCoach = { ModelCoach(pack: $0, models: models) }
  }

  /// A session's coaching system, written outside of its conversation; nil if it could not be.
  package func synthesis(
    of state: IntakeState, pack: PromptPack, settings: IntakeSettings, at date: Date
  ) async -> Synthesis? {
    guard let coach = try? makeCoach(pack) else { return nil }
    let today = CalendarDay.text(of: date)
    let result = await coach.synthesise(state, minimal: state.isLittleKnown, today: today) { _ in }
    return try? result.get()
  }

  public static func models(_ roles: ModelRoles) -> CoachChoice { CoachChoice(models: roles) }
}

/// Reads the user's messages and writes what comes next.
///
/// The engine decides every step and stores its result. A coach is stateless.
package protocol Coach: Sendable {
  /// Nil if models coach the session.
  var source: ProfileSource? { get }
  /// The notice to show whenever a session opens.
  var disclosure: SessionOutput.Notice? { get }

  /// Whether a question waits for the reading, since one server cannot do both at the same time.
  var readsFirst: Bool { get }

  /// Reads the new user turns. Fails only if the turns should be read later.
  ///
  /// - Parameter member: What another module wants to read in them.
  func read(
    _ turns: [Int], _ state: IntakeState, member: ReadingMember?, _ show: IntakeEngine.Show
  ) async -> Result<TurnReading, ModelError>

  func say(
    _ occasion: Occasion, _ state: IntakeState, _ scene: Scene, _ show: IntakeEngine.Show
  ) async -> Spoken

  /// Whether a facet that counts as known can be named to the user as known.
  func isSure(of facet: Facet, _ state: IntakeState) -> Bool

  /// Facets that do not count as known, but that the user perhaps told.
  func perhapsTold(_ state: IntakeState) -> Set<Facet>

  /// Suggestions for what the user could say next; nil if this coach makes none.
  func starters(_ request: StarterRequest, _ state: IntakeState) async -> Starters?

  /// Writes the coaching system.
  func synthesise(
    _ state: IntakeState, minimal: Bool, today: String, _ show: IntakeEngine.Show
  ) async -> Result<Synthesis, SynthesisFailure>
}

extension Coach {
  package var readsFirst: Bool { false }
  package func isSure(of facet: Facet, _ state: IntakeState) -> Bool {
    state.ledger.sure.contains(facet)
  }
  package func perhapsTold(_ state: IntakeState) -> Set<Facet> {
    state.ledger.known.subtracting(state.ledger.sure)
  }
}

/// What a coach needs to know of the moment, besides the session.
package struct Scene: Hashable, Sendable {
  /// As `yyyy-MM-dd`.
  package var today: String
  /// What the way the user writes may mean, as sentences. None of it is known.
  package var signals: [String] = []
  /// What other modules know.
  package var facts = CoachingFacts()
  /// What is asked after the coach's message; nil for nothing.
  package var question: String?
  /// The most tokens of a coaching prompt.
  package var budget = IntakeSettings().coachingTokens

  package init(today: String) { self.today = today }
}

/// What the coach should say now.
package indirect enum Occasion: Sendable {
  case greeting
  case question(QuestionPlan)
  case checkIn
  case summary(Synthesis)
  /// What the coach says before the choice that it offers, which follows in words of ours.
  case offer(closing: String)
  /// An answer that comes before the conversation's next step. The closing line follows it; it can be
  /// empty.
  case aside(AsidePlan, closing: String)
  case coaching

  package var purpose: SessionOutput.Purpose {
    switch self {
    case .greeting: .greeting
    case .question, .checkIn: .question
    case .summary: .summary
    case .offer: .offer
    case .aside: .answer
    case .coaching: .coaching
    }
  }
}

/// The part of a reply that arrived.
package struct Spoken: Sendable {
  package var reply: CoachReply
  /// Whether its pieces have been shown.
  package var wasStreamed: Bool
  /// Why it is cut; nil if complete.
  package var failure: SessionOutput.Notice?

  package init(
    reply: CoachReply, wasStreamed: Bool, failure: SessionOutput.Notice? = nil
  ) {
    (self.reply, self.wasStreamed, self.failure) = (reply, wasStreamed, failure)
  }
}

/// The synthesis failed. The step is retried on request.
package struct SynthesisFailure: Error {
  package var notice: SessionOutput.Notice
}

/// The session started with the other kind of coach.
public struct CoachMismatch: Error, Hashable, Sendable {
  /// How it started; nil for models.
  public let begun: ProfileSource?
}
