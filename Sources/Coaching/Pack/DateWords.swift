import ContextQuality
import HealthRecords
import IncrementalJSON

/// The words that the days of goals are read by, from a pack's `coaching/dates.json`.
struct DateWords: Sendable {
  enum Span: String, CaseIterable { case day, week, month, year }

  /// A day that comes every year.
  enum Feast: Hashable, Sendable {
    case fixed(month: Int, day: Int)
    /// Days after Easter Sunday.
    case easter(Int)

    /// `12-25`, `easter` or `easter+49`.
    init?(_ text: String) {
      if let rest = text.split(separator: "easter", omittingEmptySubsequences: false).last,
        text.hasPrefix("easter")
      {
        guard let days = rest.isEmpty ? 0 : Int(rest) else { return nil }
        self = .easter(days)
        return
      }
      let parts = text.split(separator: "-").compactMap { Int($0) }
      guard parts.count == 2, Day(year: 2000, month: parts[0], day: parts[1]) != nil else {
        return nil
      }
      self = .fixed(month: parts[0], day: parts[1])
    }

    func day(in year: Int) -> Day? {
      switch self {
      case .fixed(let month, let day): Day(year: year, month: month, day: day)
      case .easter(let days): Self.easter(year).map { $0 + days }
      }
    }

    /// Easter Sunday (J. Meeus, Astronomical Algorithms, chapter 8).
    private static func easter(_ year: Int) -> Day? {
      let (golden, century, rest) = (year % 19, year / 100, year % 100)
      let moon =
        (19 * golden + century - century / 4 - (century - (century + 8) / 25 + 1) / 3 + 15) % 30
      let sunday = (32 + 2 * (century % 4) + 2 * (rest / 4) - moon - rest % 4) % 7
      let shift = (golden + 11 * moon + 22 * sunday) / 451
      let sum = moon + sunday - 7 * shift + 114
      return Day(year: year, month: sum / 31, day: sum % 31 + 1)
    }
  }

  /// What may stand inside a date: "the 3rd of March".
  let fillers: Set<String>
  /// Before a day: "by".
  let until: WordLists
  /// Before a span: "in 8 weeks".
  let within: WordLists
  /// What only looks like a month: "I may".
  let notMonths: WordLists
  let spans: [String: Span]
  /// The day of a month that a part of it means: 15 of "mid March".
  let monthParts: [String: Int]
  /// The longest names first.
  let feasts: [(name: [String], feast: Feast)]

  init(_ document: PackDocument) throws(PackError) {
    let root = document.root
    try document.checkKeys(
      of: root, ["until", "within", "spans", "fillers", "monthParts", "feasts", "notMonths"])
    fillers = Set(try document.texts(root, "fillers"))
    until = WordLists(try document.texts(root, "until"))
    within = WordLists(try document.texts(root, "within"))
    notMonths = WordLists(try document.texts(root, "notMonths"))
    func named<Name>(
      _ key: String, _ expected: String, _ read: (String) -> Name?
    ) throws(PackError) -> [(word: String, name: Name)] {
      var words: [(word: String, name: Name)] = []
      for (text, value) in try document.object(root, key) {
        guard let name = read(text) else {
          throw document.wrong("\(key): expected \(expected), found \(text)")
        }
        words += (value.arrayValue ?? []).compactMap(\.stringValue).map { ($0, name) }
      }
      return words
    }
    spans = Dictionary(
      try named("spans", "day, week, month or year") { Span(rawValue: $0) },
      uniquingKeysWith: { $1 })
    monthParts = Dictionary(
      try named("monthParts", "days of a month") {
        Int($0).flatMap { (1...31).contains($0) ? $0 : nil }
      }, uniquingKeysWith: { $1 })
    feasts = try named("feasts", "days such as 12-25 or easter+49") { Feast($0) }
      .map { (name: PlainWords.split($0.word), feast: $0.name) }
      .sorted { $0.name.count > $1.name.count }
  }
}
