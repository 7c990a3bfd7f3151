import ContextQuality
import IncrementalJSON

/// What a sentence says around a phrase: when it was, whom it is about, whether it is denied.
package struct CareContext: Sendable {
  /// Phrases that put the rest of their clause in the past.
  package var past: [PhrasePattern] = []
  /// Phrases that say that it is not past after all.
  package var present: [PhrasePattern] = []

  /// Whether a match is told as a thing of the past.
  ///
  /// "Used to be fit but now my chest hurts": what is past in one clause is not past in the next.
  package func isOver(_ text: PhrasePattern.Text, _ match: Range<Int>) -> Bool {
    let turn = text.words[..<match.lowerBound].lastIndex { Self.turns.contains($0) } ?? 0
    let isPast = past.contains { phrase in
      phrase.matches(in: text).contains { $0.lowerBound >= turn }
    }
    return isPast && !present.contains { $0.matches(in: text) }
  }

  /// A "no" or "not" within the four words before.
  package static func isNegated(_ before: ArraySlice<String>) -> Bool {
    let near = before.suffix(4)
    let turn = near.lastIndex { turns.contains($0) } ?? near.startIndex
    return near.indices.contains { index in
      guard index >= turn, negations.contains(before[index]) else { return false }
      let next = index + 1 < before.endIndex ? before[index + 1] : ""
      let previous = index > before.startIndex ? before[index - 1] : ""
      return !undenied.contains(next) && previous != "why"
    }
  }

  /// Whose story it is: the last person named up to the end of the phrase.
  package static func isAboutSomebodyElse(_ words: ArraySlice<String>) -> Bool {
    if let last = words.last, selves.contains(last) { return false }
    for word in words.dropLast().reversed() {
      if selves.contains(word) { return false }
      if others.contains(word) { return true }
    }
    return false
  }

  private static let turns: Set<String> = ["but", "however", "though", "although", "except"]

  /// "I don't know if…" and "not sure whether…" deny nothing.
  private static let undenied: Set<String> = ["know", "sure", "only", "just", "care", "sleep"]

  private static let negations: Set<String> = [
    "no", "not", "never", "dont", "doesnt", "didnt", "isnt", "wasnt", "arent", "wont", "without",
    "havent", "hasnt", "hadnt", "kein", "keine", "nicht", "sin", "sans", "nunca", "jamais", "nie",
  ]
  private static let selves: Set<String> = [
    "i", "im", "ive", "id", "ill", "me", "we", "ich", "je", "jai", "yo", "eu", "io", "ik", "myself",
    "mir", "mich",
  ]
  private static let others: Set<String> = [
    "he", "she", "they", "hes", "shes", "his", "her", "dad", "father", "mom", "mum",
    "mother", "brother", "sister", "uncle", "aunt", "grandma", "grandpa",
    "grandmother", "grandfather", "friend", "friends", "cousin", "neighbour", "neighbor",
    "coworker", "colleague", "boss", "husband", "wife", "partner", "roommate",
    "buddy", "client", "clients", "patient", "patients", "guy", "somebody", "someone", "people",
    "player", "him", "son", "daughter", "boyfriend", "girlfriend", "family", "parents",
    "pros", "bodybuilders", "athletes", "kids", "daughters",
  ]
}
