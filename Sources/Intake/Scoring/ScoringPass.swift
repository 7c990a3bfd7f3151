import ContextQuality
import IncrementalJSON
import LanguageModels
import Signals

/// Asks a model about user turns and accepts only evidence that their text supports.
///
/// A live pass asks about one new turn; a batch asks about all of them. Both use the same prompt,
/// parser and evidence check.
struct ScoringPass {
  let pack: PromptPack
  let model: any LanguageModel
  let transcript: Transcript
  let ledger: Ledger
  let turns: [Int]
  /// What to look for besides evidence; nil for nothing.
  var person: PersonReading?
  var listing = RubricListing.given
  /// What the newest turns answer.
  var moment = ReadingMoment.question
  /// The labels that the newest turns could have chosen.
  var choices: [String] = []

  /// Retries once after an unusable answer. If that fails, the first answer's valid part counts; if
  /// it has none, the turns stay unscored and the scoring says why. Fails only if no model is
  /// available.
  @inline(never)
  func read(_ show: IntakeEngine.Show) async -> Result<TurnReading, ModelError> {
    let first = await attempt(problems: [], show)
    guard case .unusable(let problems, let fallback) = first else { return first.result(turns) }
    let second = await attempt(problems: problems, show)
    if case .unusable = second, let fallback { return .success(fallback) }
    return second.result(turns)
  }

  func request(problems: [String] = []) throws(PackError) -> ModelRequest {
    try ModelScorer(
      pack: pack, person: person, listing: listing, moment: moment, choices: choices,
      window: model.room.window
    )
    .request(transcript: transcript, ledger: ledger, newTurns: turns, problems: problems)
  }

  private indirect enum Attempt {
    case scored(TurnReading)
    /// Worth one repair. The reading, if any, holds the valid part of the answer.
    case unusable([String], TurnReading?)
    /// A retry would not help; the turns do not change.
    case failed(ScoringFailure, ModelError? = nil)
    case noModel(ModelError)

    func result(_ turns: [Int]) -> Result<TurnReading, ModelError> {
      switch self {
      case .scored(let reading), .unusable(_, let reading?): .success(reading)
      case .unusable(let problems, nil):
        .success(
          TurnReading(
            Scoring(
              turns: turns,
              failure: ScoringFailure(.unusableAnswer, problems.joined(separator: "; ")))))
      case .failed(let failure, let error):
        .success(TurnReading(Scoring(turns: turns, failure: failure), error: error))
      case .noModel(let error): .failure(error)
      }
    }
  }

  @inline(never)
  private func attempt(
    problems: [String], _ show: IntakeEngine.Show
  ) async -> Attempt {
    do throws(PackError) {
      let wasBrief = ModelScorer.isBrief(window: model.room.window)
      let first = await hear(try request(problems: problems), show)
      // The rejection told how large the window is.
      guard case .failed(_, let error?) = first, error.kind == .promptTooLong, !wasBrief,
        person != nil, ModelScorer.isBrief(window: model.room.window)
      else { return first }
      return await hear(try request(problems: problems), show)
    } catch {
      return .failed(ScoringFailure(.noPrompt, error.description))
    }
  }

  @inline(never)
  private func hear(_ request: ModelRequest, _ show: IntakeEngine.Show) async -> Attempt {
    var stream = stream
    var watch = ReadingWatch(
      said: transcript.messages.map { PlainText.visible($0.text) }
        + ledger.entries.map(\.evidence.text),
      pack.signals.quoteWords)
    let answer = await Answer.collect(from: model, request, show) { piece in
      for understanding in stream?.receive(piece) ?? [] { show(.understood(understanding)) }
      watch.receive(piece)
    } isEnough: {
      watch.reason != nil
    }
    if watch.isLoop, let whole = Self.beforeLoop(answer.text) {
      return read(whole, answer.completion?.usage)
    }
    if let reason = watch.reason { return stopped(answer.text, reason) }
    return outcome(of: answer)
  }

  /// What an answer held before it was stopped, as a whole one; nil if nothing.
  private static func beforeLoop(_ text: String) -> String? {
    var reader = IncrementalJSONReader()
    reader.receive(text)
    return [.open, .done].contains(reader.status) ? reader.complete?.serialized() : nil
  }

  /// A reading that was stopped. Urgent care that it had named by then still counts.
  private func stopped(_ text: String, _ reason: String) -> Attempt {
    let failure = ScoringFailure(.unusableAnswer, reason)
    let squeezed = text.filter { !$0.isWhitespace }
    let urgent = [CareKind.emergency, .crisis].first {
      squeezed.contains("\"kind\":\"\($0.rawValue)\"")
    }
    guard let urgent, let turn = turns.last else { return .failed(failure) }
    var scoring = Scoring(turns: turns, failure: failure)
    scoring.care = CareMark(kind: urgent, turn: turn)
    return .scored(TurnReading(scoring))
  }

  private func outcome(of answer: Answer) -> Attempt {
    if let error = answer.error { return attempt(failing: error) }
    if answer.completion?.promptWasCut == true {
      return .failed(
        ScoringFailure(
          .promptCut, "the server cut the prompt: the scorer did not see the whole conversation"))
    }
    if answer.completion?.finish == .refusal {
      return .failed(
        ScoringFailure(.refused, "the model or its provider refused to read the conversation"))
    }
    if answer.completion?.finish == .length {
      return .failed(
        ScoringFailure(.tooLong, "the answer reached the length limit before its end"))
    }
    return read(answer.text, answer.completion?.usage)
  }

  private var stream: UnderstandingStream? {
    person.map { UnderstandingStream(personCheck, after: $0.understanding) }
  }

  private var personCheck: UnderstandingCheck {
    UnderstandingCheck(pack: pack, transcript: transcript, ledger: ledger)
  }

  private func attempt(failing error: ModelError) -> Attempt {
    switch error.kind {
    case .truncated, .protocolViolation, .badRequest, .promptTooLong, .tooLarge, .timedOut,
      .webPage, .redirected:
      .failed(ScoringFailure(.requestFailed, error.description), error)
    default: .noModel(error)
    }
  }

  @inline(never)
  private func read(_ text: String, _ usage: TokenUsage?) -> Attempt {
    do throws(ScorerAnswer.Unusable) {
      let claims = try ScorerAnswer(parsing: text, newestTurn: transcript.userTurns.count)
      let check = EvidenceCheck(pack: pack, transcript: transcript)
      let checked = check.check(claims)
      let personal = check.personal(claims, in: turns, pack.measureWords)
      let doing = check.doing(claims, in: turns, pack.careNotes.kinds)
      var scoring = Scoring(
        turns: turns, evidence: withBody(checked.evidence, personal.body),
        retracted: plain(checked.retracted, doing.acts),
        dropped: checked.dropped.merging(personal.dropped, uniquingKeysWith: +)
          .merging(doing.dropped, uniquingKeysWith: +),
        snapped: checked.snapped.isEmpty ? nil : checked.snapped,
        care: doing.care, acts: doing.acts, age: personal.age,
        body: personal.body, model: model.identity.model,
        usage: usage)
      if person != nil { scoring.take(claims.person, personCheck) }
      var reading = TurnReading(
        scoring, member: person?.member.flatMap { claims.root[$0.name] },
        amends: person?.amends.flatMap { claims.root[$0.name] })
      reading.accepted = checked.evidence.count + checked.retracted.count
      reading.snapped = checked.snappedQuotes
      if checked.overusedQuotes.isEmpty { return .scored(reading) }
      let quotes = checked.overusedQuotes.map { "\"\($0)\"" }.joined(separator: ", ")
      return .unusable(
        ["quotes were offered for more facets than their words can carry: \(quotes)"],
        reading)
    } catch {
      return .unusable([error.reason], nil)
    }
  }

  /// In coaching, an act says apart from the evidence that a limit is over. What it says of one thing only is
  /// beyond doubt.
  private func plain(_ retracted: [Retraction], _ acts: [Act]?) -> [Retraction] {
    guard person?.member != nil else { return retracted }
    let ends = (acts ?? []).filter { $0.name == .endsLimit }
    return retracted.map { retraction in
      let isPlain = ends.contains { act in
        let meant = retracted.filter { $0.turn == act.turn && act.quote.contains($0.quote) }
        return meant == [retraction]
      }
      var retraction = retraction
      if isPlain { retraction.isPlain = true }
      return retraction
    }
  }

  /// A height or weight fills its facet, even if the model did not say so.
  private func withBody(_ evidence: [Evidence], _ note: BodyNote?) -> [Evidence] {
    guard let facet = pack.bodyFacet, let note, note.implausible == nil,
      let quote = note.quotes.first,
      !evidence.contains(where: { $0.facet == facet && $0.turn == note.turn })
    else { return evidence }
    return evidence + [Evidence(facet: facet, quote: quote, turn: note.turn)]
  }
}

extension Scoring {
  /// Adds what the reading makes of the person. The evidence stays as it is.
  package mutating func take(_ claims: PersonClaims, _ check: UnderstandingCheck) {
    var check = check
    let (parts, notes) = (check.parts(claims), check.notes(claims))
    understanding = parts.isEmpty ? nil : parts
    self.notes = notes.isEmpty ? nil : notes
  }
}
