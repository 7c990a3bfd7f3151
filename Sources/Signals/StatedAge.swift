import ContextQuality
import IncrementalJSON

// Own ages.
extension CareNet {
  /// An own age that a message states, in years: "I'm 27", "im fifteen", "17 years old", "16F".
  ///
  /// An age still to come ("I turn 18 in May") is the one before it.
  public static func statedAge(in text: String) -> Int? {
    statedAge(clauses(text))
  }

  /// Sentences, ended by a comma behind a number too: "I'm 34, that's my kid's phone". Where
  /// another number follows, the two belong together ("I'm 60, 165").
  package static func clauses(_ text: String) -> [[String]] {
    Words(text.replacing(/([0-9]),(?=\s+[^\s0-9])/) { "\($0.output.1);" }).sentences
  }

  /// The age in a reply to the question how old somebody is: a bare number will do.
  public static func answeredAge(in text: String) -> Int? {
    if let age = statedAge(in: text) { return age }
    let clauses = clauses(text).map { words in
      words.flatMap { $0.split(separator: "-").map(String.init) }
    }
    let opening = clauses.first ?? []
    let isBare = opening.allSatisfy { PhrasePattern.value($0) != nil }
    let words = isBare ? opening : clauses.flatMap(\.self)
    let numbers = words.compactMap(PhrasePattern.value)
    guard words.count <= 4, let first = numbers.first else { return nil }
    let isTensAndOnes =
      numbers.count == 2 && first >= 20 && first.remainder(dividingBy: 10) == 0
      && numbers[1] < 10
    guard numbers.count == 1 || isTensAndOnes else { return nil }
    return Int(exactly: numbers.reduce(0, +)).flatMap { (5...110).contains($0) ? $0 : nil }
  }

  package static func isUnderAge(_ sentences: [[String]]) -> Bool {
    statedAge(sentences).map { $0 < ageOfMajority } ?? false
  }

  /// "As a 12 year old I loved it, I'm 40 now": what somebody says that they are comes first.
  private static func statedAge(_ sentences: [[String]]) -> Int? {
    let readers = sentences.flatMap { words in
      words.indices.map { AgeReader(words: words, index: $0) }
    }
    let stated = readers.lazy.filter { $0.age != nil }
    return (stated.first(where: \.isSaidOfSelf) ?? stated.first)?.age
  }
}

/// Reads one word of a sentence as the speaker's age.
private struct AgeReader {
  let words: [String]
  let index: Int

  private func word(_ offset: Int) -> String {
    words.indices.contains(index + offset) ? words[index + offset] : ""
  }

  var age: Int? {
    if let age = lettered { return age }
    guard let value = PhrasePattern.value(words[index]), let number = Int(exactly: value),
      (5...110).contains(number), !isOrdinal, !isComparison, !isSupposed
    else { return nil }
    if isNamed || saysOld && isMine || isProfile { return number }
    // "I'm 6'" and "I'm 8 stone" are no ages.
    guard isSaidOfSelf, saysOld || number >= 9 && !isSomethingElse else { return nil }
    return isStillToCome ? number - 1 : number
  }

  /// "F16", "m15".
  private var lettered: Int? {
    guard index <= 3, let first = words[index].first, first == "m" || first == "f",
      words[index].utf8.count == 3, let age = Int(words[index].dropFirst()), age >= 10
    else { return nil }
    return age
  }

  /// "15th".
  private var isOrdinal: Bool {
    words[index].first?.isNumber == true && words[index].last?.isLetter == true
  }

  /// "like I'm 15", "feel 17", "when I was 15", "17 year old me".
  private var isComparison: Bool {
    let before = words[..<index].last {
      !Self.hedges.contains($0) && !["im", "i", "am", "a"].contains($0)
    }
    return Self.comparisons.contains(before ?? "")
      || ["me", "self", "myself"].contains(word(ageWords + 1))
  }

  /// "pretend I'm 19", "what if I say I'm 19", "let's say I'm 19".
  private var isSupposed: Bool {
    let before = words[..<index]
    if before.contains(where: Self.suppositions.contains) || before.first == "say" { return true }
    return zip(before, before.dropFirst()).contains { first, second in
      first == "if" && ["i", "im"].contains(second) || first == "lets" && second == "say"
    }
  }

  private static let suppositions: Set<String> = [
    "pretend", "pretending", "imagine", "suppose", "supposing", "assume", "assuming",
    "hypothetically",
  ]

  private static let comparisons: Set<String> = [
    "like", "feel", "feels", "was", "were", "inner", "until", "till",
  ]

  /// How many words behind the number say that it is an age.
  private var ageWords: Int {
    let isYears = ["years", "year", "yrs", "yr", "y"].contains(word(1))
    if isYears && (word(2) == "old" || word(2) == "o" || word(2) == "young") { return 2 }
    if word(1) == "years" && word(2) == "of" && word(3) == "age" { return 3 }
    return ["yo", "yrs", "yr", "y"].contains(word(1)) && !["in", "of"].contains(word(2)) ? 1 : 0
  }

  private var saysOld: Bool { ageWords > 0 }

  /// "age: 15", "my age is 14", "aged 16".
  private var isNamed: Bool {
    let tail = words[max(0, index - 3)..<index]
    guard let age = tail.lastIndex(where: { $0 == "age" || $0 == "aged" }) else { return false }
    return tail[(age + 1)...].allSatisfy { $0 == "is" || $0 == "im" }
      && (age == 0 || ["my", "im", "am", "me"].contains(words[age - 1]) || index < 3)
  }

  /// "16F", "17 m here": a number and a letter where people introduce themselves.
  private var isProfile: Bool {
    if index == 0 && word(1) == "here" { return words[0].utf8.count > 1 }
    if index == 1 && (word(-1) == "m" || word(-1) == "f") && word(1) == "here" { return true }
    let isLetter = ["m", "f", "male", "female"].contains(word(1))
    let introduces = index == 0 || ["im", "am", "a", "me", "i"].contains(word(-1))
    let isDistance = Self.number(word(2)) != nil || Self.distances.contains(word(2))
    return isLetter && introduces && words[index].utf8.count > 1
      && (word(1) == "f" || !isDistance)
  }

  private static func number(_ word: String) -> Double? { PhrasePattern.value(word) }
  private static let distances: Set<String> = [
    "sprint", "sprints", "dash", "run", "runs", "swim", "row", "race", "pool", "hurdles", "away",
    "tall", "in",
  ]

  private var isMine: Bool {
    let before = words[..<index]
    let nearest = before.last { Self.owners.contains($0) || Self.strangers.contains($0) }
    if let nearest { return Self.owners.contains(nearest) }
    if index == 0 { return word(ageWords + 1) != "and" || words.count < 8 }
    return before.allSatisfy {
      ["a", "as", "an", "hi", "hey", "hello", "just", "only"].contains($0)
    }
  }

  private static let owners: Set<String> = ["i", "im", "ill", "am", "me"]
  private static let strangers: Set<String> = [
    "my", "have", "got", "for", "with", "to", "his", "her", "our", "is", "was", "coach", "train",
    "teach", "raise", "of", "like", "the", "than", "by", "from",
  ]

  /// "I'm 15", "I am only 15", "I turn 16", "turning 16", "I'll be 16".
  var isSaidOfSelf: Bool {
    var at = index - 1
    while at >= 0, Self.hedges.contains(words[at]) { at -= 1 }
    guard at >= 0 else { return false }
    let previous = at > 0 ? words[at - 1] : ""
    switch words[at] {
    case "im": return true
    case "am": return previous == "i"
    case "turned", "turning":
      return at == 0 || ["i", "just", "im", "ive", "am", "be"].contains(previous)
    case "turn": return previous == "i" || previous == "ill"
    case "be": return previous == "ill" || at > 1 && words[at - 2] == "i" && previous == "will"
    default: return false
    }
  }

  private static let hedges: Set<String> = [
    "only", "just", "almost", "nearly", "about", "actually", "literally", "still", "now",
    "barely", "currently", "already",
  ]

  private var isStillToCome: Bool {
    let before = words[max(0, index - 3)..<index]
    if before.contains(where: { ["turn", "turning", "be", "almost", "nearly"].contains($0) }) {
      return true
    }
    let isNextYear = zip(words[..<index], words[..<index].dropFirst()).contains {
      $0 == "next" && ["year", "month", "week"].contains($1)
    }
    if isNextYear { return true }
    return ["next", "tomorrow", "soon"].contains(word(1))
      || word(1) == "in" && (Self.months.contains(word(2)) || Self.spans.contains(word(3)))
  }

  private static let months: Set<String> = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]
  private static let spans: Set<String> = [
    "day", "days", "week", "weeks", "wks", "month", "months",
  ]

  /// What makes the number behind "I'm" something else than an age.
  private var isSomethingElse: Bool {
    // "I'm 16, out of shape": what follows is about something else.
    if word(1) == "out" && word(2) == "of" && Self.number(word(3)) == nil { return false }
    let next = word(1)
    if next == "in" && (index + 2 == words.count || word(2) == "to") { return true }
    if next == "on" && Self.number(word(2)) != nil { return true }
    let halves = next == "and" && word(2) == "a" && word(3) == "half"
    if halves && Self.units.contains(word(4)) { return true }
    if Self.units.contains(next) || Self.number(next) != nil { return true }
    return next.utf8.count > 3 && next.hasSuffix("s") && !Self.notPlural.contains(next)
  }

  private static let units: Set<String> = [
    "kg", "kilo", "kgs", "lb", "lbs", "stone", "st", "cm", "ft", "feet", "foot", "week",
    "month", "day", "percent", "minute", "min", "hour", "mile", "km", "k", "year", "over", "down",
    "from", "to", "out", "short", "away", "or", "body", "point", "handicap", "inch", "ish", "pct",
    "wk", "wks", "weeks", "mo", "mos", "months",
    "cal", "kcal", "rep", "sec", "hrs", "mins", "of", "for", "seconds", "step", "per", "into", "a",
    "under", "above", "below", "behind", "ahead",
  ]
  private static let notPlural: Set<String> = [
    "always", "this", "please", "parents", "guys", "boys", "girls", "less", "thanks", "moms",
    "plus", "thats", "theres", "heres", "whats", "whos", "lets", "shes", "yours", "sometimes",
  ]
}
