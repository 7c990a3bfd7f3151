package import ContextQuality
import IncrementalJSON
import Signals

/// What a scoring model claimed, before any of it is believed.
package struct ScorerAnswer: Hashable, Sendable {
  package struct Claim: Hashable, Sendable {
    package var facet: Facet
    package var turn: Int
    package var quote: String

    package init(facet: Facet, turn: Int, quote: String) {
      (self.facet, self.turn, self.quote) = (facet, turn, quote)
    }
  }

  package var evidence: [Claim] = []
  package var retracted: [Claim] = []
  package var care: CareMark?
  /// Items that could not be read, by reason.
  package var dropped: [String: Int] = [:]

  /// Why an answer as a whole is no answer.
  package struct Unusable: Error, Hashable, Sendable {
    package var reason: String
  }

  /// The most items that are looked at; a ledger has one for each facet and turn at most.
  package static let mostItems = 2_000

  package init() {}

  /// Reads `{"evidence":[{"facet","turn","quote"}],"retracted":[…],"care":…}`.
  ///
  /// Scores, flags and anything else the model adds are not read. An item that cannot be read is
  /// dropped and counted; the others stay.
  package init(parsing text: String, newestTurn: Int) throws(Unusable) {
    guard let object = JSONExtraction(from: text).object else {
      throw Unusable(reason: "the answer holds no whole JSON object")
    }
    let root = JSONValue.object(object)
    guard let items = root["evidence"]?.arrayValue else {
      throw Unusable(reason: "`evidence` must be an array")
    }
    guard items.count <= Self.mostItems else {
      throw Unusable(reason: "`evidence` has \(items.count) items, more than \(Self.mostItems)")
    }
    evidence = claims(items)
    retracted = claims(Array((root["retracted"]?.arrayValue ?? []).prefix(Self.mostItems)))
    care = Self.care(root["care"], newestTurn: newestTurn)
  }

  private mutating func claims(_ items: [JSONValue]) -> [Claim] {
    items.compactMap { item in
      guard let facet = item["facet"]?.stringValue.flatMap({ Facet($0) }) else {
        return drop("facet")
      }
      guard let turn = item["turn"]?.intValue else { return drop("turn") }
      guard let quote = item["quote"]?.stringValue else { return drop("quote") }
      return Claim(facet: facet, turn: turn, quote: quote)
    }
  }

  private mutating func drop(_ field: String) -> Claim? {
    dropped["\(field) missing or of the wrong type", default: 0] += 1
    return nil
  }

  private static let noCare = "none"

  /// `"crisis"`, or `{"kind":"crisis","turn":2}`; `null`, `"none"` and the unknown are none.
  private static func care(_ value: JSONValue?, newestTurn: Int) -> CareMark? {
    let name = value?.stringValue ?? value?["kind"]?.stringValue
    if name == CareStep.minorChild {
      return CareMark(kind: .minor, turn: newestTurn, name: CareStep.minorChild)
    }
    guard let name, name != noCare else { return nil }
    return CareMark(kind: CareKind(rawValue: name), turn: newestTurn)
  }
}
