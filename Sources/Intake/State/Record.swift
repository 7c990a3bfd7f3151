import ContextQuality
import FoundationEssentials
import Signals

/// The messages in a session, what is known from them, and what was asked.
package struct Record: Hashable, Sendable {
  /// Whose move it is.
  package enum Floor: Hashable, Sendable { case user, coach }

  let bodyFacet: Facet?
  var start: SessionStart?
  /// Position of the last event.
  var position = 0
  var clock = ConversationClock()
  var transcript = Transcript()
  private(set) var turns: [UserTurn] = []
  var ledger = Ledger()
  /// Heights and weights as the user told them, oldest first.
  private var bodyNotes: [BodyNote] = []
  var body: BodyNote? { bodyNotes.reduce(nil) { $1.completed(by: $0) } }
  var asked = AskedQuestions()
  private(set) var withheld: Set<Facet> = []
  private(set) var understanding = Understanding()
  /// Words to remember, in the order in which they were noted.
  private(set) var notes: [RememberedNote] = []
  var rhythm = Rhythm()
  var hypotheses = Hypotheses()
  /// Ages that the scorer read, by turn.
  private var agesRead: [Int: Int] = [:]
  var queue = ReadingQueue()
  private(set) var listening = Listening()
  var floor = Floor.coach
  /// What the coach owes the user before the next step.
  var owed: Owed?
  /// What was read of what messages do, by turn.
  private(set) var acts: [Int: [Act]] = [:]
  /// The user turns before the question, offer or summary that is open now.
  var openSince = 0
  /// The turn of the last low moment that the user told of.
  private(set) var lowTurn: Int?
  /// Questions answered at the paywall, by day.
  var asidesAtPaywall: [String: Int] = [:]
  /// A reply that ended early and is retried. It counts as sent once the user answers it.
  private var cutReply: String?

  init(bodyFacet: Facet?) { self.bodyFacet = bodyFacet }

  /// The age that the user gave in a form.
  private var ageAnswered: Int?

  /// The last age the user stated.
  var statedAge: Int? {
    turns.reversed().lazy.compactMap { agesRead[$0.turn] ?? $0.statedAge }.first ?? ageAnswered
  }

  mutating func hear(age: Int) { ageAnswered = age }

  /// What a form's steps told, in the order in which they were answered last.
  private(set) var formAnswers: [FormAnswer] = []

  /// The last profile, and whether a form's answer has changed since.
  private(set) var profile: Synthesis?
  private(set) var isProfileStale = false

  mutating func take(_ synthesis: Synthesis) {
    (profile, isProfileStale) = (synthesis, false)
    // What was said is in the new profile. What was typed since isn't, unless something was said about it later.
    amendments = amendments.enumerated().filter { index, amendment in
      amendment.turn == nil
        && !amendments.dropFirst(index + 1).contains { $0.pointer == amendment.pointer }
    }.map(\.element)
  }

  /// What has changed in the last profile.
  private(set) var amendments: [Amendment] = []

  mutating func amend(_ amendment: Amendment) { amendments.append(amendment) }

  mutating func hear(_ answer: FormAnswer) {
    isProfileStale = true
    formAnswers.removeAll { $0.step == answer.step }
    if !answer.evidence.isEmpty || answer.words != nil { formAnswers.append(answer) }
    withheld.formUnion(answer.withheld ?? [])
  }

  mutating func hear(_ reply: CoachReply) {
    guard reply.isSent else {
      cutReply = reply.text
      return
    }
    cutReply = nil
    transcript.append(.init(.coach, reply.text))
    rhythm.coachSpoke(at: clock.lastEventAt)
    floor = .user
    owed = nil
  }

  /// Whether nothing but an answer comes before what follows.
  var owesOnlyAnswers: Bool {
    switch owed {
    case nil, .answer: true
    default: false
    }
  }

  /// What follows says everything else itself.
  mutating func oweOnlyAnswers() {
    if case .answer = owed { return }
    owed = nil
  }

  /// The user wants to talk. A question is talk, too, so only what comes without one waits.
  mutating func oweTalk(at turn: Int) { owed = owed ?? .talk(turn) }

  /// What the user did, and which limits they told, between the summary and coaching is read again as coaching reads
  /// it: only then is there a log to keep it in.
  mutating func rereadReports() {
    let kept: Set<Act.Name> = [.reports, .changesLimit, .endsLimit]
    for turn in acts.keys.sorted() where turn > profile?.throughTurn ?? 0 && turn <= turns.count {
      if acts[turn]?.contains(where: { kept.contains($0.name) }) == true { queue.readAlone(turn) }
    }
  }

  /// What the acts want answered before the conversation continues.
  mutating func owe(_ acts: [Act], at turn: Int) {
    // Comfort upon comfort would leave them with nothing to answer.
    let needsComfort = acts.has(.confides) && lowTurn.map { turn - $0 > 2 } ?? true
    if acts.has(.confides) { lowTurn = turn }
    if needsComfort {
      owed = .comfort(turn)
    } else if let question = acts.first(.asks) {
      owed = .answer(turn, question.about)
    } else if acts.has(.postpones, .notNow) {
      owed = .patience(turn)
    }
  }

  mutating func hear(_ turn: UserTurn) {
    if let cutReply { transcript.append(.init(.coach, cutReply)) }
    cutReply = nil
    turns.append(turn)
    owed = nil
    rhythm.hear(turn, at: clock.lastEventAt)
    transcript.append(.init(.user, turn.text))
    floor = .coach
    if let facet = turn.withholds { withheld.insert(facet) }
  }

  /// - Returns: The age that counts from now on, if one was stated.
  mutating func hear(_ scoring: Scoring, by rubric: Rubric) -> AgeNote? {
    queue.hear(scoring)
    listening.hear(scoring)
    if scoring.worth != .poor, scoring.failure == nil { ledger.withdrawGlances(of: scoring.turns) }
    for act in scoring.acts ?? [] { acts[act.turn, default: []].append(act) }
    withheld.formUnion((scoring.acts ?? []).withheld)
    let standing = ledger.standing
    ledger.apply(
      scoring.evidence.filter { !isByTheWay($0, scoring, rubric) }, retracted: scoring.retracted,
      addsUp: scoring.addsUp)
    if scoring.addsUp { forget(standing, scoring) }
    withheld.formUnion((scoring.withheld ?? []).map(\.facet))
    if let note = scoring.body { bodyNotes.append(note) }
    understanding.take(scoring.understanding ?? [])
    let known = Set(notes.map(\.note))
    notes += (scoring.notes ?? []).filter { !known.contains($0) }.map { RememberedNote($0) }
    guard let age = scoring.age, !isDenied(age) else { return nil }
    agesRead[age.turn] = age.years
    return statedAge == age.years ? age : nil
  }

  /// Forgets what was made of words that no longer stand.
  private mutating func forget(_ stood: [Ledger.Entry], _ scoring: Scoring) {
    let stands = Set(ledger.standing.map(\.evidence))
    let gone = stood.map(\.evidence).filter { !stands.contains($0) && !$0.isReading }
    guard !gone.isEmpty else { return }
    func rests(_ quote: String, _ turn: Int, on pieces: [Evidence]) -> Bool {
      pieces.contains {
        $0.turn == turn && ($0.text.contains(quote) || quote.contains($0.text))
      }
    }
    let named = scoring.retracted.compactMap(\.of) + scoring.evidence.compactMap(\.corrects)
    bodyNotes = bodyNotes.compactMap { note in
      // Of "178 cm, 64 kg", "64 kg" is the weight alone.
      func isGone(_ quote: String) -> Bool {
        let parts = named.filter { part in
          gone.contains { $0.turn == note.turn && $0.text.contains(part) }
        }
        return rests(quote, note.turn, on: gone)
          && (parts.isEmpty || parts.contains { $0.contains(quote) || quote.contains($0) })
      }
      return note.without(isGone)
    }
    // A corrected figure doesn't change the goal: only what rests on the corrected words alone is forgotten.
    let corrected = scoring.evidence.compactMap(\.corrects)
    let retracted = Set(ledger.entries.filter { $0.retractionQuote != nil }.map(\.evidence))
    let wholly = gone.filter(retracted.contains)
    func isForgotten(_ quote: String, _ turn: Int) -> Bool {
      rests(quote, turn, on: wholly)
        || rests(quote, turn, on: gone) && corrected.contains { $0.contains(quote) }
    }
    understanding.remove { isForgotten($0.quote, $0.turn) }
    notes.removeAll { isForgotten($0.note.quote, $0.note.turn) }
  }

  mutating func dropNote(_ quote: String) { notes.removeAll { $0.note.quote == quote } }

  /// Whether words that answer another question would replace what a form's answer says.
  private func isByTheWay(_ evidence: Evidence, _ scoring: Scoring, _ rubric: Rubric) -> Bool {
    let (facet, component) = (evidence.facet, evidence.facet.component)
    guard rubric[component: component]?.keepsAnswer == true, evidence.answer == nil,
      ledger.evidence(for: facet)?.answer != nil
    else { return false }
    return asked.open?.components.contains(component) != true
      && !scoring.retracted.contains { $0.facet == facet }
  }

  /// A user who plainly states that they are a minor stays one, however else those words are
  /// read.
  private func isDenied(_ age: AgeNote) -> Bool {
    let plain = turns.last { $0.turn == age.turn }?.statedAge
    return age.isAdult && plain.map { $0 < CareNet.ageOfMajority } ?? false
  }

  mutating func hear(_ note: BodyNote) {
    bodyNotes.append(note)
    if note.skipped { withholdBody() }
    if let bodyFacet, note.implausible == nil, let quote = note.quotes.first {
      ledger.add(Evidence(facet: bodyFacet, quote: quote, turn: note.turn))
    }
    let isSaid = transcript.userTurn(note.turn) != nil
    queue.hear(note, saysMore: isSaid && (note.isForScorer == true || saysMore(note)))
  }

  mutating func withholdBody() {
    if let bodyFacet { withheld.insert(bodyFacet) }
  }

  /// "I'm about … tall and I weigh …" says nothing more than its numbers.
  private static let wordsAroundNumbers = 6

  /// Whether an answer about height and weight says something else as well.
  private func saysMore(_ note: BodyNote) -> Bool {
    guard !note.skipped, note.implausible == nil else { return false }
    let stated = note.quotes.reduce(0) { $0 + PlainText.wordCount($1) }
    let text = transcript.userTurn(note.turn) ?? ""
    return PlainText.wordCount(text) - stated > Self.wordsAroundNumbers
  }
}

/// What the coach owes the user before the conversation's next step, with the turn that it answers.
enum Owed: Hashable, Sendable {
  case answer(Int, Act.Subject?)
  /// An answer to a low moment, and nothing else.
  case comfort(Int)
  /// They cannot continue now.
  case patience(Int)
  /// They said something that moves nothing on.
  case talk(Int)
  /// What they want could not be read.
  case clarity(Int)
}

extension AgeNote {
  var isAdult: Bool { years >= CareNet.ageOfMajority }
}

/// Time according to the events.
package struct ConversationClock: Hashable, Sendable {
  private(set) var startedAt: Date?
  private(set) var lastEventAt: Date?
  /// Conversation time so far, without absences.
  private(set) var activeSeconds = 0.0

  /// A longer pause is an absence.
  private static let longestPause = 300.0

  mutating func advance(to date: Date) {
    let gap = lastEventAt.map { date.timeIntervalSince($0) } ?? 0
    if gap > 0 && gap <= Self.longestPause { activeSeconds += gap }
    startedAt = startedAt ?? date
    lastEventAt = date
  }
}
