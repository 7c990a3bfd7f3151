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
      "goal": goals.present?.goal, "original": goals.original?.goal,
      "milestones": goals.milestones, "by": goalDay(pack)?.description, "why": goals.why,
      "sessionsPerWeek": sessionsPerWeek(on: today), "limits": constraints.items.map(\.json),
    ])
  }
}

extension ConstraintBook.Item {
  fileprivate var json: JSONValue {
    .members([
      "id": constraint.id, "list": constraint.list.rawValue, "about": constraint.about,
      "detail": constraint.detail, "status": statusName,
      "notedAt": constraint.notedAt.description, "beginsAt": constraint.beginsAt?.description,
      "expiresAt": constraint.expiresAt?.description, "archivedAt": archivedAt?.description,
      "turn": constraint.origin.turn, "step": constraint.origin.step,
      "quote": constraint.origin.quote,
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
      "number": number, "reason": reason.rawValue, "from": from.description,
      "through": through.description, "planned": planned, "done": done, "moved": moved,
      "question": question,
      "proposal": proposal.map { proposal in
        JSONValue.members([
          "change": proposal.change.rawValue, "sessions": proposal.sessions,
          "activity": proposal.activity, "goal": proposal.goal, "text": proposal.text,
          "because": proposal.because, "restsOn": proposal.restsOn,
        ])
      },
      "text": text,
    ])
  }
}
