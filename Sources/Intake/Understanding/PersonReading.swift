import ContextQuality
package import IncrementalJSON
package import LanguageModels

/// What a reading looks for besides evidence.
struct PersonReading: Sendable {
  /// What is understood already.
  var understanding = Understanding()
  /// The hypothesis that the coach asked about last, in the coach's words.
  var hypothesis: String?
  /// What another module wants to read.
  var member: ReadingMember?
  /// What may be amended in the profile; nil without one.
  var amends: ReadingMember?
  /// The day of the last message, with its weekday.
  var today: String?
}

/// A reading's result, with what other modules read from it.
package struct TurnReading: Sendable {
  @Shared package var scoring: Scoring
  /// The companion's member, unchecked.
  package var member: JSONValue?
  /// What the profile is to say instead, unchecked.
  package var amends: JSONValue?
  /// Why the model did not answer; nil if it did.
  var error: ModelError?
  /// Quotes that were accepted.
  var accepted = 0
  /// Of these, quotes that were not verbatim and were replaced by the user's words.
  var snapped = 0

  package init(
    _ scoring: Scoring, member: JSONValue? = nil, amends: JSONValue? = nil,
    error: ModelError? = nil
  ) {
    self.scoring = scoring
    (self.member, self.amends, self.error) = (member, amends, error)
  }
}

/// Reads what is understood while an answer arrives.
///
/// Only a whole part counts, so nothing shown is taken back, except by a part that replaces it.
struct UnderstandingStream {
  private var reader = IncrementalJSONReader()
  private var check: UnderstandingCheck
  private var seen = 0
  private(set) var understanding: Understanding

  init(_ check: UnderstandingCheck, after understanding: Understanding) {
    (self.check, self.understanding) = (check, understanding)
  }

  /// - Returns: What is understood after each part that this piece completed and that changed
  ///   something. However an answer is cut into pieces, the same comes out.
  mutating func receive(_ piece: String) -> [Understanding] {
    reader.receive(piece)
    // Members are complete once a brace closes them.
    guard piece.utf8.contains(UInt8(ascii: "}")), reader.status != .invalid,
      let root = reader.complete
    else { return [] }
    let parts = PersonClaims(root).parts.dropFirst(seen)
    seen += parts.count
    return parts.compactMap { part in
      var claims = PersonClaims()
      claims.parts = [part]
      let before = understanding
      understanding.take(check.parts(claims))
      return understanding == before ? nil : understanding
    }
  }
}
