package import ContextQuality
package import LanguageModels

/// Who a session is held with: models, or a coach that needs none.
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

  public static func models(_ roles: ModelRoles) -> CoachChoice { CoachChoice(models: roles) }
}

/// Reads what the user says and finds the words for what comes next.
///
/// The engine decides every step and stores what came of it; a coach has no state of its own.
package protocol Coach: Sendable {
  /// Nil if sessions are held with models.
  var source: ProfileSource? { get }
  /// What is said whenever a session is opened.
  var disclosure: SessionOutput.Notice? { get }

  /// Reads the new user turns; fails only where the turns are to be read another time.
  ///
  /// - Parameter draft: Where the turn is not sent yet, and may never be, what tells when it was.
  func read(
    _ turns: [Int], _ state: IntakeState, draft: OutputRelay?, _ show: IntakeEngine.Show
  ) async -> Result<Scoring, ModelError>

  func say(
    _ occasion: Occasion, _ state: IntakeState, today: String, _ show: IntakeEngine.Show
  ) async -> Spoken

  /// Whether a facet that counts as known can be named to the user as known.
  func isSure(of facet: Facet, _ state: IntakeState) -> Bool

  /// Suggestions for what the user could say next; nil if there is nobody to make them.
  func starters(_ request: StarterRequest, _ state: IntakeState) async -> Starters?

  /// Writes down what was understood.
  func synthesise(
    _ state: IntakeState, minimal: Bool, today: String, _ show: IntakeEngine.Show
  ) async -> Result<Synthesis, SynthesisFailure>
}

extension Coach {
  package func isSure(of facet: Facet, _ state: IntakeState) -> Bool { true }
}

/// What the coach is to say now.
package enum Occasion: Sendable {
  case greeting
  case question(QuestionPlan)
  case checkIn
  case summary(Synthesis)
  case coaching

  package var purpose: SessionOutput.Purpose {
    switch self {
    case .greeting: .greeting
    case .question, .checkIn: .question
    case .summary: .summary
    case .coaching: .coaching
    }
  }
}

/// A reply as far as it came.
package struct Spoken: Sendable {
  package var reply: CoachReply
  /// Its pieces have been shown.
  package var wasStreamed: Bool
  /// Why it is not whole; nil if it is.
  package var failure: SessionOutput.Notice?

  package init(
    reply: CoachReply, wasStreamed: Bool, failure: SessionOutput.Notice? = nil
  ) {
    (self.reply, self.wasStreamed, self.failure) = (reply, wasStreamed, failure)
  }
}

/// Nothing could be written down; the step comes again when it is asked for.
package struct SynthesisFailure: Error {
  package var notice: SessionOutput.Notice
}

/// The session was begun with the other kind of coach.
public struct CoachMismatch: Error, Hashable, Sendable {
  /// How it was begun; nil with models.
  public let begun: ProfileSource?
}
