public import HealthRecords
public import IncrementalJSON
import Intake

extension CoachingState {
  /// The review whose proposal waits for an answer; nil if none does.
  public var openReview: Review? { reviews.last { $0.isOpen }?.review }

  /// Whether a review would only say again what one of the same day says, or waits to be answered for.
  package func has(_ review: Review) -> Bool {
    guard let last = reviews.last, last.review.through == review.through else { return false }
    return last.isOpen
      || last.review.reason == review.reason && last.review.done == review.done
        && last.review.planned == review.planned
        && last.review.proposal == review.proposal
        && Set(review.moved).isSubset(of: last.review.moved)
  }

  /// What a message does to an open proposal, and what the coach says to it; nil if it's about something
  /// else.
  ///
  /// - Parameter turn: The user turn, counted from 1; nil if it was typed as a command.
  package func settling(
    _ review: Review, by message: String, turn: Int?, _ text: EntryText, _ pack: CoachingPack
  ) -> (events: [CoachingEvent], words: String)? {
    guard let proposal = review.proposal,
      let read = ProposalReader(pack).answer(
        message, to: proposal, review: review.number, turn: turn)
    else { return nil }
    var answer = read.answer
    answer.sessions = read.sessions
    var events = [CoachingEvent.proposalAnswered(answer)]
    let said: String
    switch answer.outcome {
    case .accepted:
      said = text.texts(.answerAccepted)
      if let goal = proposal.goal { events.append(changed(goal, answer)) }
    case .changed:
      said = text.texts(.answerChanged, ["words": message])
      if let goal = proposal.goal {
        // "Yes, but on weekends" takes the goal and adds to it.
        let reader = ProposalReader(pack)
        let wording = reader.condition(in: message).map { reader.wording(of: goal, with: $0) }
        events.append(changed(wording ?? reader.wording(in: message), answer))
      }
    case .refused, .unanswered: said = text.texts(.answerRefused)
    }
    return (events, said)
  }

  private func changed(_ goal: String, _ answer: ProposalAnswer) -> CoachingEvent {
    .goalChanged(
      GoalChange(goal: goal, turn: answer.turn, words: answer.words, review: answer.review))
  }
}

// For programs.
extension CoachingState {
  /// The goals and limits; `docs/log.md` describes the members.
  public func goalsJSON(_ pack: CoachingPack, today: Day) -> JSONValue {
    .members([
      ("goal", goals.present.map { .string($0.goal) }),
      ("original", goals.original.map { .string($0.goal) }),
      ("milestones", .strings(goals.milestones)),
      ("by", goalDay(pack).map { .string($0.description) }),
      ("why", goals.why.map { .string($0) }),
      ("sessionsPerWeek", sessionsPerWeek(on: today).map { JSONValue($0) }),
      ("limits", .array(constraints.items.map(\.json))),
    ])
  }
}

extension ConstraintBook.Item {
  fileprivate var json: JSONValue {
    .members([
      ("id", .string(constraint.id)), ("list", .string(constraint.list.rawValue)),
      ("about", .string(constraint.about)), ("detail", .string(constraint.detail)),
      ("status", .string(statusName)), ("notedAt", .string(constraint.notedAt.description)),
      ("expiresAt", constraint.expiresAt.map { .string($0.description) }),
      ("archivedAt", archivedAt.map { .string($0.description) }),
      ("turn", constraint.origin.turn.map { JSONValue($0) }),
      ("step", constraint.origin.step.map { .string($0) }),
      ("quote", constraint.origin.quote.map { .string($0) }),
    ])
  }

  private var statusName: String {
    switch status {
    case .proposed: "proposed"
    case .active: "active"
    case .archived: "archived"
    case .refused: "refused"
    }
  }

  private var archivedAt: Day? { if case .archived(let day) = status { day } else { nil } }
}

extension Review {
  /// Its members as the log names them.
  public var json: JSONValue {
    .members([
      ("number", JSONValue(number)), ("reason", .string(reason.rawValue)),
      ("from", .string(from.description)), ("through", .string(through.description)),
      ("planned", planned.map { JSONValue($0) }), ("done", JSONValue(done)),
      ("moved", .strings(moved)), ("question", .string(question)),
      (
        "proposal",
        proposal.map { proposal in
          .members([
            ("change", .string(proposal.change.rawValue)),
            ("sessions", proposal.sessions.map { JSONValue($0) }),
            ("activity", proposal.activity.map { .string($0) }),
            ("goal", proposal.goal.map { .string($0) }), ("text", .string(proposal.text)),
            ("because", .string(proposal.because)),
            ("restsOn", .array(proposal.restsOn.map { JSONValue($0) })),
          ])
        }
      ),
      ("text", .string(text)),
    ])
  }
}
