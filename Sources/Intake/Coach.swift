import ContextQuality
import LanguageModels

/// Who a session is held with: the models, or the rehearsal coach.
public enum CoachChoice: Sendable {
  case models(ModelRoles)
  /// No model: the offline scorer, the pack's question bank, and a profile made of the user's words.
  case rehearsal
}

/// Reads what the user says and finds the words for what comes next.
///
/// The engine decides every step and stores what came of it; a coach has no state of its own.
protocol Coach: Sendable {
  /// Nil where sessions are held with models.
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

  /// Suggestions for what the user could say next; nil where there is nobody to make them.
  func starters(_ request: StarterRequest, _ state: IntakeState) async -> Starters?

  /// Writes down what was understood.
  func synthesise(
    _ state: IntakeState, minimal: Bool, today: String, _ show: IntakeEngine.Show
  ) async -> Result<Synthesis, SynthesisFailure>
}

/// What the coach is to say now.
enum Occasion: Sendable {
  case greeting
  case question(QuestionPlan)
  case checkIn
  case summary(Synthesis)
  case coaching

  var purpose: SessionOutput.Purpose {
    switch self {
    case .greeting: .greeting
    case .question, .checkIn: .question
    case .summary: .summary
    case .coaching: .coaching
    }
  }
}

/// A reply as far as it came.
struct Spoken: Sendable {
  var reply: CoachReply
  /// Its pieces have been shown.
  var wasStreamed: Bool
  /// Why it is not whole; nil where it is.
  var failure: SessionOutput.Notice?
}

/// Nothing could be written down; the step comes again when it is asked for.
struct SynthesisFailure: Error {
  var notice: SessionOutput.Notice
}

/// The session was begun with the other kind of coach.
public struct CoachMismatch: Error, Hashable, Sendable {
  /// How it was begun; nil with models.
  public let begun: ProfileSource?
}
