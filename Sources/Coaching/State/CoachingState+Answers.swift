public import HealthRecords
public import IncrementalJSON
package import Intake

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

  /// What acts do to an open proposal, and what the coach says to it; nil if they are about something else.
  ///
  /// - Parameter turn: The user turn, counted from 1; nil if it was typed as a command.
  package func settling(
    _ review: Review, _ message: String, doing acts: [Act], turn: Int?, _ text: EntryText
  ) -> (events: [CoachingEvent], amendment: Amendment?, words: String)? {
    guard let proposal = review.proposal else { return nil }
    func has(_ name: Act.Name) -> Bool { acts.contains { $0.name == name } }
    var answer = ProposalAnswer(
      review: review.number, outcome: .accepted, turn: turn, words: message)
    if let other = acts.first(where: { $0.name == .corrects })?.quote {
      answer.outcome = .changed
      if proposal.sessions != nil { answer.sessions = text.pack.sessions(in: other) }
      return (
        [.proposalAnswered(answer)], proposal.goal.map { _ in amendment(goal: other, answer) },
        text.texts(.answerChanged, ["words": other])
      )
    }
    guard has(.agrees) != has(.rejects) else { return nil }
    if has(.rejects) {
      answer.outcome = .refused
      return ([.proposalAnswered(answer)], nil, text.texts(.answerRefused))
    }
    answer.sessions = proposal.sessions
    return (
      [.proposalAnswered(answer)], proposal.goal.map { amendment(goal: $0, answer) },
      text.texts(.answerAccepted)
    )
  }

  /// A new goal, typed or answered to a review.
  package func amendment(goal: String, _ answer: ProposalAnswer? = nil) -> Amendment {
    Amendment(
      Amendment.goal, from: goals.present?.goal, to: goal, turn: answer?.turn,
      quote: answer?.words, review: answer?.review)
  }
}

extension CoachingPack {
  private static let mostSessions = 14

  /// The only number of sessions a week that words have; nil if there is none, or more than one.
  fileprivate func sessions(in words: String) -> Int? {
    let counts = PlainWords.split(words).compactMap { Double($0) ?? numbers.value($0) }
      .compactMap { Int(exactly: $0) }
    return counts.count == 1 && (1...Self.mostSessions).contains(counts[0]) ? counts[0] : nil
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
      ("beginsAt", constraint.beginsAt.map { .string($0.description) }),
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

  var archivedAt: Day? { if case .archived(let day) = status { day } else { nil } }
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
