import ContextQuality
import FoundationEssentials
import Testing

@testable import Intake
@testable import Signals

/// What stands beside the phase, value by value.
struct ReadingQueueTests {
  @Test func aTurnWhoseReadingFailedIsReadAlongOnce() {
    var queue = ReadingQueue()
    queue.take(1)
    queue.hear(Scoring(turns: [1], failure: .init(.unusableAnswer, "no JSON")))
    #expect(queue.nextStep == nil)
    queue.take(2)
    #expect(queue.nextStep == .score(turns: [1, 2]))
    queue.hear(Scoring(turns: [1, 2], failure: .init(.unusableAnswer, "no JSON")))
    queue.take(3)
    #expect(queue.nextStep == .score(turns: [2, 3]))
  }

  @Test func heightAndWeightAreReadFirst() {
    var queue = ReadingQueue()
    queue.take(1)
    queue.bodyAnswer = 2
    #expect(queue.nextStep == .noteBody(turn: 2))
    queue.hear(BodyNote(turn: 2), saysMore: true)
    #expect(queue.nextStep == .score(turns: [1, 2]) && queue.lastContentTurn == 2)
  }

  @Test func aScoringOfTurnsThatNobodySaidLeavesNothingBehind() {
    var queue = ReadingQueue()
    queue.hear(Scoring(turns: [7, 8], failure: .init(.unusableAnswer, "no JSON")))
    queue.take(1)
    #expect(queue.nextStep == .score(turns: [1]))
  }
}

struct AskedQuestionsTests {
  private func question(_ components: String..., explicit: Bool = false) -> Question {
    Question(
      components: components, facets: [], explicit: explicit, reply: CoachReply(text: "Why?"))
  }

  private let answer = UserTurn(turn: 1, text: "that's a long story for another day")

  @Test func twoQuestionsInVainSetAComponentAside() {
    var asked = AskedQuestions()
    for expected in [[], ["obstacles"]] {
      asked.hear(question("obstacles", "lifestyle"))
      asked.settle(answered: [], by: answer, doing: [])
      #expect(asked.wasAskedInVain("obstacles") && asked.exhausted == Set(expected))
    }
    asked.settle(answered: ["obstacles"], by: answer, doing: [])
    #expect(!asked.wasAskedInVain("obstacles") && asked.exhausted.isEmpty)
  }

  @Test(arguments: ["obstacles", "lifestyle"])
  func ofAQuestionHalfAnsweredOnlyTheOtherHalfIsAskedAgain(_ half: String) {
    var asked = AskedQuestions()
    asked.hear(question("obstacles", "lifestyle"))
    asked.settle(answered: [half], by: answer, doing: [])
    #expect(asked.wasHalfAnswered("lifestyle", "obstacles"))
    #expect(asked.wasAskedInVain("obstacles") == (half == "lifestyle"))
    asked.hear(question("obstacles"))
    asked.settle(answered: [], by: answer, doing: [])
    #expect(asked.exhausted == (half == "lifestyle" ? ["obstacles"] : []))
  }

  @Test func whatWasAnsweredInFullMayBeAskedTogetherAgain() {
    var asked = AskedQuestions()
    asked.hear(question("obstacles", "lifestyle"))
    asked.settle(answered: ["obstacles", "lifestyle"], by: answer, doing: [])
    #expect(!asked.wasHalfAnswered("obstacles", "lifestyle"))
  }

  @Test func keepTalkingReopensEverythingButWhatWasDeclined() {
    var asked = AskedQuestions()
    asked.hear(question("goalClarity", explicit: true))
    asked.settle(answered: [], by: answer, doing: [])
    asked.decline(question("obstacles"))
    asked.talkOn()
    #expect(asked.explicit.isEmpty && !asked.wasAskedInVain("goalClarity"))
    #expect(asked.declined == ["obstacles"])
  }

  @Test(arguments: [("work", nil), ("sixty hours of work a week", "obstacles")])
  func onlyMoreThanAFewWordsCountAsAnAnswerJustGiven(text: String, component: String?) {
    var asked = AskedQuestions()
    asked.hear(question("obstacles"))
    asked.settle(answered: ["obstacles"], by: UserTurn(turn: 1, text: text), doing: [])
    #expect(asked.justAnswered == component)
  }
}

struct SafetyValueTests {
  private func turn(_ number: Int, care: CareKind? = nil, age: Int? = nil) -> UserTurn {
    UserTurn(
      turn: number, text: "…",
      care: care.map { .init(kind: $0, name: $0.rawValue, concernsUser: true) }, statedAge: age)
  }

  @Test func helpUrgedIsFollowedUpOnceTheyAnswer() {
    var safety = Safety()
    safety.hear(turn(1, care: .crisis), dataSayMinor: false)
    #expect(safety.careDue?.name == "crisis")
    safety.note(
      CareAnswer(turn: 1, kind: .crisis, name: "crisis", text: "Call somebody."), urgesHelp: true)
    #expect(safety.careDue == nil && !safety.awaitsCheckIn(after: turn(1)))
    #expect(safety.awaitsCheckIn(after: turn(2)))
    safety.coachSpoke()
    #expect(!safety.awaitsCheckIn(after: turn(2)))
  }

  @Test func aStatedAgeCountsMoreThanASuspicion() {
    var safety = Safety()
    safety.suspectMinor(askingAfter: 1)
    #expect(safety.isMinor && safety.careDue?.name == CareStep.minorData)
    safety.hear(turn(2, age: 34), dataSayMinor: true)
    #expect(!safety.isMinor)
  }

  @Test func nobodyIsAskedTheAgeTheyJustNamed() {
    var safety = Safety()
    safety.hear(turn(1, care: .minor, age: 15), dataSayMinor: false)
    #expect(safety.isMinor && safety.careDue?.name == CareStep.minorStated)
  }

  @Test func careThatIsDueIsNotReplaced() {
    var safety = Safety()
    safety.hear(turn(1, care: .crisis), dataSayMinor: false)
    let isTaken = safety.take(CareMark(kind: .medical, turn: 1), statedAge: nil)
    #expect(!isTaken && safety.careDue?.kind == .crisis)
  }
}

struct HealthContextTests {
  private let note = HealthNoteTests.noting {
    $0.yearsOld = 42
    $0.forDoctor = [.init(kind: "bloodPressureHigh", isUrgent: true, text: "190 over 120")]
  }

  @Test func dataIsNewUntilTheCoachSpeaks() {
    var health = HealthContext()
    health.take(note)
    #expect(health.isNew)
    health.coachSpoke()
    #expect(!health.isNew && health.note == note)
  }

  @Test(arguments: [(nil, false), (42, false), (44, false), (45, true)] as [(Int?, Bool)])
  func withdrawnDataWasAnothersIfTheAgesAreApart(age: Int?, isAnothers: Bool) {
    var health = HealthContext()
    health.take(note)
    health.withdraw(statedAge: age)
    #expect(health.note == nil && health.wasAnothers == isAnothers)
    health.take(note)
    #expect(!health.wasAnothers)
  }

  @Test func aReadingIsToldOnce() {
    var health = HealthContext()
    health.take(note)
    #expect(health.readingsDue == ["190 over 120"])
    health.tellReadings()
    #expect(health.readingsDue.isEmpty)
  }
}

struct RecordTests {
  @Test func aCutReplyCountsAsSaidOnceItIsAnswered() {
    var record = Record(bodyFacet: nil)
    record.hear(CoachReply(text: "Well, wh", cut: .truncated))
    #expect(record.transcript.messages.isEmpty && record.floor == .coach)
    record.hear(UserTurn(turn: 1, text: "go on?"))
    #expect(record.transcript.messages.map(\.text) == ["Well, wh", "go on?"])
  }

  @Test func aWholeReplyTakesTheCutOnesPlace() {
    var record = Record(bodyFacet: nil)
    record.hear(CoachReply(text: "Well, wh", cut: .truncated))
    record.hear(CoachReply(text: "Well, why?"))
    #expect(record.transcript.messages.map(\.text) == ["Well, why?"] && record.floor == .user)
  }

  @Test func absencesAreNoConversationTime() {
    var clock = ConversationClock()
    for second in [0, 10, 310, 611, 600] as [Double] {
      clock.advance(to: Date(timeIntervalSince1970: second))
    }
    #expect(clock.activeSeconds == 310)
  }
}
