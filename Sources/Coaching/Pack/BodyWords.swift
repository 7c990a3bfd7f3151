import ContextQuality

/// The words that tell an injury from a way of speaking, from a pack's `coaching/words.json`.
package struct BodyWords: Sendable {
  /// Words of pain that mean something else away from the part that hurts: "bad", "pulled".
  let weak: LogWords.Phrases
  /// Parts that are ordinary words, too: they count only as "my back", or beside what hurts.
  let vague: Set<String>
  /// What stands before such a part, and what may stand between it and its pain.
  let owners, links: Set<String>
  /// Phrases with a part's name that are about no part, and with an illness's that are about none.
  let notBody, notIll: LogWords.Phrases

  init(_ document: PackDocument) throws(PackError) {
    func phrases(_ key: String) throws(PackError) -> LogWords.Phrases {
      LogWords.Phrases(
        phrases: try document.texts(document.root, key).map { LogTokens.words(of: $0) }
          .sorted { $0.count > $1.count })
    }
    func set(_ key: String) throws(PackError) -> Set<String> {
      Set(try document.texts(document.root, key))
    }
    (weak, notBody, notIll) = (
      try phrases("weakHurts"), try phrases("notBody"), try phrases("notIll")
    )
    (vague, owners, links) = (
      try set("vagueBody"), try set("bodyOwners"), try set("bodyLinks")
    )
  }
}
