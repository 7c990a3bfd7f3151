package import ContextQuality
import IncrementalJSON
import Signals

/// A scoring model's claims, before any check.
package struct ScorerAnswer: Hashable, Sendable {
  package struct Claim: Hashable, Sendable {
    package var facet: Facet
    package var turn: Int
    package var quote: String
    /// The scorer says it is about another person.
    package var isAboutOther = false
    package var mark: Evidence.Mark?
    /// The earlier words that these correct or take back; nil if the scorer names none.
    package var of: String?

    package init(facet: Facet, turn: Int, quote: String, of: String? = nil) {
      (self.facet, self.turn, self.quote, self.of) = (facet, turn, quote, of)
    }
  }

  /// A place where users state their age, height or weight. The scorer finds it; code converts.
  struct Statement: Hashable, Sendable {
    enum Subject: Hashable, Sendable {
      case age
      case body(MeasureUnit)
    }

    var subject: Subject
    /// As written in the quote: two for "5'11".
    var numbers: [Double]
    var turn: Int
    var quote: String
  }

  package var evidence: [Claim] = []
  package var retracted: [Claim] = []
  var stated: [Statement] = []
  var care: CareClaim?
  /// What the turns do; nil if the answer does not say.
  package var acts: [Act]?
  /// What it makes of the person.
  var person = PersonClaims()
  /// The answer as it came, for other modules' members.
  private(set) var root = JSONValue.null
  /// Counts of unreadable items, by reason.
  package var dropped: [String: Int] = [:]

  /// Why the whole answer is unusable.
  package struct Unusable: Error, Hashable, Sendable {
    package var reason: String
  }

  /// The most items to read. A ledger has at most one per facet and turn.
  package static let mostItems = 2_000

  package init() {}

  /// Reads `{"acts":[{"act","what","turn","quote"}],"evidence":[{"facet","turn","quote","mark","corrects"}],
  /// "stated":[{"what","numbers","unit","turn","quote"}],"care":{"kind","quote"}}`. Older recordings have what is
  /// taken back under `retracted`, and whose life it is under `about`.
  ///
  /// It ignores scores, flags and anything else the model adds. It drops and counts unreadable
  /// items and keeps the rest.
  package init(parsing text: String, newestTurn: Int) throws(Unusable) {
    guard let object = JSONExtraction(from: text, having: ["evidence"]).object else {
      throw Unusable(reason: "the answer holds no whole JSON object")
    }
    let root = JSONValue.object(object)
    self.root = root
    guard let items = root["evidence"]?.arrayValue else {
      throw Unusable(reason: "`evidence` must be an array")
    }
    guard items.count <= Self.mostItems else {
      throw Unusable(reason: "`evidence` has \(items.count) items, more than \(Self.mostItems)")
    }
    let (gone, told) = (items.filter(Self.isGone), items.filter { !Self.isGone($0) })
    evidence = claims(told)
    retracted = claims(gone + Self.items(root["retracted"]))
    stated = statements(Self.items(root["stated"]))
    care = Self.care(root["care"], newestTurn: newestTurn)
    if let items = root["acts"]?.arrayValue { acts = acts(Array(items.prefix(Self.mostItems))) }
    person = PersonClaims(root)
  }

  private mutating func acts(_ items: [JSONValue]) -> [Act] {
    items.compactMap { item in
      guard let name = item["act"]?.stringValue.flatMap({ Act.Name(rawValue: $0) }) else {
        return drop("act")
      }
      guard let turn = item["turn"]?.intValue else { return drop("turn") }
      guard let quote = item["quote"]?.stringValue else { return drop("quote") }
      let what = item["what"]?.stringValue ?? ""
      return Act(
        name, turn: turn, quote: quote,
        about: name == .asks ? Act.Subject(rawValue: what) : nil,
        facet: name == .declines ? Facet(what) : nil)
    }
  }

  private static func items(_ value: JSONValue?) -> [JSONValue] {
    Array((value?.arrayValue ?? []).prefix(mostItems))
  }

  private mutating func claims(_ items: [JSONValue]) -> [Claim] {
    items.compactMap { item in
      guard let facet = item["facet"]?.stringValue.flatMap({ Facet($0) }) else {
        return drop("facet")
      }
      guard let turn = item["turn"]?.intValue else { return drop("turn") }
      guard let quote = item["quote"]?.stringValue else { return drop("quote") }
      var claim = Claim(facet: facet, turn: turn, quote: quote)
      claim.isAboutOther = [item["mark"], item["about"]].contains { $0?.stringValue == Self.other }
      claim.mark = item["mark"]?.stringValue.flatMap { Self.marks[$0] }
      claim.of = item["corrects"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
      return claim
    }
  }

  private static let (other, gone) = ("other", "gone")

  private static func isGone(_ item: JSONValue) -> Bool { item["mark"]?.stringValue == gone }

  /// The marks that a scorer can set, by name.
  private static let marks = Dictionary(
    uniqueKeysWithValues: Evidence.Mark.allCases.filter { $0 != .provisional }
      .map { ($0.rawValue, $0) })
  static let noMark = "none"
  static var markNames: [String] {
    [noMark] + Evidence.Mark.allCases.map(\.rawValue).filter { marks[$0] != nil } + [other, gone]
  }

  private mutating func statements(_ items: [JSONValue]) -> [Statement] {
    items.compactMap { item in
      guard let subject = Self.subject(item) else { return drop("what or unit") }
      guard let turn = item["turn"]?.intValue else { return drop("turn") }
      guard let quote = item["quote"]?.stringValue else { return drop("quote") }
      let numbers = (item["numbers"]?.arrayValue ?? []).compactMap(\.doubleValue)
      return Statement(subject: subject, numbers: numbers, turn: turn, quote: quote)
    }
  }

  static let age = "age"

  private static func subject(_ item: JSONValue) -> Statement.Subject? {
    guard let what = item["what"]?.stringValue else { return nil }
    if what == age { return .age }
    let unit = item["unit"]?.stringValue.flatMap { MeasureUnit(rawValue: $0) }
    return unit.flatMap { $0.kind.rawValue == what ? .body($0) : nil }
  }

  private mutating func drop<Item>(_ field: String) -> Item? {
    dropped["\(field) missing or of the wrong type", default: 0] += 1
    return nil
  }

  private static let noCare = "none"
  /// Between none and a crisis. The coach answers it in its own words, not with a fixed text.
  static let lowMoment = "low"

  /// Reads `{"kind":"crisis","quote":"…"}`, and `"crisis"` without its words; nil for none. Care without
  /// a turn is for the newest one, and the pack decides later which kinds it knows.
  private static func care(_ value: JSONValue?, newestTurn: Int) -> CareClaim? {
    let name = value?.stringValue ?? value?["kind"]?.stringValue
    guard let name, name != noCare else { return nil }
    return CareClaim(
      name: name, turn: value?["turn"]?.intValue ?? newestTurn,
      quote: value?["quote"]?.stringValue ?? "")
  }
}

/// What a reading says of care, before any check.
struct CareClaim: Hashable, Sendable {
  var name: String
  var turn: Int
  /// The words that need it; empty if it does not say.
  var quote: String

  /// These count whatever the quote: missing one is worse than answering one too many.
  var isUrgent: Bool { [CareKind.emergency, .crisis].map(\.rawValue).contains(name) }

  func mark(turn: Int) -> CareMark {
    name == CareStep.minorChild
      ? CareMark(kind: .minor, turn: turn, name: name)
      : CareMark(kind: CareKind(rawValue: name), turn: turn)
  }
}
