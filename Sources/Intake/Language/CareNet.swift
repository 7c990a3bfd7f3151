/// A small deterministic net of unmistakable phrases, read from a pack's `care.txt`.
///
/// It runs on every message before any model is believed. It is no judge of anything subtle: the
/// scorer's own mark is for that.
public struct CareNet: Sendable {
  /// Below this age somebody is treated as a minor, in years.
  public static let ageOfMajority = 18

  private struct Group: Sendable {
    var kind: CareKind
    var name: String
    var countsForAnyone = false
    var countsEver = false
    var isAboutChild = false
    var patterns: [Pattern] = []
    var exceptions: [PhrasePattern] = []
  }

  private struct Pattern: Sendable {
    var phrase: PhrasePattern
    var toleratesNegation: Bool
  }

  private var groups: [Group] = []

  /// The texts that answer what the net catches.
  var textNames: Set<String> { Set(groups.map(\.name) + CareKind.allCases.map(\.rawValue)) }

  /// - Parameter file: The file's name, for errors.
  public init(text: String, file: String) throws(PromptPackError) {
    for (index, line) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
      .enumerated()
    {
      do throws(PhrasePattern.Malformed) {
        try read(Substring(line).trimmed)
      } catch {
        throw PromptPackError(file: file, line: index + 1, reason: error.reason)
      }
    }
    groups.sort { Self.urgency($0.kind) < Self.urgency($1.kind) }
  }

  private mutating func read(_ line: String) throws(PhrasePattern.Malformed) {
    guard !line.isEmpty, !line.hasPrefix("# "), line != "#" else { return }
    if line.hasPrefix("[") { return groups.append(try Self.heading(line)) }
    guard !groups.isEmpty else {
      throw PhrasePattern.Malformed(reason: "expected a [kind text-name] heading first")
    }
    if line.hasPrefix("-") {
      return groups[groups.count - 1].exceptions.append(try PhrasePattern(line.dropFirst()))
    }
    let toleratesNegation = line.hasPrefix("=")
    let phrase = try PhrasePattern(toleratesNegation ? line.dropFirst() : line[...])
    groups[groups.count - 1].patterns.append(
      Pattern(phrase: phrase, toleratesNegation: toleratesNegation))
  }

  private static func heading(_ line: String) throws(PhrasePattern.Malformed) -> Group {
    let words = line.dropFirst().prefix { $0 != "]" }.split(separator: " ").map(String.init)
    guard words.count >= 2, let kind = CareKind(rawValue: words[0]), line.hasSuffix("]") else {
      let kinds = CareKind.allCases.map(\.rawValue).joined(separator: ", ")
      throw PhrasePattern.Malformed(reason: "expected [kind text-name], kind one of \(kinds)")
    }
    var group = Group(kind: kind, name: words[1])
    for flag in words.dropFirst(2) {
      switch flag {
      case "anyone": group.countsForAnyone = true
      case "ever": group.countsEver = true
      case "child": group.isAboutChild = true
      default:
        throw PhrasePattern.Malformed(reason: "expected a flag anyone, ever or child, found \(flag)")
      }
    }
    return group
  }

  private static func urgency(_ kind: CareKind) -> Int {
    CareKind.allCases.firstIndex(of: kind) ?? 0
  }

  /// The most urgent thing in a message; nil for an ordinary one.
  public func classify(_ text: String) -> CareFinding? {
    let sentences = Words(text).sentences
    for group in groups where sentences.contains(where: { catches(group, $0) }) {
      return CareFinding(kind: group.kind, name: group.name, concernsUser: !group.isAboutChild)
    }
    return nil
  }

  private func catches(_ group: Group, _ words: [String]) -> Bool {
    if group.exceptions.contains(where: { $0.firstMatch(in: words) != nil }) { return false }
    if !group.countsEver && Self.isOver(words) { return false }
    return group.patterns.contains { pattern in
      guard let match = pattern.phrase.firstMatch(in: words) else { return false }
      if !group.countsForAnyone && Self.isAboutSomebodyElse(words[..<match.lowerBound]) {
        return false
      }
      return pattern.toleratesNegation || !Self.isNegated(words[..<match.lowerBound])
    }
  }

  /// A "no" or "not" within the four words before.
  private static func isNegated(_ before: ArraySlice<String>) -> Bool {
    before.suffix(4).contains { negations.contains($0) }
  }

  private static func isOver(_ words: [String]) -> Bool {
    overs.contains { over in words.indices.contains { words[$0...].starts(with: over) } }
  }

  /// Whose story it is: the last person named before the phrase.
  private static func isAboutSomebodyElse(_ before: ArraySlice<String>) -> Bool {
    for word in before.reversed() {
      if selves.contains(word) { return false }
      if others.contains(word) { return true }
    }
    return false
  }

  private static let negations: Set<String> = [
    "no", "not", "never", "dont", "doesnt", "didnt", "isnt", "wasnt", "arent", "wont", "without",
    "havent", "hasnt", "hadnt", "kein", "keine", "nicht", "sin", "sans", "nunca", "jamais", "nie",
  ]
  private static let selves: Set<String> = [
    "i", "im", "ive", "id", "ill", "me", "we", "ich", "je", "jai", "yo", "eu", "io", "ik",
  ]
  private static let others: Set<String> = [
    "he", "she", "they", "hes", "shes", "his", "her", "dad", "dads", "father", "mom", "mum", "moms",
    "mums", "mother", "brother", "brothers", "sister", "uncle", "aunt", "grandma", "grandpa",
    "grandmother", "grandfather", "friend", "friends", "cousin", "neighbour", "neighbor",
    "coworker", "colleague", "boss", "husband", "husbands", "wife", "wifes", "partner", "roommate",
    "buddy", "client", "patient", "guy", "somebody", "someone", "people", "player",
  ]
  private static let overs: [[String]] = [
    ["used", "to"], ["years", "ago"], ["year", "ago"], ["when", "i", "was"], ["back", "in"],
    ["in", "my", "twenties"], ["in", "my", "teens"], ["in", "college"], ["recovered", "from"],
    ["in", "recovery"], ["in", "remission"], ["decades", "ago"],
  ]
}

extension CareNet {
  /// An own age that a message states, in years: "I'm 27", "im 15", "17 years old".
  public static func statedAge(in text: String) -> Int? {
    for words in Words(text).sentences {
      for index in words.indices {
        if let age = age(words, at: index) { return age }
      }
    }
    return nil
  }

  private static func age(_ words: [String], at index: Int) -> Int? {
    let next = index + 1 < words.count ? words[index + 1] : ""
    let isUnit = units.contains(next)
    // "im 15": the number right behind the person; "47yo": the number with its unit.
    guard let value = PhrasePattern.value(words[index]), let age = Int(exactly: value),
      (5...110).contains(age)
    else { return nil }
    let tail = words[index].drop { $0.isNumber || $0 == "." }
    let isAgeWord = ["yo", "yrs", "yr", "y"].contains(String(tail))
    let saysOld = isAgeWord || (["years", "year", "yrs", "yr", "yo"].contains(next) && words.dropFirst(index + 2).first == "old") || next == "yo"
    let before = words[..<index]
    guard tail.isEmpty || isAgeWord else { return nil }
    if before.suffix(1).contains(where: { ["im", "turned", "turning"].contains($0) })
      || before.suffix(2) == ["i", "am"]
    {
      return isUnit && !saysOld ? nil : age
    }
    let isMine = before.isEmpty || before.suffix(4).contains { ["i", "im", "me"].contains($0) }
    return saysOld && isMine ? age : nil
  }

  /// What makes the number behind "I'm" something else than an age.
  private static let units: Set<String> = [
    "kg", "kilo", "kilos", "kgs", "lb", "lbs", "pounds", "stone", "st", "cm", "ft", "feet", "foot",
    "inches", "in", "weeks", "week", "months", "month", "days", "day", "percent", "minutes",
    "minute", "hours", "hour", "miles", "km", "k", "years", "year", "over", "down", "from", "to",
    "out", "short", "away", "or",
  ]
}
