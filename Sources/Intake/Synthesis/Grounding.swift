package import ContextQuality
package import IncrementalJSON
package import Signals

/// Finds the user turns, answers and readings that support each goal and constraint.
package struct Grounding {
  package let transcript: Transcript
  /// What is known from health data.
  package let readings: [Evidence]
  /// What the user answered in a form.
  package let answers: [AnswerSupport]
  private let words: QuoteWords
  private let linking: Set<String>
  /// Words that add no checkable claim to a reading.
  private let describing: Set<String>

  /// What readings can show.
  package let rules: ReadingRules

  package init(
    transcript: Transcript, readings: [Evidence], answers: [AnswerSupport] = [],
    readingRules: ReadingRules, signals: SignalRules
  ) {
    (self.transcript, self.readings, self.answers) = (transcript, readings, answers)
    rules = readingRules
    words = signals.quoteWords
    linking = Self.stems(of: signals[.grounding]["linking"])
    describing = linking.union(Self.stems(of: signals[.grounding]["describing"]))
  }

  private static func stems(of rule: PhraseRule) -> Set<String> {
    Set(rule.plainWords.map { String($0.prefix(stemLength)) })
  }

  /// Sets `restsOn`, `restsOnAnswers` and `restsOnReadings`, and leaves open what rests on nothing.
  ///
  /// A list's items that stay come first, so the pointers of `unsupported` lead nowhere.
  package func ground(_ system: inout CoachingSystem, claims: JSONValue?) {
    let claimed = snapped(self.claimed(claims))
    for field in ProfileField.grounded {
      guard let text = system.texts(of: field).first else { continue }
      let support = support(of: text, at: field.pointer, claimed[field.pointer] ?? [])
      system.rest(field.pointer, on: support)
      if support.isEmpty { system.filter(field) { _ in false } }
    }
    // Steps towards a goal that nobody named.
    if system.userGoals.primary == nil { system.userGoals.milestones = nil }
    for (name, path) in Constraints.lists {
      let items = system.constraints[keyPath: path].enumerated().map { index, item in
        let pointer = "/constraints/\(name)/\(index)"
        return (item, support(of: item.detail, at: pointer, claimed[pointer] ?? []))
      }
      let kept = items.filter { !$0.1.isEmpty }
      for (index, item) in (kept + items.filter { $0.1.isEmpty }).enumerated() {
        system.rest("/constraints/\(name)/\(index)", on: item.1)
      }
      system.constraints[keyPath: path] = kept.map(\.0)
    }
  }

  /// What a goal or constraint rests on.
  fileprivate struct Support {
    var turns: [Int]
    var answers: [AnswerSupport]
    var readings: [String]

    var isEmpty: Bool { turns.isEmpty && answers.isEmpty && readings.isEmpty }
  }

  private func support(of text: String, at pointer: String, _ claims: [Claim]) -> Support {
    // A true quote can't support an injury that it doesn't mention.
    let isPhysical = pointer.hasPrefix("/constraints/physical/")
    return Support(
      turns: supporting(isPhysical ? claims.filter { speaks($0, of: text) } : claims, text),
      answers: answers(claims, text), readings: readings(claims, text, at: pointer))
  }

  private struct Claim {
    var turn: Int
    var quote: String?
    /// Whether the quote is the user's.
    var isVerbatim = false
  }

  /// With the user's words and their turn, where a quote fits.
  private func snapped(_ claims: [String: [Claim]]) -> [String: [Claim]] {
    var fitter = QuoteFitter(transcript, words)
    return claims.mapValues { claims in
      claims.map { claim in
        guard let quote = claim.quote, let fit = try? fitter.fit(quote, turn: claim.turn) else {
          return claim
        }
        return Claim(turn: fit.turn, quote: fit.quote, isVerbatim: true)
      }
    }
  }

  /// Reads `[{"path","turn","quote"}]`.
  private func claimed(_ value: JSONValue?) -> [String: [Claim]] {
    var claims: [String: [Claim]] = [:]
    for item in value?.arrayValue ?? [] {
      guard let path = item["path"]?.stringValue, let turn = item["turn"]?.intValue else {
        continue
      }
      claims[path, default: []].append(Claim(turn: turn, quote: item["quote"]?.stringValue))
    }
    return claims
  }

  private func speaks(_ claim: Claim, of text: String) -> Bool {
    transcript.visibleTurn(claim.turn).map { sharedWords(text, $0, shortest: 3) > 0 } ?? false
  }

  private func supporting(_ claims: [Claim], _ text: String) -> [Int] {
    let verified = claims.filter { claim in
      guard let turn = transcript.visibleTurn(claim.turn) else { return false }
      return claim.quote == nil ? sharedWords(text, turn) >= 1 : claim.isVerbatim
    }
    if !verified.isEmpty { return Array(Set(verified.map(\.turn))).sorted() }
    return turnsSayingTheSame(text)
  }

  private func isVerbatim(_ quote: String, in text: String) -> Bool {
    QuoteFitter.refusal(of: quote, in: text, littleWords: words.little) == nil
  }

  /// Answers that a claim of turn 0 quotes, or that say the same as the text.
  private func answers(_ claims: [Claim], _ text: String) -> [AnswerSupport] {
    let quotes = claims.filter { $0.turn == 0 }.compactMap(\.quote)
    let needed = max(1, (Self.stems(text, shortest: 3).count + 1) / 2)
    return answers.filter { answer in
      let shared = sharedWords(text, answer.answer, shortest: 3)
      return shared >= needed
        || shared >= 1 && quotes.contains { isVerbatim($0, in: answer.answer) }
    }
  }

  /// Readings that a claim of turn 0 quotes and that support the text.
  private func readings(_ claims: [Claim], _ text: String, at pointer: String) -> [String] {
    let quotes = claims.filter { $0.turn == 0 }.compactMap(\.quote)
    guard !quotes.isEmpty,
      let facets = rules.support.first(where: { pointer.hasPrefix("/constraints/\($0.key)/") })?
        .value
    else { return [] }
    return readings.filter { facets.contains($0.facet) }.map(\.text).filter { reading in
      carries(reading, text)
        && quotes.contains { isVerbatim($0, in: reading) }
    }
  }

  private static let wordsCarried = 2

  /// Whether a reading supports the text: they share two key words, and every other word of the
  /// text only describes, is a number near one of the reading's, or is the user's own.
  private func carries(_ reading: String, _ text: String) -> Bool {
    guard Self.stems(text).intersection(Self.stems(reading)).count >= Self.wordsCarried else {
      return false
    }
    let (claimed, shown) = (Self.stems(text, shortest: 2), Self.stems(reading, shortest: 2))
    let added = claimed.subtracting(shown).subtracting(describing)
    let numbers = Self.numbers(in: reading)
    let isNear = { (number: Double) in numbers.contains { abs($0 - number) <= Self.rounding } }
    return added.allSatisfy { word in
      if let number = PhrasePattern.value(word) { return isNear(number) }
      return isSaid(word, besides: claimed.intersection(shown))
    }
  }

  /// Allows "under seven hours" for 6 h 23 min.
  private static let rounding = 1.0

  /// Whether the user said the word in the same context, so the reading does not need it.
  private func isSaid(_ word: String, besides others: Set<String>) -> Bool {
    transcript.visibleTurns.contains { turn in
      let said = Self.stems(turn, shortest: 2)
      return said.contains(word) && !said.isDisjoint(with: others.subtracting(linking))
    }
  }

  private static func numbers(in text: String) -> [Double] {
    text.split { !$0.isNumber && !$0.isLetter }.compactMap { PhrasePattern.value(String($0)) }
  }

  /// Turns that contain at least half of the text's key words.
  private func turnsSayingTheSame(_ text: String) -> [Int] {
    let keys = Self.stems(text).subtracting(linking)
    guard !keys.isEmpty else { return [] }
    return transcript.visibleTurns.enumerated()
      .filter { 2 * keys.intersection(Self.stems($0.element)).count >= keys.count }
      .map { $0.offset + 1 }
  }

  private func sharedWords(_ left: String, _ right: String, shortest: Int = 4) -> Int {
    Self.stems(left, shortest: shortest).intersection(Self.stems(right, shortest: shortest)).count
  }

  private static let stemLength = 5

  /// Numbers, and words of at least `shortest` letters, cut to five letters to ignore endings.
  private static func stems(_ text: String, shortest: Int = 4) -> Set<String> {
    let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
    return Set(
      words.filter { $0.count >= shortest || $0.allSatisfy(\.isNumber) }.map {
        String($0.prefix(stemLength))
      })
  }
}

extension IntakeState {
  /// The currently known readings, in the rubric's order.
  package var readings: [Evidence] {
    rubric.facets.compactMap { ledger.evidence(for: $0.facet) }.filter(\.isReading)
  }
}

extension CoachingSystem {
  fileprivate mutating func rest(_ pointer: String, on support: Grounding.Support) {
    if support.isEmpty { unsupported.append(pointer) }
    if !support.turns.isEmpty { restsOn[pointer] = support.turns }
    if !support.answers.isEmpty {
      restsOnAnswers = (restsOnAnswers ?? [:]).merging([pointer: support.answers]) { $1 }
    }
    if !support.readings.isEmpty {
      restsOnReadings = (restsOnReadings ?? [:]).merging([pointer: support.readings]) { $1 }
    }
  }
}
