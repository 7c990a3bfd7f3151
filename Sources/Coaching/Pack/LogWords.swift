import ContextQuality
import IncrementalJSON

/// The words that notes of training are read by, from a pack's `coaching/words.json`.
package final class LogWords: Sendable {
  enum Unit: String, CaseIterable {
    case kilogram = "kg"
    case pound = "lb"
    case kilometer = "km"
    case mile = "mi"
    case meter = "m"
    case yard = "yd"
    case stone = "st"
    case hour = "h"
    case minute = "min"
    case second = "s"
    case kilometersPerHour = "km/h"
    case milesPerHour = "mph"
    case sets, repetitions, laps, steps
  }

  /// Phrases, each as its words.
  struct Phrases: Sendable {
    let phrases: [[String]]
    /// The phrases that begin with a word, in their order.
    private let beginning: [String: [[String]]]

    init(phrases: [[String]]) {
      self.phrases = phrases
      beginning = Dictionary(grouping: phrases.filter { !$0.isEmpty }) { $0[0] }
    }

    /// Where the first of them is, and how many words it has.
    func place(in words: [String]) -> Range<Int>? {
      for start in words.indices {
        if let length = length(at: start, of: words) { return start..<start + length }
      }
      return nil
    }

    /// How many words one takes that begins at a word; nil if none does.
    func length(at index: Int, of words: [String]) -> Int? {
      guard index < words.endIndex else { return nil }
      return beginning[words[index]]?.first { words[index...].starts(with: $0) }?.count
    }

    func begins(_ words: [String]) -> Bool { length(at: 0, of: words) != nil }

    func isIn(_ words: [String]) -> Bool { place(in: words) != nil }
  }

  /// Phrases that stand for a figure, such as "half marathon".
  struct Figures: Sendable {
    let figures: [(phrase: [String], value: Double)]

    /// The one that begins at a word, with the number of its words.
    func match(_ tokens: ArraySlice<LogTokens.Token>, _ index: Int) -> (Double, Int)? {
      for (phrase, value) in figures {
        guard index + phrase.count <= tokens.endIndex else { continue }
        let isHere = phrase.indices.allSatisfy { tokens[index + $0].text == phrase[$0] }
        if isHere { return (value, phrase.count) }
      }
      return nil
    }
  }

  let numbers: [String: Double]
  let units: [String: Unit]
  /// `k`, which means kilometers or kilograms.
  let thousand: Set<String>
  let by, of, at, per, and: Set<String>
  /// "a", which means one before a unit.
  let article: Set<String>
  /// "for", "in", and "each", beside a number.
  let forWord, inWord, each: Set<String>
  /// What makes a time none of training: a pause between sets, or "10 minutes away".
  let rest: Set<String>
  /// What makes a number a date or a time of day.
  let dayUnits, clockTime: Set<String>
  /// From more than this many sets on, `135x5` is a load.
  let mostSets: Int
  /// In kilometers, and in seconds.
  let distances, durations: Figures
  /// Names of sets by their repetitions: "a triple".
  let repetitionNames: Figures
  /// What begins more sets of the same, and no other exercise: "back-off 60 2x10".
  let setNames: Phrases
  /// What takes time and is no training: "slept 8 hours and ran 5k".
  let apartFrom: Phrases
  /// Warm-ups and cool-downs, whose figures don't count.
  let warmUp: Phrases
  /// What makes meters or feet a height.
  let ascent, feet: Set<String>
  /// What doubles a figure.
  let eachWay: Phrases
  let because, did, skipped, weighed: Phrases
  private let notDone: Phrases
  /// What says that something went by the plan, and so was done.
  private let asPlanned: Phrases
  /// Behind a reason.
  let so: Set<String>
  /// A day without training that says so by itself, and what isn't a session at all.
  let restDay, notSession: Phrases
  /// Somebody else, and what only begins like one: "he corrido".
  let others, notOthers: Phrases
  /// Words for oneself: "I", "corrí".
  let own: Set<String>
  /// Before somebody else who isn't the subject: "with my wife".
  let companions: Set<String>
  /// What may stand between the beginning of a clause and its subject.
  let beforeSubject: Set<String>
  /// What begins a clause, beside a comma and "and": "while".
  let clauseWords: Set<String>
  /// Before such a verb, an unknown word with a capital is a name, if these words aren't it. Some need a second
  /// verb: "Tom ist 5 km gelaufen".
  let finite, names, auxiliaries: Set<String>
  /// "Didn't", and what only looks like it: "nicht nur".
  let negations, notNegations: Phrases
  /// What was wished for, and may not have come: "wanted to".
  private let wishes: Phrases
  /// What was aimed for, if what came of it follows: "went for", "only managed".
  let aims, reached: Phrases
  /// Before what wasn't quite done: "almost".
  let nearly: Set<String>
  /// What begins what was done instead: "but".
  let contrary: Set<String>
  /// Before a figure that wasn't reached: "almost". Some are so only beside other words, such as "fast" in
  /// German.
  let inexact: Phrases
  let inexactWith: [String: Set<String>]
  /// What makes an activity one that wasn't done: "no deadlifts".
  let without: Set<String>
  /// What only looks like an activity's name: "in a row".
  let notNames: Phrases
  /// Whose weight is told, and words behind a weight that make it something else.
  let am: Phrases
  let apart: Set<String>
  /// Words that correct, and those that only may.
  let fix, mayFix: Phrases
  /// What makes it one more: "another 3k".
  let another: Phrases
  /// What begins a correction, if figures follow: "oops, …".
  let slip: Phrases
  let was: Set<String>
  let not: Phrases
  /// Where what wasn't so ends.
  let denialEnds: Set<String>
  let effort: [(LogEntry.Effort, Phrases)]
  /// What stands before an effort out of ten: "RPE 8".
  let effortScale: Set<String>
  /// Days ago; the longest phrases first.
  let days: [(ago: Int, phrases: Phrases)]
  /// Units of "3 days ago" in days, and the words around them.
  let dayLengths: [String: Int]
  let ago, agoBefore: Set<String>
  /// What makes two numbers one guess: "3 or 4".
  let range: Set<String>
  /// Before a date in figures, and before one that begins with the day.
  let dateAfter, dayFirst: Set<String>
  /// Before and behind a weekday that is to come.
  let next: Set<String>
  let nextBehind: Phrases
  let lastWeek: Phrases
  /// What names no certain day: "the other day".
  let unclearDays: Phrases
  /// What tells of another day than that of the training: "sore from yesterday".
  let otherDays: Phrases
  /// Months and weekdays as they are shortened, from Monday.
  let shortMonths: Set<String>
  let shortWeekdays: [Set<String>]
  /// What is done with money, and the names of loads that are money: "raised 300 pounds".
  let money: Phrases
  let currency: Set<String>
  /// Before a day that something is only compared with: "faster than yesterday".
  let compared: Set<String>
  /// From Monday.
  let weekdays: [Phrases]
  /// Parts of the body.
  let body: [(part: String, phrases: Phrases)]
  let hurts: Phrases
  /// What passes, and in how many days.
  let ill: [(what: String, days: Int, phrases: Phrases)]
  /// What is added to what was done, before and behind it or only behind it, and what isn't.
  let remarks, laterRemarks, notRemarks: Phrases
  /// What makes a question a guess at what was done.
  let unsure: Phrases
  /// What makes exercises a circuit.
  let rounds: Set<String>
  /// Laps of a pool; those of a track have other names.
  let poolLengths: Set<String>
  /// Distances that are runs by their name: "8 miler".
  let namedRuns: Set<String>
  /// Before the pause between repetitions: "8x400m off 90s".
  let sendOff: Set<String>
  /// Words that name a session by themselves, such as "class".
  let sessionNames: Set<String>
  /// Spans that no one day stands for: "this week".
  let wholeSpans: Phrases
  /// Between a name and how it was.
  let felt: Set<String>
  /// What makes somebody ill if they skipped for it.
  let illBesideSkip: Phrases
  /// Before a figure that something is more or less by.
  let differenceBy: Set<String>
  /// "My", before what is skipped.
  let owners: Set<String>
  /// What is run, in kilometers, only if nothing makes it a part: "a half".
  let raceNames: Figures
  /// A yes that begins like a no.
  let noObjection: Phrases
  /// What an answer to a proposal may be about, what may stand behind a mere yes or no, and what tells how
  /// something was.
  let aboutChange, plain, told, feelings: Phrases
  let illHere, gone, still, priority, yes, no, but, instead, until: Phrases
  /// Gets better without being gone; and what says so only after a no.
  let easing, fine: Phrases
  let keep, denied, hedge: Phrases
  /// What only turns a proposal into a wish, before and behind it: "I'd rather run 10k".
  let ratherBegins, ratherEnds: Phrases
  /// How people name a new goal, with `*` for the goal: "* matters more now".
  let newGoal: [[String]]
  /// What ends a goal in a sentence, and what may stand before one.
  let goalEnds, goalBegins: Set<String>
  /// Words that make a figure a difference.
  let difference: Set<String>
  /// Before a time of day, which counts no sessions; and before a "one" that counts nothing.
  let notCounted, pointing: Set<String>
  /// Before a word such as "may", they make it a verb.
  let pronouns: Set<String>
  /// Before an effort, they turn it around, also over the fillers: "not that easy".
  let effortDenied, effortFillers: Phrases
  /// Before "skip": it was done after all.
  let notSkipped: Phrases
  /// Before a weekday: not today.
  let last: Set<String>
  /// The words that a mere no consists of.
  let bareNo: Set<String>
  /// Days that something that hurts is planned around.
  let painDays: Int

  /// Whether a word makes the number before it a measure, such as `km`, `k` or `x`.
  func measures(_ word: String) -> Bool {
    units[word] != nil || thousand.contains(word) || by.contains(word)
  }

  init(_ document: PackDocument) throws(PackError) {
    let root = document.root
    func phrases(_ key: String) throws(PackError) -> Phrases {
      let texts = try document.texts(root, key)
      guard !texts.isEmpty else { throw document.wrong("\(key): expected at least one phrase") }
      return Self.phrases(texts)
    }
    func set(_ key: String) throws(PackError) -> Set<String> { Set(try document.texts(root, key)) }
    var numbers: [String: Double] = [:]
    for (word, value) in try document.object(root, "numbers") { numbers[word] = value.doubleValue }
    self.numbers = numbers
    var units: [String: Unit] = [:]
    let unitWords = JSONValue.object(try document.object(root, "units"))
    try document.checkKeys(of: unitWords, Unit.allCases.map(\.rawValue))
    for unit in Unit.allCases {
      for word in try document.texts(unitWords, unit.rawValue) { units[word] = unit }
    }
    self.units = units
    thousand = try set("thousand")
    (by, of, at) = (try set("by"), try set("of"), try set("at"))
    (per, and, article) = (try set("per"), try set("and"), try set("article"))
    (forWord, inWord, each) = (try set("for"), try set("in"), try set("each"))
    (rest, dayUnits, clockTime) = (try set("rest"), try set("dayUnits"), try set("clockTime"))
    mostSets = root["mostSets"]?.intValue ?? 12
    distances = try Self.figures("distances", document)
    durations = try Self.figures("durations", document)
    repetitionNames = try Self.figures("repetitionNames", document)
    (setNames, apartFrom) = (try phrases("setNames"), try phrases("apartFrom"))
    (warmUp, eachWay) = (try phrases("warmUp"), try phrases("eachWay"))
    (ascent, feet) = (try set("ascent"), try set("feet"))
    because = try phrases("because")
    so = try set("so")
    (restDay, notSession) = (try phrases("restDay"), try phrases("notSession"))
    (others, without) = (try phrases("others"), try set("without"))
    (notOthers, own) = (try phrases("notOthers"), try set("own"))
    (companions, beforeSubject) = (try set("companions"), try set("beforeSubject"))
    (clauseWords, contrary) = (try set("clauseWords"), try set("contrary"))
    (finite, names) = (try set("finite"), try set("names"))
    auxiliaries = try set("auxiliaries")
    (negations, notNegations) = (try phrases("negations"), try phrases("notNegations"))
    (wishes, inexact) = (try phrases("wishes"), try phrases("inexact"))
    (aims, reached, nearly) = (try phrases("aims"), try phrases("reached"), try set("nearly"))
    (money, currency) = (try phrases("money"), try set("currency"))
    inexactWith = try document.object(root, "inexactWith").reduce(into: [:]) { all, member in
      all[member.name] = Set((member.value.arrayValue ?? []).compactMap(\.stringValue))
    }
    notNames = try phrases("notNames")
    (am, apart) = (try phrases("am"), try set("apart"))
    (mayFix, was, not) = (try phrases("mayFix"), try set("was"), try phrases("not"))
    slip = try phrases("slip")
    another = try phrases("another")
    denialEnds = try set("denialEnds")
    did = try phrases("did")
    skipped = try phrases("skipped")
    weighed = try phrases("weighed")
    (notDone, asPlanned) = (try phrases("notDone"), try phrases("asPlanned"))
    fix = try phrases("fix")
    effortScale = try set("effortScale")
    effort = try Self.named("effort", document).compactMap { name, phrases in
      LogEntry.Effort(rawValue: name).map { ($0, phrases) }
    }
    days = try Self.named("days", document).compactMap { name, phrases in
      Int(name).map { ($0, phrases) }
    }.sorted { $0.0 > $1.0 }
    dayLengths = try document.object(root, "dayLengths").reduce(into: [:]) { all, member in
      all[member.name] = member.value.intValue.flatMap { $0 > 0 ? $0 : nil }
    }
    (ago, agoBefore, range) = (try set("ago"), try set("agoBefore"), try set("range"))
    (dateAfter, dayFirst) = (try set("dateAfter"), try set("dayFirst"))
    (next, nextBehind) = (try set("next"), try phrases("nextBehind"))
    (lastWeek, unclearDays) = (try phrases("lastWeek"), try phrases("unclearDays"))
    compared = try set("compared")
    weekdays = (root["weekdays"]?.arrayValue ?? []).map { day in
      Self.phrases((day.arrayValue ?? []).compactMap(\.stringValue))
    }
    guard weekdays.count == 7 else { throw document.wrong("weekdays: expected seven lists") }
    (otherDays, shortMonths) = (try phrases("otherDays"), try set("shortMonths"))
    shortWeekdays = (root["shortWeekdays"]?.arrayValue ?? []).map { day in
      Set((day.arrayValue ?? []).compactMap(\.stringValue))
    }
    guard shortWeekdays.count == 7 else {
      throw document.wrong("shortWeekdays: expected seven lists")
    }
    body = try Self.named("body", document)
    hurts = try phrases("hurts")
    let lengths = try document.object(root, "illDays")
    ill = try Self.named("ill", document).map { name, phrases in
      (name, lengths[name]?.intValue ?? 7, phrases)
    }
    illHere = try phrases("illHere")
    gone = try phrases("gone")
    still = try phrases("still")
    (easing, fine) = (try phrases("easing"), try phrases("fine"))
    (keep, denied, hedge) = (try phrases("keep"), try phrases("denied"), try phrases("hedge"))
    (ratherBegins, ratherEnds) = (try phrases("ratherBegins"), try phrases("ratherEnds"))
    bareNo = try set("bareNo")
    difference = try set("difference")
    (notCounted, pointing) = (try set("notCounted"), try set("pointing"))
    newGoal = try document.texts(root, "newGoal").map { form in
      form.split(separator: " ").map(String.init)
    }
    (goalEnds, goalBegins) = (try set("goalEnds"), try set("goalBegins"))
    (priority, instead) = (try phrases("priority"), try phrases("instead"))
    until = try phrases("until")
    pronouns = try set("pronouns")
    (notSkipped, last) = (try phrases("notSkipped"), try set("last"))
    (effortDenied, effortFillers) = (try phrases("effortDenied"), try phrases("effortFillers"))
    (remarks, laterRemarks) = (try phrases("remarks"), try phrases("laterRemarks"))
    (notRemarks, unsure) = (try phrases("notRemarks"), try phrases("unsure"))
    (rounds, differenceBy) = (try set("rounds"), try set("differenceBy"))
    (poolLengths, namedRuns) = (try set("poolLengths"), try set("namedRuns"))
    sendOff = try set("sendOff")
    owners = try set("bodyOwners")
    (sessionNames, felt) = (try set("sessionNames"), try set("felt"))
    (wholeSpans, illBesideSkip) = (try phrases("wholeSpans"), try phrases("illBesideSkip"))
    raceNames = try Self.figures("raceNames", document)
    noObjection = try phrases("noObjection")
    (aboutChange, plain) = (try phrases("aboutChange"), try phrases("plain"))
    (told, feelings) = (try phrases("told"), try phrases("feelings"))
    (yes, no, but) = (try phrases("yes"), try phrases("no"), try phrases("but"))
    painDays = root["painDays"]?.intValue ?? 14
  }

  private static func named(
    _ key: String, _ document: PackDocument
  ) throws(PackError) -> [(String, Phrases)] {
    var named: [(String, Phrases)] = []
    for (name, value) in try document.object(document.root, key) {
      named.append((name, phrases((value.arrayValue ?? []).compactMap(\.stringValue))))
    }
    return named
  }

  /// Whether a sentence is about somebody else: "my wife ran 10k", but not "my wife and I ran 10k".
  func isAboutOthers(_ sentence: [String]) -> Bool {
    guard let length = others.length(at: 0, of: sentence) else { return false }
    return length == sentence.count || !and.contains(sentence[length])
  }

  /// Whether a sentence is about what isn't done: a plan, a habit or a wish.
  func isNotDone(_ sentence: [String]) -> Bool {
    guard let place = asPlanned.place(in: sentence) else { return notDone.isIn(sentence) }
    return notDone.isIn(Array(sentence[..<place.lowerBound]))
      || notDone.isIn(Array(sentence[place.upperBound...]))
  }

  /// Whether words tell what was only wished for, or planned and not done.
  func isWish(_ piece: [String]) -> Bool { wishes.isIn(piece) && !asPlanned.isIn(piece) }

  /// Whether a word belongs to an amount, and names nothing.
  func isGrammar(_ word: String) -> Bool {
    units[word] != nil || numbers[word] != nil || did.phrases.contains([word])
      || [by, of, at, per, and, article, forWord, inWord, each, rest, dayUnits, thousand]
        .contains { $0.contains(word) }
  }

  private static func figures(
    _ key: String, _ document: PackDocument
  ) throws(PackError) -> Figures {
    var figures: [([String], Double)] = []
    for (phrase, value) in try document.object(document.root, key) {
      guard let value = value.doubleValue else {
        throw document.wrong("\(key): \(phrase): expected a number")
      }
      figures.append((LogTokens.words(of: phrase), value))
    }
    return Figures(figures: figures.sorted { $0.0.count > $1.0.count })
  }

  private static func phrases(_ texts: [String]) -> Phrases {
    Phrases(
      phrases: texts.map { LogTokens.words(of: $0) }.filter { !$0.isEmpty }
        .sorted { $0.count > $1.count })
  }
}
