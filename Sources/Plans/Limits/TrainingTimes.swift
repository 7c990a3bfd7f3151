import Signals

/// The days and hours that stand in what somebody said of when they can train.
///
/// What a sentence denies is not told apart: from the part with a "not" on, its days are only left alone.
struct TrainingTimes: Sendable {
  typealias Day = TrainingProgram.Day

  private(set) var named: Set<Day> = []
  /// Days beside a "not" or an "except": the template plans nothing on them.
  private(set) var unsure: Set<Day> = []
  /// The parts of the day that are named.
  private(set) var parts: [DocumentRules.PartOfDay] = []
  private var times: [Day: String] = [:]
  private var general: String?

  init(_ texts: [String], _ rules: DocumentRules) {
    for sentence in texts.flatMap({ rules.sentences(of: $0) }) {
      let isSaid = sentence.prefix { !$0.isException && !rules.denied.match($0.words) }
      for part in sentence.dropFirst(isSaid.count) {
        unsure.formUnion(rules.days(in: part.words).flatMap(\.days))
      }
      read(isSaid.flatMap(\.words), rules)
    }
    named.subtract(unsure)
  }

  /// When to train on a day; nil if it is open.
  func time(on day: Day) -> String? {
    if let time = times[day] ?? general { return time }
    let all = Set(times.values)
    return all.count == 1 ? all.first : nil
  }

  /// Hours go with the days before them, or with those behind if the first hour comes first.
  private mutating func read(_ words: [String], _ rules: DocumentRules) {
    let mentions = rules.days(in: words)
    named.formUnion(mentions.flatMap(\.days))
    let hours = readHours(words, mentions, rules)
    guard let first = hours.first else { return }
    guard let firstDay = mentions.first else {
      general = general ?? first.time
      return
    }
    let comesFirst = first.place < firstDay.place.lowerBound
    for mention in mentions {
      let place = mention.place.lowerBound
      let hour = comesFirst ? hours.last { $0.place < place } : hours.first { $0.place > place }
      for day in mention.days where times[day] == nil { times[day] = hour?.time }
    }
  }

  private mutating func readHours(
    _ words: [String], _ mentions: [DocumentRules.Mention], _ rules: DocumentRules
  ) -> [(place: Int, time: String)] {
    var spoken = rules.partsOfDay.flatMap { part in
      part.said.places(in: words).map { (place: $0, part: part) }
    }.sorted { $0.place.lowerBound < $1.place.lowerBound }
    for (_, part) in spoken where !parts.contains(where: { $0.name == part.name }) {
      parts.append(part)
    }
    var hours: [(place: Int, time: String)] = []
    for place in rules.times(in: words) {
      // "At 7 in the evening": a part of the day says which seven, unless it's that of another day.
      let near = spoken.indices.filter { index in
        let part = spoken[index].place
        let gap = max(part.lowerBound - place.upperBound, place.lowerBound - part.upperBound)
        return gap <= Self.reach
          && !mentions.contains {
            (part.upperBound...max(part.upperBound, place.lowerBound)).contains($0.place.lowerBound)
          }
      }
      guard let time = rules.time(at: place, in: words, near: near.map { spoken[$0].part }) else {
        continue
      }
      for index in near.reversed() { spoken.remove(at: index) }
      hours.append((place.lowerBound, time))
    }
    hours += spoken.map { ($0.place.lowerBound, ClockRange.text($0.part.usual)) }
    return hours.sorted { $0.place < $1.place }
  }

  private static let reach = 4
}

// What stands in words.
extension DocumentRules {
  struct Part {
    var words: [String]
    /// What stands before it in the sentence does not hold for it.
    var isException: Bool
  }
  struct Mention {
    var place: Range<Int>
    var days: Set<TrainingProgram.Day>
  }

  /// The sentences of a text, cut at commas and exceptions.
  func sentences(of text: String) -> [[Part]] {
    let words = Words(ClockRange.settled(dashed(text)))
    return zip(words.sentences, words.pauses).map { sentence, pauses in
      let turns = Set(exceptions.places(in: sentence).map(\.lowerBound))
      let cuts = ([0] + pauses + turns).filter { $0 < sentence.count }
      let starts = Set(cuts).sorted()
      return zip(starts, starts.dropFirst() + [sentence.count]).map { start, end in
        Part(words: Array(sentence[start..<end]), isException: turns.contains(start))
      }
    }
  }

  /// "Mon-Fri" is "Mon to Fri".
  private func dashed(_ text: String) -> String {
    text.replacing(/(\p{L}+)\.?\s*[-–—]\s*(?=(\p{L}+))/) { match in
      let isRange = [match.output.1, match.output.2].allSatisfy { word in
        days.contains { $0.phrases.match(String(word)) }
      }
      return isRange ? "\(match.output.1) to " : String(match.output.0)
    }
  }

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
    let ranges = ranges.places(in: words)
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

  /// Whether a text names days, how many of them, hours or lengths of time.
  func tellsTimes(_ text: String) -> Bool {
    ([perWeek, once, twice, daily] + days.map(\.phrases) + Array(times.values))
      .contains { $0.match(text) }
  }

  /// How long a session is: "40 minutes", "half an hour".
  func minutes(in words: [String]) -> Int? {
    if let place = times["minutes"]?.places(in: words).first {
      return PhrasePattern.value(words[place.lowerBound]).map { Int(min($0.rounded(), 100_000)) }
    }
    if times["halfHour"]?.match(words) == true { return 30 }
    return times["hour"]?.match(words) == true ? 60 : nil
  }

  fileprivate func times(in words: [String]) -> [Range<Int>] {
    (times["time"]?.places(in: words) ?? []).sorted { $0.lowerBound < $1.lowerBound }
      .reduce(into: []) { kept, place in
        if kept.last?.overlaps(place) != true { kept.append(place) }
      }
  }

  /// - Parameter parts: The parts of the day that stand beside it.
  fileprivate func time(
    at place: Range<Int>, in words: [String], near parts: [PartOfDay]
  ) -> String? {
    if times["noon"]?.match(Array(words[place])) == true { return ClockRange.text(12 * 60) }
    let numbers = words[place.lowerBound...].prefix(place.count + 1).map(PhrasePattern.value)
    guard let start = numbers.firstIndex(where: { $0 != nil }), let hour = numbers[start],
      (0..<24).contains(hour)
    else { return nil }
    // "At 6, 30 minutes" is six o'clock.
    let lengths = times["minutes"]?.places(in: words).map(\.lowerBound) ?? []
    guard !lengths.contains(place.lowerBound + start) else { return nil }
    let isLength = lengths.contains(place.lowerBound + start + 1)
    let behind = isLength ? nil : numbers[(start + 1)...].first
    let minute = behind.flatMap(\.self).flatMap { (0..<60).contains($0) ? Int($0) : nil } ?? 0
    let next = words[(place.lowerBound + start + 1)...].prefix(2)
    let half = next.first { $0 == "am" || $0 == "pm" }
    var time = Int(hour) * 60 + minute
    let noon = 12 * 60
    if let half {
      time = time % noon + (half == "pm" ? noon : 0)
    } else if time < noon, !parts.isEmpty, !parts.contains(where: { $0.minutes.contains(time) }),
      parts.contains(where: { $0.minutes.contains(time + noon) })
    {
      time += noon
    }
    return ClockRange.text(time)
  }
}
