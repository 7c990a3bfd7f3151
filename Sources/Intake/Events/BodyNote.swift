import ContextQuality
import Signals

/// The answer about height and weight, in metric units.
public struct BodyNote: Hashable, Sendable, Codable {
  public var turn: Int
  public var heightCentimetres: Double?
  public var weightKilograms: Double?
  /// The user's words for them.
  public var quotes: [String] = []
  /// The words for the height, if this note has it; nil in older sessions.
  public var heightQuote: String?
  /// The words for the weight, if this note has it; nil in older sessions.
  public var weightQuote: String?
  public var skipped = false
  /// An implausible value that was read, such as `1.80 kg`.
  public var implausible: String?
  /// The answer has more than numbers, so the scorer reads it. Nil means no.
  public var isForScorer: Bool?

  /// Fills in values missing here from an earlier answer.
  func completed(by earlier: BodyNote?) -> BodyNote {
    guard let earlier else { return self }
    var note = self
    note.heightCentimetres = heightCentimetres ?? earlier.heightCentimetres
    note.weightKilograms = weightKilograms ?? earlier.weightKilograms
    return note
  }

  /// Without what rests on these quotes; nil if all of it does, or if an older note does not say what does.
  func without(_ isGone: (String) -> Bool) -> BodyNote? {
    guard quotes.contains(where: isGone) else { return self }
    var note = self
    note.quotes.removeAll(where: isGone)
    if heightQuote.map(isGone) == true { (note.heightCentimetres, note.heightQuote) = (nil, nil) }
    if weightQuote.map(isGone) == true { (note.weightKilograms, note.weightQuote) = (nil, nil) }
    return note.heightQuote == nil && note.weightQuote == nil ? nil : note
  }
}

extension BodyNote {
  init(turn: Int, stated facts: BodyFacts) {
    self.init(
      turn: turn, heightCentimetres: facts.heightCentimetres,
      weightKilograms: facts.weightKilograms, quotes: facts.quotes,
      heightQuote: facts.quotesByKind[.height], weightQuote: facts.quotesByKind[.weight],
      implausible: facts.implausible)
  }

  /// Code's reading of an answer about height and weight: only numbers, or only a
  /// refusal.
  init(answer text: String, turn: Int, _ pack: PromptPack) {
    if let facts = pack.measureWords.bareAnswer(text) {
      self.init(turn: turn, stated: facts)
    } else {
      let skips = pack.consent.isYes(PlainText.visible(text)) == false
      self.init(turn: turn, skipped: skips, isForScorer: skips ? nil : true)
    }
  }
}
