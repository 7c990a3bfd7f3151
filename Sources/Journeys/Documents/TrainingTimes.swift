import ContextQuality
import Signals

/// Reads when somebody can train: the days that they name or rule out and the hours, clause by clause.
struct TrainingTimes: Sendable {
  typealias Day = TrainingProgram.Day

  private(set) var named: Set<Day> = []
  private(set) var denied: Set<Day> = []
  /// The parts of the day that are named beside the days.
  private(set) var parts: [DocumentRules.PartOfDay] = []
  private var times: [Day: Hour] = [:]
  private var general: Hour?
  private let rules: DocumentRules

  /// "At seven" overrides "in the evening".
  private struct Hour {
    var time: String
    var isExact: Bool
  }

  init(_ texts: [String], _ rules: DocumentRules) {
    self.rules = rules
    for sentence in texts.flatMap({ rules.clauses(of: $0) }) {
      readDays(sentence)
      readHours(sentence)
    }
    named.subtract(denied)
  }

  /// When to train on a day; nil if it's open.
  func time(on day: Day) -> String? {
    if let time = times[day] ?? general { return time.time }
    let all = Set(times.values.map(\.time))
    return all.count == 1 ? all.first : nil
  }

  var tellsTime: Bool { general != nil || !times.isEmpty }
}

// Days.
extension TrainingTimes {
  private mutating func readDays(_ sentence: [Clause]) {
    let tellsElsewhere = sentence.contains { clause in
      !clause.isReason && !rules.days(in: clause.words).isEmpty
    }
    for clause in sentence {
      for mention in rules.days(in: clause.words) {
        let isSuited = rules.isSuited(mention.place, in: clause.words)
        if !isSuited, clause.isReason && tellsElsewhere || rules.isBusy(mention, clause.words) {
          continue
        }
        if !isSuited,
          rules.isDenied(mention.place, in: clause.words)
            || rules.isRuledOut(mention.place, in: clause.words)
        {
          denied.formUnion(mention.days)
        } else {
          named.formUnion(mention.days)
        }
      }
    }
  }
}

// Hours.
extension TrainingTimes {
  private mutating func readHours(_ sentence: [Clause]) {
    let words = sentence.flatMap(\.words)
    var (start, waiting, last) = (0, Set<Day>(), Set<Day>())
    let segments = sentence.flatMap { $0.segments(rules) }
    for (index, segment) in segments.enumerated() {
      defer { start += segment.count }
      let mentions = rules.days(in: segment)
      guard !mentions.contains(where: { rules.isBusy($0, segment) }),
        !rules.isBusy(segment) || !mentions.isEmpty
      else { continue }
      let days = Set(mentions.flatMap(\.days))
      func isBeside(_ place: Range<Int>) -> Bool {
        rules.isBesideDays(place.lowerBound + start..<place.upperBound + start, in: words)
      }
      let part = rules.partsOfDay.filter { part in
        part.said.places(in: segment).contains {
          isBeside($0) && !rules.isDenied($0, in: segment)
        }
      }
      for part in part where !parts.contains(where: { $0.name == part.name }) {
        parts.append(part)
      }
      // "At 7, in the evening": what stands beside it says which seven.
      let around = [segments[max(0, index - 1)], segments[min(segments.count - 1, index + 1)]]
        .filter { days.isEmpty || rules.days(in: $0).isEmpty }
      let exact = rules.timePlaces(in: segment).first(where: isBeside).flatMap {
        rules.time(at: $0, in: segment, said: segment + around.flatMap(\.self))
      }
      let hour =
        exact.map { Hour(time: $0, isExact: true) }
        ?? part.first.map { Hour(time: ClockRange.text($0.usual), isExact: false) }
      guard let hour else {
        waiting.formUnion(days)
        continue
      }
      let meant = days.isEmpty ? (waiting.isEmpty ? last : waiting) : waiting.union(days)
      if meant.isEmpty { general = general.flatMap { $0.isExact ? $0 : nil } ?? hour }
      for day in meant where times[day] == nil || hour.isExact && times[day]?.isExact == false {
        times[day] = hour
      }
      (waiting, last) = ([], meant)
    }
  }
}

/// Part of a sentence, up to a comma or a "so".
struct Clause: Sendable {
  var words: [String]
  /// It says why: "because I work on Monday", or what stands before a "so".
  var isReason = false

  /// "Saturday at 10" and "Sunday at 4", which have an "and" between them.
  fileprivate func segments(_ rules: DocumentRules) -> [[String]] {
    var segments: [[String]] = []
    var start = 0
    let ands = rules.edits["and"]?.places(in: words) ?? []
    for place in ands.sorted(by: { $0.lowerBound < $1.lowerBound })
    where place.lowerBound > start {
      let left = Array(words[start..<place.lowerBound])
      let right = Array(words[place.upperBound...])
      guard [left, right].allSatisfy({ rules.tellsHour($0) && !rules.days(in: $0).isEmpty })
      else { continue }
      // The "and" stays, so that places can be counted on.
      segments.append(Array(words[start..<place.upperBound]))
      start = place.upperBound
    }
    return segments + [Array(words[start...])]
  }
}

// Clauses.
extension DocumentRules {
  struct Mention {
    var place: Range<Int>
    var days: Set<TrainingProgram.Day>
  }

  /// The clauses of each sentence.
  func clauses(of text: String) -> [[Clause]] {
    var sentences: [[Clause]] = []
    let text = ClockRange.settled(dashed(text))
    for sentence in Self.parts(of: text[...], at: ".!?;\n") {
      var clauses: [Clause] = []
      for part in Self.parts(of: sentence, at: ",") {
        add(Words(String(part)).all, to: &clauses, &sentences)
      }
      sentences.append(listed(clauses))
    }
    return sentences
  }

  /// Cut at marks, but not within "2,000" or "7.5".
  private static func parts(of text: Substring, at marks: String) -> [Substring] {
    text.split(whereSeparator: marks.contains).reduce(into: []) { parts, part in
      if let last = parts.last, last.last?.isNumber == true, part.first?.isNumber == true {
        parts[parts.count - 1] = text[last.startIndex..<part.endIndex]
      } else {
        parts.append(part)
      }
    }
  }

  private func add(_ words: [String], to clauses: inout [Clause], _ earlier: inout [[Clause]]) {
    let ors = places("or", in: words).map(\.upperBound)
    let turns =
      places("so", in: words).filter { !ors.contains($0.lowerBound) }.map { ($0, false) }
      + places("because", in: words).map { ($0, true) }
    var (start, isReason) = (0, clauses.last?.isReason ?? false)
    if !clauses.contains(where: \.isReason) { isReason = false }
    for (place, isBecause) in turns.sorted(by: { $0.0.lowerBound < $1.0.lowerBound }) {
      if place.lowerBound > start {
        clauses.append(Clause(words: Array(words[start..<place.lowerBound]), isReason: isReason))
      }
      if !isBecause {
        for index in clauses.indices { clauses[index].isReason = true }
        if clauses.isEmpty, let last = earlier.indices.last {
          // "I work Monday to Friday. So weekends."
          clauses = earlier.remove(at: last).map { Clause(words: $0.words, isReason: true) }
        }
      }
      (start, isReason) = (place.upperBound, isBecause)
    }
    if start < words.count {
      clauses.append(Clause(words: Array(words[start...]), isReason: isReason))
    }
  }

  /// "Not on Monday, Tuesday or Friday" is one clause.
  private func listed(_ clauses: [Clause]) -> [Clause] {
    var result: [Clause] = []
    for (index, clause) in clauses.enumerated() {
      guard let last = result.last, last.isReason == clause.isReason,
        denied.match(last.words) || !places("exception", in: last.words).isEmpty,
        isList(clause.words),
        clauses[index...].prefix(while: { isList($0.words) })
          .contains(where: { !places("or", in: $0.words).isEmpty })
      else {
        result.append(clause)
        continue
      }
      result[result.count - 1].words += clause.words
    }
    return result
  }

  private func isList(_ words: [String]) -> Bool {
    words.count <= 4 && !denied.match(words) && places("turn", in: words).isEmpty
  }

  /// "Mon-Fri" is "Mon to Fri".
  private func dashed(_ text: String) -> String {
    guard let to = rangeWord else { return text }
    return text.replacing(/(\p{L}+)\.?\s*[-–—]\s*(?=(\p{L}+))/) { match in
      [match.output.1, match.output.2].allSatisfy { isDay(String($0)) }
        ? "\(match.output.1) \(to) " : String(match.output.0)
    }
  }

  private func isDay(_ word: String) -> Bool {
    days.contains { $0.phrases.match([word.lowercased()]) }
  }

  func places(_ name: String, in words: [String]) -> [Range<Int>] {
    clausePhrases[name]?.places(in: words) ?? []
  }
}

// What a clause says of a place in it.
extension DocumentRules {
  /// The days that are named, in order; "Monday to Friday" is one mention.
  func days(in words: [String]) -> [Mention] {
    var mentions: [Mention] = []
    for (day, phrases) in days {
      for place in phrases.places(in: words) {
        if let index = mentions.firstIndex(where: { $0.place == place }) {
          mentions[index].days.insert(day)
        } else {
          mentions.append(Mention(place: place, days: [day]))
        }
      }
    }
    mentions.sort { $0.place.lowerBound < $1.place.lowerBound }
    let ranges = places("range", in: words)
    return mentions.reduce(into: []) { result, mention in
      guard let first = result.last, let from = first.days.first, let to = mention.days.first,
        first.days.count == 1, mention.days.count == 1,
        ranges.contains(first.place.upperBound..<mention.place.lowerBound)
      else { return result.append(mention) }
      let all = TrainingProgram.Day.allCases
      let length = (to.number - from.number + all.count) % all.count
      result[result.count - 1] = Mention(
        place: first.place.lowerBound..<mention.place.upperBound,
        days: Set((0...length).map { all[(from.number - 1 + $0) % all.count] }))
    }
  }

  private static let reach = 3

  /// Whether a "not" or an "except" stands before it: "any day but Sunday", but not "not before 9 on Sunday".
  func isDenied(_ place: Range<Int>, in words: [String]) -> Bool {
    enum Marker { case not, except, but, turn }
    let markers =
      denied.places(in: words).map { ($0, Marker.not) }
      + places("exception", in: words).map { ($0, .except) }
      + places("but", in: words).map { ($0, .but) } + places("turn", in: words).map { ($0, .turn) }
    let before = markers.filter { $0.0.upperBound <= place.lowerBound }
    guard let (marker, kind) = before.max(by: { $0.0.upperBound < $1.0.upperBound }) else {
      return false
    }
    let known = listPlaces(in: words)
    let between = (marker.upperBound..<place.lowerBound).filter { !known.contains($0) }
    guard between.count <= Self.reach else { return false }
    // "No day except Sunday" means Sunday.
    let isDenied = before.contains { $0.1 == .not && $0.0.upperBound <= marker.lowerBound }
    return switch kind {
    case .not: true
    case .turn: false
    case .except: !isDenied
    case .but:
      !isDenied
        && places("universal", in: words).contains {
          (0..<Self.reach).contains(marker.lowerBound - $0.upperBound)
        }
    }
  }

  /// Whether what follows the days says so: "weekends are out", "Monday doesn't work".
  fileprivate func isRuledOut(_ place: Range<Int>, in words: [String]) -> Bool {
    places("ruledOut", in: words).contains { $0.lowerBound == listEnd(place, in: words) }
  }

  /// "Monday and Wednesday work", "I'm off on Friday".
  fileprivate func isSuited(_ place: Range<Int>, in words: [String]) -> Bool {
    !places("free", in: words).isEmpty
      || places("suits", in: words).contains { $0.lowerBound == listEnd(place, in: words) }
  }

  /// Whether the days are those of something else: "the kids have soccer on Saturday".
  fileprivate func isBusy(_ mention: Mention, _ words: [String]) -> Bool {
    isBusy(words) && !isOffered(mention.place, in: words) && !isRuledOut(mention.place, in: words)
      && !isSuited(mention.place, in: words)
  }

  /// "I work nine to five and could train on Tuesday".
  private func isOffered(_ place: Range<Int>, in words: [String]) -> Bool {
    let offers = places("offer", in: words).map(\.upperBound).filter { $0 <= place.lowerBound }
    guard let offer = offers.max() else { return false }
    return !busy.places(in: words).contains { (offer..<place.lowerBound).contains($0.lowerBound) }
  }

  fileprivate func isBusy(_ words: [String]) -> Bool {
    let asides = places("aside", in: words)
    return busy.places(in: words).contains { cue in
      !asides.contains { (0...Self.reach + 1).contains(cue.lowerBound - $0.upperBound) }
    }
  }

  private func listEnd(_ place: Range<Int>, in words: [String]) -> Int {
    let known = listPlaces(in: words)
    return words.indices.first { $0 >= place.upperBound && !known.contains($0) } ?? words.count
  }

  /// Days, parts of them, and the words between them.
  private func listPlaces(in words: [String]) -> Set<Int> {
    let places =
      days(in: words).map(\.place) + partsOfDay.flatMap { $0.said.places(in: words) }
      + (edits["and"]?.places(in: words) ?? [])
    return Set(places.flatMap { Array($0) })
  }

  fileprivate func tellsHour(_ words: [String]) -> Bool {
    !timePlaces(in: words).isEmpty || partsOfDay.contains { $0.said.match(words) }
  }
}
