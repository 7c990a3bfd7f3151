/// How somebody writes: with care, on a phone, by voice, in a second language, in haste.
enum WayOfWriting: CaseIterable {
  case careful, lower, texting, dictated, hasty, hedged, secondLanguage, telegraphic

  static func any(_ dice: inout Generator) -> WayOfWriting {
    [careful, careful, lower, lower, texting, dictated, hasty, hedged, secondLanguage, telegraphic]
      .randomElement(using: &dice) ?? .careful
  }

  var endsWithStop: Bool { self == .careful || self == .hedged }

  func joint(_ dice: inout Generator) -> String {
    let joints: [String] =
      switch self {
      case .careful, .hedged: [". ", ". ", ", and ", ", but ", "; ", ".\n\n"]
      case .dictated: [" and ", " um ", " so ", " and also "]
      case .telegraphic: [". ", ", ", " / ", ". "]
      default: [". ", ", ", " and ", " but ", " - ", "\n", "... "]
      }
    return joints.randomElement(using: &dice) ?? ". "
  }

  func write(_ text: String, isFirst: Bool, _ dice: inout Generator) -> String {
    switch self {
    case .careful: isFirst ? Self.capital(text) : text
    case .lower: text.lowercased()
    case .texting: Self.replacing(text.lowercased(), Self.short, share: 70, &dice)
    case .dictated: Self.spoken(text, &dice)
    case .hasty: Self.mistyped(text, &dice)
    case .hedged: Self.hedged(text, isFirst, &dice)
    case .secondLanguage: Self.replacing(text, Self.foreign, share: 60, &dice)
    case .telegraphic: Self.replacing(text, Self.dropped, share: 80, &dice)
    }
  }

  private static func capital(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }

  private static let short = [
    "you": "u", "are": "r", "because": "cuz", "and": "n", "with": "w", "to": "2", "for": "4",
    "going": "goin", "want": "wanna", "really": "rly", "before": "b4", "about": "abt",
    "please": "pls", "though": "tho", "my": "ma", "I'm": "im", "don't": "dont", "can't": "cant",
    "i'm": "im", "i've": "ive", "i'd": "id", "nothing": "nuthin", "right": "rn", "week": "wk",
    "weeks": "wks", "minutes": "mins", "people": "ppl", "tomorrow": "tmrw", "something": "smth",
  ]
  private static let foreign = [
    "a": "", "the": "", "an": "", "my": "the", "have": "having", "I'm": "I am", "don't": "not",
    "can't": "can not", "it's": "is", "to": "for", "at": "in", "on": "in", "much": "many",
    "would": "will", "I'd": "I would", "am": "", "has": "have", "is": "it is", "does": "do",
  ]
  private static let dropped = Dictionary(
    uniqueKeysWithValues: [
      "I", "I'm", "I've", "a", "an", "the", "my", "is", "am", "are", "it's", "there's", "about",
      "have", "we", "we've", "I'd",
    ].map { ($0, "") })

  private static func replacing(
    _ text: String, _ table: [String: String], share: Int, _ dice: inout Generator
  ) -> String {
    joined(
      words(text).map { word in
        guard let other = table[word], Int.random(in: 0..<100, using: &dice) < share else {
          return word
        }
        return other
      })
  }

  /// Without marks, and with what people say while they think.
  private static func spoken(_ text: String, _ dice: inout Generator) -> String {
    let fillers = ["um", "uh", "like", "you know", "I mean", "so", "well"]
    var spoken: [String] = []
    for word in words(text.filter { !",;:!?\"".contains($0) }) {
      if Int.random(in: 0..<12, using: &dice) == 0 {
        spoken.append(fillers.randomElement(using: &dice) ?? "um")
      }
      spoken.append(word)
    }
    return joined(spoken)
  }

  /// Two letters of a long word change places, or one is left out.
  private static func mistyped(_ text: String, _ dice: inout Generator) -> String {
    joined(
      words(text.lowercased()).map { word in
        guard word.count > 4, word.allSatisfy(\.isLetter),
          Int.random(in: 0..<5, using: &dice) == 0
        else { return word }
        var letters = Array(word)
        let place = Int.random(in: 1..<letters.count - 1, using: &dice)
        if Bool.random(using: &dice) {
          letters.swapAt(place, place + 1)
        } else {
          letters.remove(at: place)
        }
        return String(letters)
      })
  }

  private static func hedged(
    _ text: String, _ isFirst: Bool, _ dice: inout Generator
  ) -> String {
    let before = ["I suppose ", "well, ", "I guess ", "honestly ", "to be fair ", "hmm, ", "", ""]
    let after = [", I suppose", ", I think", " I guess", ", more or less", " or so", "", "", ""]
    let start = before.randomElement(using: &dice) ?? ""
    let text = start + text + (after.randomElement(using: &dice) ?? "")
    return isFirst ? capital(text) : text
  }

  private static func words(_ text: String) -> [String] {
    text.split(separator: " ").map(String.init)
  }

  private static func joined(_ words: [String]) -> String {
    words.filter { !$0.isEmpty }.joined(separator: " ")
  }
}
