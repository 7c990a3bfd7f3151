import ContextQuality
import IncrementalJSON

/// Finds the user turns that each goal and constraint rests on, and the readings.
struct Grounding {
  let transcript: Transcript
  /// What is known from health data.
  var readings: [String] = []

  /// Sets `restsOn`, `restsOnReadings` and `unsupported`.
  func ground(_ system: inout CoachingSystem, claims: JSONValue?) {
    let claimed = self.claimed(claims)
    for (pointer, text) in system.groundedTexts {
      let claims = claimed[pointer] ?? []
      // A true quote proves nothing about an injury that it does not speak of.
      let isPhysical = pointer.hasPrefix("/constraints/physical/")
      let turns = supporting(isPhysical ? claims.filter { speaks($0, of: text) } : claims, text)
      let (readings, known) = (readings(claims, text), system.restsOnReadings ?? [:])
      if !turns.isEmpty { system.restsOn[pointer] = turns }
      if !readings.isEmpty { system.restsOnReadings = known.merging([pointer: readings]) { $1 } }
      if turns.isEmpty, readings.isEmpty { system.unsupported.append(pointer) }
    }
  }

  private struct Claim {
    var turn: Int
    var quote: String?
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
    guard let turn = transcript.userTurn(claim.turn) else { return false }
    let (mine, theirs) = (
      Self.stems(text, shortest: 3), Self.stems(PromptText.visible(turn), shortest: 3)
    )
    return !mine.isDisjoint(with: theirs)
  }

  private func supporting(_ claims: [Claim], _ text: String) -> [Int] {
    let verified = claims.filter { claim in
      guard let turn = transcript.userTurn(claim.turn) else { return false }
      let words = PromptText.visible(turn)
      if let quote = claim.quote { return QuoteVerifier.refusal(of: quote, in: words) == nil }
      return sharedWords(text, words) >= 1
    }
    if !verified.isEmpty { return Array(Set(verified.map(\.turn))).sorted() }
    return turnsSayingTheSame(text)
  }

  /// A claim of turn 0 that quotes a reading, and speaks of the same.
  private func readings(_ claims: [Claim], _ text: String) -> [String] {
    let quotes = claims.filter { $0.turn == 0 }.compactMap(\.quote)
    return readings.filter { reading in
      sharedWords(text, reading) >= 1
        && quotes.contains { QuoteVerifier.refusal(of: $0, in: reading) == nil }
    }
  }

  /// Turns that hold at least half of the text's telling words.
  private func turnsSayingTheSame(_ text: String) -> [Int] {
    let needed = max(1, (Self.stems(text).count + 1) / 2)
    guard !Self.stems(text).isEmpty else { return [] }
    return transcript.userTurns.enumerated()
      .filter { sharedWords(text, PromptText.visible($0.element)) >= needed }
      .map { $0.offset + 1 }
  }

  private func sharedWords(_ left: String, _ right: String) -> Int {
    Self.stems(left).intersection(Self.stems(right)).count
  }

  /// Words of four letters and more, and numbers, cut to five letters so that endings do not
  /// matter.
  private static func stems(_ text: String, shortest: Int = 4) -> Set<String> {
    let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
    return Set(
      words.filter { $0.count >= shortest || $0.allSatisfy(\.isNumber) }.map {
        String($0.prefix(5))
      })
  }
}

extension IntakeState {
  /// The readings that are known now, in the rubric's order.
  var readings: [String] {
    rubric.facets.compactMap { ledger.evidence(for: $0.facet) }.filter(\.isReading).map(\.text)
  }
}

extension CoachingSystem {
  /// The goals and constraints that must rest on something, by pointer.
  fileprivate var groundedTexts: [(pointer: String, text: String)] {
    var texts: [(String, String)] = []
    for (name, value) in [
      ("primary", userGoals.primary), ("timeline", userGoals.timeline),
      ("deeper", userGoals.deeper),
    ] {
      if let value { texts.append(("/userGoals/\(name)", value)) }
    }
    for (name, path) in Constraints.lists {
      for (index, item) in constraints[keyPath: path].enumerated() {
        texts.append(("/constraints/\(name)/\(index)", item.detail))
      }
    }
    return texts
  }
}
