import ContextQuality
import Signals

/// The questions asked, and those that had no result.
package struct AskedQuestions: Hashable, Sendable {
  /// Components the user would rather not talk about.
  private(set) var declined: Set<String> = []
  /// Critical components asked about explicitly because the turns were used up.
  private(set) var explicit: Set<String> = []
  /// The component of the last question, if more than a few words answered it.
  private(set) var justAnswered: String?
  /// The facets of which more was asked for, or which were asked for themselves.
  private(set) var facets: Set<Facet> = []
  /// The number of questions about each component.
  private var count: [String: Int] = [:]
  /// The number of those that had no result.
  private var unanswered: [String: Int] = [:]
  /// The components of questions about two of which one was answered.
  private var halved: Set<Set<String>> = []
  /// The last question, until its answer has been read.
  private(set) var open: Question?
  /// The component of the last question, answered or not.
  private(set) var last: String?

  /// After this many questions about a component, one more would be heard as a repetition.
  private static let limit = 2
  /// An answer of at most this many words is followed up at once.
  private static let fewWords = 4

  /// Components whose questions had no result.
  var exhausted: Set<String> {
    Set(unanswered.filter { $0.value >= Self.limit }.keys)
  }

  /// Components that were asked about often enough, answered or not.
  var covered: Set<String> { Set(count.filter { $0.value >= Self.limit }.keys) }

  func wasAskedInVain(_ component: String) -> Bool { unanswered[component, default: 0] > 0 }

  /// Whether a question about both was answered for one of them; they are not asked about together again.
  func wasHalfAnswered(_ one: String, _ other: String) -> Bool { halved.contains([one, other]) }

  mutating func hear(_ question: Question) {
    guard !question.components.isEmpty else { return }
    facets.formUnion(question.facets + [question.also].compactMap(\.self))
    open = question
    last = question.components.first
    if question.explicit, question.reply.isSent { explicit.formUnion(question.components) }
  }

  mutating func decline(_ question: Question) {
    declined.formUnion(question.components.prefix(1))
  }

  /// The user chose to keep talking, so everything except declined topics may be asked again.
  mutating func talkOn() {
    explicit = []
    unanswered = [:]
    count = [:]
  }

  /// - Parameters:
  ///   - answered: The components that the scorer found something about.
  ///   - acts: What the turn does, as far as it was read.
  mutating func settle(answered: Set<String>, by turn: UserTurn?, doing acts: [Act]) {
    justAnswered = nil
    declined.subtract(answered)
    for component in answered { unanswered[component] = nil }
    guard let question = open, let component = question.components.first else { return }
    open = nil
    let says = turn.map { ($0.intent ?? .other) == .other && !acts.has(.declines, .unsure, .asks) }
    if let turn, says == true, PlainText.wordCount(turn.text) > Self.fewWords {
      justAnswered = component
    }
    let both = Set(question.components)
    if both.count > 1, both.intersection(answered).count == 1 { halved.insert(both) }
    let isAnswered = answered.contains(component)
    // A user who asked what the question is for, or couldn't go on, didn't skip it.
    guard isAnswered || turn?.intent != .asksWhy && !acts.has(.asks, .postpones, .confides) else {
      return
    }
    count[component, default: 0] += 1
    if !isAnswered { unanswered[component, default: 0] += 1 }
  }
}
