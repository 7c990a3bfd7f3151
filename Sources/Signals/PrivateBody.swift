import ContextQuality
import IncrementalJSON

/// Whether somebody says that their weight, height or age is not for telling.
///
/// Three shapes: "my weight is private" (the matter, then the refusal), "I'd rather not say how old
/// I am" (the refusal, then the matter), and "keep my age out of this" (the matter in between).
package enum PrivateBody {
  package static func isWithheld(in text: String) -> Bool {
    let sentences = Words(text).sentences
    let pairs = zip(sentences, sentences.dropFirst())
    // "My weight? That's private."
    let joined = pairs.filter { Refusal(words: $0.0).isMatterAlone }.map { $0.0 + $0.1 }
    return (sentences + joined).contains { Refusal(words: $0).isThere }
  }
}

/// Reads one sentence.
private struct Refusal {
  let words: [String]

  var isThere: Bool {
    words.indices.contains {
      isRefusedMatter(at: $0) || isRefusalOfMatter(at: $0) || isKept(at: $0)
    }
  }

  var isMatterAlone: Bool {
    let start = words.prefix { BodyMatter.connectors.contains($0) }.count
    return matters(at: start) == words.count
  }

  private func word(_ index: Int) -> String { words.indices.contains(index) ? words[index] : "" }

  private func phrase(at index: Int, of phrases: [[String]]) -> Int? {
    phrases.first { words.dropFirst(index).starts(with: $0) }.map { index + $0.count }
  }

  private func skip(_ skipped: Set<String>, from index: Int) -> Int {
    index + words.dropFirst(index).prefix { skipped.contains($0) }.count
  }
}

// What it is about.
extension Refusal {
  /// The end of "weight", "age or weight", "how old I am"; nil where nothing of the kind stands.
  private func matters(at index: Int) -> Int? {
    guard var end = matter(at: index) else { return nil }
    while true {
      let next = skip(BodyMatter.joints, from: end)
      guard next > end, let more = matter(at: next) else { return end }
      end = more
    }
  }

  private func matter(at index: Int) -> Int? {
    if let end = phrase(at: index, of: BodyMatter.clauses) { return end }
    let next = word(index + 1)
    guard BodyMatter.nouns.contains(word(index)), !BodyMatter.compounds.contains(next) else {
      return nil
    }
    // A body is everywhere: it has to be said whose, and to be all that is spoken of.
    let isWholeBody =
      word(index - 1) == "my" && (next.isEmpty || RefusalWords.opensRefusal.contains(next))
    return word(index) == "body" && !isWholeBody ? nil : index + 1
  }

  /// Neither "her age", nor "her age and weight", nor "lose weight".
  private func isMine(_ index: Int) -> Bool {
    let before = word(index - 1)
    // "At my age" is a time.
    if [before, word(index - 2)].contains("at") { return false }
    if ["and", "or", "nor"].contains(before) { return !BodyMatter.nouns.contains(word(index - 2)) }
    // "My wife's age" ends in an s like every owner's name.
    return BodyMatter.connectors.contains(before) || BodyMatter.openings.contains(before)
      || !BodyMatter.strange.contains(before) && before.last != "s"
  }

  /// "I won't say my weight is fine": what follows tells of it.
  private func isTold(_ end: Int) -> Bool { BodyMatter.tellings.contains(word(end)) }
}

// How it is refused.
extension Refusal {
  /// "My weight is private", "age: prefer not to say".
  private func isRefusedMatter(at index: Int) -> Bool {
    guard isMine(index), let end = matters(at: index) else { return false }
    var start = skip(RefusalWords.copulas, from: end)
    // "Rather" is small where it does not refuse.
    if word(start) == "not", ["rather", "prefer"].contains(word(start - 1)) { start -= 1 }
    if let term = phrase(at: start, of: RefusalWords.terms) {
      return term == words.count || RefusalWords.followers.contains(word(term))
    }
    if let mild = phrase(at: start, of: RefusalWords.mild) {
      return mild == words.count || RefusalWords.verbs.contains(word(mild))
    }
    if phrase(at: start, of: RefusalWords.heads) == words.count { return true }
    return firmRefusal(at: start) != nil || keeps(at: start) || isNothingToShare(at: start)
  }

  /// "My weight I keep to myself".
  private func keeps(at index: Int) -> Bool {
    guard RefusalWords.keepers.contains(word(index)) else { return false }
    let place = skip(["it", "that", "this", "them", "those"], from: index + 1)
    return phrase(at: place, of: RefusalWords.places) != nil
  }

  /// "My age isn't something I like to share".
  private func isNothingToShare(at index: Int) -> Bool {
    phrase(at: index, of: RefusalWords.nothings)
      .map { verb(at: skip(RefusalWords.reluctance, from: $0)) != nil } ?? false
  }

  /// "I'd rather not say my weight", "don't ask how old I am".
  private func isRefusalOfMatter(at index: Int) -> Bool {
    let ends = [
      phrase(at: index, of: RefusalWords.mild).flatMap(verb), firmRefusal(at: index),
      phrase(at: index, of: RefusalWords.heads),
    ]
    return ends.compactMap(\.self).contains { end in
      firstMatter(from: end).map { !isTold($0) } ?? false
    }
  }

  /// The end of the matter that only small words stand in front of.
  private func firstMatter(from start: Int) -> Int? {
    let last = skip(BodyMatter.connectors, from: start)
    return (start...last).lazy.compactMap { matters(at: $0) }.first
  }

  private func verb(at index: Int) -> Int? {
    if RefusalWords.verbs.contains(word(index)) { return index + 1 }
    let goes = ["go", "going", "get", "getting"].contains(word(index))
    return goes && ["into", "there"].contains(word(index + 1)) ? index + 2 : nil
  }

  /// The end of "won't tell", "not comfortable sharing", "don't want you to know".
  private func firmRefusal(at index: Int) -> Int? {
    let before = word(index - 1)
    guard RefusalWords.denials.contains(word(index)),
      !["why", "did", "could"].contains(before)
    else { return nil }
    // "Not to mention my weight" mentions it.
    if word(index) == "not", word(index + 1) == "to", !RefusalWords.choices.contains(before) {
      return nil
    }
    let start = index + 1
    let next = skip(RefusalWords.reluctance, from: start)
    if let end = verb(at: next) { return end }
    let isForOthers = words[start..<next].contains { RefusalWords.others.contains($0) }
    let isAsking = ["know", "ask"].contains { word(next).hasPrefix($0) }
    return isForOthers && isAsking ? next + 1 : nil
  }

  /// "No weight talk", "keep my weight out of this", "leave my age alone", "skip the weight question".
  private func isKept(at index: Int) -> Bool {
    guard let end = firstMatter(from: index + 1) else { return false }
    switch word(index) {
    case "skip", "skipping": return true
    case "no": return ["question", "questions", "talk"].contains(word(end))
    case "keep", "keeping", "leave", "leaving":
      let place = skip(RefusalWords.copulas, from: end)
      return words.dropFirst(place) == ["out"] || phrase(at: place, of: RefusalWords.places) != nil
    default: return false
    }
  }
}

private enum BodyMatter {
  static let nouns: Set<String> = [
    "weight", "height", "age", "bmi", "measurements", "birthday", "birthdate", "dob", "body",
    "bodyweight", "weights", "heights", "ages",
  ]

  static let clauses: [[String]] =
    ["old", "tall", "heavy", "big"].flatMap { [["how", $0, "i", "am"], ["how", $0, "im"]] }
    + [
      ["how", "old", "am", "i"], ["how", "much", "i", "weigh"],
      ["how", "much", "do", "i", "weigh"],
      ["what", "i", "weigh"], ["when", "i", "was", "born"], ["what", "year", "i", "was", "born"],
      ["the", "year", "i", "was", "born"], ["date", "of", "birth"], ["year", "of", "birth"],
      ["what", "the", "scale", "says"], ["what", "the", "scales", "say"],
      ["number", "on", "the", "scale"], ["number", "on", "the", "scales"],
    ]

  /// What makes another word of it.
  static let compounds: Set<String> = [
    "loss", "gain", "training", "room", "lifting", "lifter", "lifters", "machine", "machines",
    "class", "classes", "watchers", "vest", "group", "groups", "gap", "sets", "bench", "cutting",
    "fluctuates", "goal", "target",
  ]

  static let joints: Set<String> = ["and", "or", "nor", "my", "the"]

  /// What ends in an s and owns nothing.
  static let openings: Set<String> = ["plus", "as", "is", "yes", "thanks", "thus", "perhaps"]

  /// What makes it another's, or something to change.
  static let strange: Set<String> = [
    "her", "his", "their", "your", "lose", "losing", "lost", "gain", "gaining", "gained", "goal",
    "target", "dream", "free", "dead", "heavy",
  ]

  static let connectors: Set<String> = [
    "you", "u", "about", "on", "of", "my", "the", "what", "exactly", "exact", "anyone", "anybody",
    "people", "to", "with", "for", "current", "actual", "into", "me", "own", "this", "any", "here",
    "online", "strangers", "a", "an", "app", "bot", "computer", "details", "regarding", "down",
    "things", "like", "real", "precise", "precisely", "either", "please", "personal", "questions",
    "information", "info", "such", "concerning", "discussion", "talk", "much",
  ]

  static let tellings: Set<String> = [
    "is", "was", "isnt", "wasnt", "has", "hasnt", "keeps", "went", "goes", "stops", "bothers",
    "makes", "matters", "doesnt", "got", "stays",
  ]
}

private enum RefusalWords {
  static let copulas: Set<String> = [
    "is", "are", "stays", "stay", "remains", "feels", "thats", "its", "a", "an", "bit", "kind",
    "of",
    "really", "very", "quite", "pretty", "just", "still", "something", "i", "id", "im", "ill",
    "ive",
    "would", "one", "thing", "that", "which", "totally", "strictly", "completely", "sort", "should",
    "will", "be", "always", "honestly", "question", "questions", "please", "much", "too", "am",
    "my", "lets", "we", "can", "could",
    "rather", "prefer", "want", "like", "to",
  ]

  static let terms: [[String]] = [
    ["private"], ["personal"], ["secret"], ["confidential"], ["sensitive"], ["touchy"], ["taboo"],
    ["classified"], ["off", "limits"], ["off-limits"], ["off", "the", "table"],
    ["off", "the", "record"], ["no", "go"], ["no-go"], ["business"], ["own", "business"],
    ["affair"], ["own", "affair"], ["none", "of", "your", "business"],
    ["none", "of", "ur", "business"], ["none", "of", "anyones", "business"],
    ["none", "of", "anybodys", "business"], ["nobodys", "business"], ["no", "ones", "business"],
    ["nobody", "elses", "business"], ["no", "one", "elses", "business"],
    ["not", "your", "business"], ["not", "for", "sharing"], ["not", "up", "for", "discussion"],
    ["not", "open", "for", "discussion"], ["not", "for", "discussion"], ["no", "comment"],
    ["isnt", "up", "for", "discussion"], ["arent", "up", "for", "discussion"], ["with", "me"],
    ["between", "me", "and"], ["private", "to", "me"], ["personal", "to", "me"], ["skip"], ["pass"],
  ]

  /// "Personal best" is nothing that is kept to oneself.
  static let followers: Set<String> = [
    "matter", "thing", "info", "information", "topic", "subject", "and", "for", "so", "but",
    "between", "data", "question", "business", "stuff", "because", "thanks", "sorry", "please",
    "if", "though", "ok", "okay", "lol", "haha", "with", "my", "me", "as", "or", "by", "actually",
    "here", "today", "tbh", "honestly", "i", "id", "im", "anyway",
  ]

  static let mild: [[String]] = [
    ["rather", "not"], ["prefer", "not", "to"], ["prefer", "not"], ["rather", "i", "didnt"],
  ]

  /// What may follow a body that is all that is spoken of.
  static let opensRefusal = followers.union(["is", "stay", "stays", "alone", "private", "out"])

  static let choices: Set<String> = ["like", "choose", "chose", "want", "decided", "prefer"]

  static let nothings: [[String]] = [
    ["isnt", "something", "i"], ["not", "something", "i"], ["isnt", "a", "thing", "i"],
    ["nothing", "i"],
  ]

  static let denials: Set<String> = [
    "dont", "not", "wont", "never", "refuse", "uncomfortable", "embarrassed", "ashamed", "awkward",
    "hesitant", "reluctant", "uneasy", "shy",
  ]

  /// What may stand between "don't" and "say".
  static let reluctance: Set<String> = [
    "want", "wanna", "like", "wish", "care", "feel", "to", "be", "comfortable", "happy", "ready",
    "willing", "keen", "going", "gonna", "about", "with", "really", "prepared", "love", "need",
    "have", "you", "anyone", "anybody", "people", "others", "plan", "in", "the", "mood", "even",
    "just", "ever", "okay", "ok", "fond", "of", "very", "too", "at", "all", "usually",
    "normally", "generally", "much", "id", "i", "would",
  ]

  static let others: Set<String> = ["you", "anyone", "anybody", "people", "others"]

  static let verbs: Set<String> = [
    "say", "saying", "tell", "telling", "tells", "share", "sharing", "talk", "talking", "discuss",
    "discussing", "disclose", "disclosing", "give", "giving", "reveal", "revealing", "mention",
    "mentioning", "answer", "answering", "asked", "state", "stating", "specify", "provide",
    "providing",
  ]

  static let heads: [[String]] = [
    ["dont", "ask"], ["didnt", "ask"], ["private", "about"], ["secretive", "about"],
    ["do", "not", "ask"], ["stop", "asking"], ["quit", "asking"],
    ["never", "ask"], ["no", "questions"], ["without", "asking"], ["dont", "bring", "up"],
    ["dont", "mention"], ["leave", "out"], ["dont", "need", "to", "know"],
    ["no", "need", "to", "know"], ["no", "need", "to", "ask"], ["nobody", "needs", "to", "know"],
    ["no", "one", "needs", "to", "know"], ["dont", "get", "to", "know"],
    ["dont", "want", "questions"], ["dont", "want", "any", "questions"],
    ["none", "of", "your", "business"], ["none", "of", "ur", "business"],
    ["nobodys", "business"], ["no", "ones", "business"], ["not", "your", "business"],
    ["no", "comment"],
  ]

  static let keepers: Set<String> = ["keep", "keeping", "leave", "leaving", "kept"]

  /// Where something is kept or left that is not told.
  static let places: [[String]] = [
    ["private"], ["secret"], ["confidential"], ["to", "myself"], ["myself"], ["for", "myself"],
    ["alone"],
    ["out", "of", "this"], ["out", "of", "it"], ["out", "of", "that"], ["out", "of", "here"],
    ["out", "of", "the", "conversation"], ["out", "of", "the", "picture"], ["out", "please"],
    ["off", "limits"],
    ["between", "me", "and"], ["off", "the", "table"], ["quiet"],
  ]
}
