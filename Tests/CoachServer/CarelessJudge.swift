import ContextQuality
import IncrementalJSON
package import LanguageModels
import OfflineScorer
import Synchronization
package import WireFormats

/// A scoring model with bad habits, for testing what tells a good one from a bad one.
///
/// It reads a scorer's request as the offline scorer does, and then leaves out, invents and garbles,
/// by the shares of its habits. Equal requests get different answers only by `flicker`. The shares
/// come from digests of the request, so a run can be repeated.
package final class CarelessJudge: RecordedAnswers {
  /// Shares from 0 to 1.
  package struct Habits: Hashable, Sendable {
    /// Claims left out by chance.
    package var flicker = 0.0
    /// Claims left out depending on the prompt, on the user's words, and on the coach's.
    package var order = 0.0
    package var wording = 0.0
    package var coachTurn = 0.0
    /// Claims that bring along one whose quote nobody said.
    package var invent = 0.0
    /// Claims whose quote is misspelled.
    package var garble = 0.0

    package static let careless = Habits(
      flicker: 0.08, order: 0.05, wording: 0.05, coachTurn: 0.05, invent: 0.06, garble: 0.1)

    private static let names: [(String, any WritableKeyPath<Habits, Double> & Sendable)] = [
      ("flicker", \.flicker), ("order", \.order), ("wording", \.wording),
      ("coach-turn", \.coachTurn), ("invent", \.invent), ("garble", \.garble),
    ]

    package init(
      flicker: Double = 0, order: Double = 0, wording: Double = 0, coachTurn: Double = 0,
      invent: Double = 0, garble: Double = 0
    ) {
      (self.flicker, self.order, self.wording) = (flicker, order, wording)
      (self.coachTurn, self.invent, self.garble) = (coachTurn, invent, garble)
    }

    /// Reads `careless`, `steady`, or a list such as `flicker=10%,invent=5%`.
    package init?(_ text: String) {
      if text == "careless" {
        self = .careless
        return
      }
      self.init()
      guard text != "steady" else { return }
      for part in text.split(separator: ",", omittingEmptySubsequences: false) {
        let sides = part.split(separator: "=")
        guard sides.count == 2, let name = Self.names.first(where: { $0.0 == sides[0] }),
          sides[1].hasSuffix("%"), let percent = Double(sides[1].dropLast()),
          (0...100).contains(percent)
        else { return nil }
        self[keyPath: name.1] = percent / 100
      }
    }
  }

  package static let modelName = "careless-judge"

  private let habits: Habits
  /// How often each request came.
  private let seen = Mutex<[String: Int]>([:])

  package init(_ habits: Habits) { self.habits = habits }

  package var names: [String] { [] }
  package var models: [String] { [Self.modelName] }
  package func contains(_ name: String) -> Bool { false }

  package func answer(
    _ content: RequestContent, format: WireFormat, from name: String?
  ) -> RecordedAnswer? {
    guard content.model == Self.modelName, let document = content.document,
      content.structure?.split(separator: ",").contains("evidence") == true
    else { return nil }
    let digest = Fingerprint.of([content.system] + content.messages.map(\.text))
    let count = seen.withLock { seen in
      seen[digest, default: 0] += 1
      return seen[digest, default: 0]
    }
    let answer = JudgedAnswer(
      habits: habits, digest: digest, count: count, prompt: content.system, document: document)
    var response = RecordedResponse(content: .answer(ModelAnswer(.json(answer.json))))
    response.count(content)
    return RecordedAnswer(
      name: "\(Self.modelName) \(digest)", index: count - 1,
      exchange: Exchange(purpose: .score, response: response))
  }
}

/// The answer to one request.
private struct JudgedAnswer {
  let habits: CarelessJudge.Habits
  let digest: String
  let count: Int
  let prompt: String
  let document: JSONValue

  private struct Claim {
    var facet: Facet
    var turn: Int
    var quote: String

    var json: JSONValue {
      .members(["facet": facet.description, "turn": turn, "quote": quote, "about": "self"])
    }
  }

  var json: JSONValue {
    let transcript = transcript
    let ledger = OfflineScorer().ledger(of: transcript)
    let said = Fingerprint.of(transcript.userTurns)
    let heard = Fingerprint.of(transcript.messages.filter { $0.speaker == .coach }.map(\.text))
    var claims: [Claim] = []
    for facet in OfflineScorer.facets {
      guard let stretch = ledger.latestStretch(of: facet), stretch.until == nil else { continue }
      let claim = Claim(facet: facet, turn: stretch.evidence.turn, quote: stretch.evidence.text)
      func happens(_ share: Double, _ name: String, _ seeds: String...) -> Bool {
        Self.chance([name, facet.description] + seeds) < share
      }
      if happens(habits.invent, "invent", digest), let invented = invented(from: claim, ledger) {
        claims.append(invented)
      }
      if happens(habits.flicker, "flicker", digest, "\(count)")
        || happens(habits.order, "order", prompt) || happens(habits.wording, "wording", said)
        || happens(habits.coachTurn, "coach-turn", heard)
      {
        continue
      }
      claims.append(happens(habits.garble, "garble", digest) ? garbled(claim) : claim)
    }
    return [
      "evidence": .array(claims.map(\.json)), "retracted": [], "stated": [],
      "care": ["kind": "none", "quote": ""],
    ]
  }

  private var transcript: Transcript {
    Transcript(
      (document["conversation"]?.arrayValue ?? []).compactMap { message in
        if let said = message["user"]?.stringValue { return .init(.user, said) }
        return message["coach"]?.stringValue.map { .init(.coach, $0) }
      })
  }

  /// The words in reverse order, which nobody said, as evidence for something unknown.
  private func invented(from claim: Claim, _ ledger: Ledger) -> Claim? {
    let words = claim.quote.split(separator: " ")
    guard words.count > 2,
      let facet = OfflineScorer.facets.first(where: { !ledger.known.contains($0) })
    else { return nil }
    return Claim(facet: facet, turn: claim.turn, quote: words.reversed().joined(separator: " "))
  }

  /// Two letters of the longest word change places.
  private func garbled(_ claim: Claim) -> Claim {
    var words = claim.quote.split(separator: " ").map(String.init)
    guard let longest = words.indices.max(by: { words[$0].count < words[$1].count }),
      words[longest].count > 4
    else { return claim }
    var letters = Array(words[longest])
    letters.swapAt(2, 3)
    words[longest] = String(letters)
    var garbled = claim
    garbled.quote = words.joined(separator: " ")
    return garbled
  }

  /// A number from 0 to 1 that looks random, the same for the same texts.
  private static func chance(_ texts: [String]) -> Double {
    var digest = UInt64(Fingerprint.of(texts), radix: 16) ?? 0
    // Texts that differ in their last letter have digests that differ in their last bits.
    digest = (digest ^ (digest >> 30)) &* 0xBF58_476D_1CE4_E5B9
    digest = (digest ^ (digest >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double(digest >> 11) / Double(UInt64(1) << 53)
  }
}
