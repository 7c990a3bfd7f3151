import CEncoder
import OfflineScorer
import Synchronization

/// Reads what a message does: whether it agrees, declines, asks for a reason, and so on.
///
/// It reads English only. The same message gives the same reading everywhere. What moves the
/// conversation on at once, such as agreeing to a summary or continuing at the wall, is sure only if
/// no other act that changes the course is in doubt, and if most words are familiar.
public final class ActReader: Sendable {
  private let model: EncoderModel
  private let acts: ActModel
  private let clauses = Mutex(ClauseReader(model: .builtIn))

  /// Nil if the program holds no acts for this model.
  public init?(model: EncoderModel) {
    guard let acts = ActModel(of: model) else { return nil }
    (self.model, self.acts) = (model, acts)
  }

  /// Reads the user's message.
  ///
  /// - Parameters:
  ///   - coach: The coach's message before it.
  ///   - needsFamiliar: Whether most of its words must be in the lexicon, however few there are.
  /// - Returns: nil if the text may be in another language.
  public func read(
    _ text: String, after coach: String, at moment: ActMoment, needsFamiliar: Bool = false
  ) -> ActReading? {
    guard isReadable(text, needsFamiliar) else { return nil }
    let words = acts.words(of: text, at: moment)
    let odds = odds(of: text, after: coach, at: moment, words: words.logits)
    var reading = ActReading()
    for (act, name) in ActReading.names.enumerated() {
      let bounds = acts.bounds(act, at: moment)
      if odds[act] >= bounds.sure {
        reading.sure.append(name)
      } else if odds[act] >= bounds.possible {
        reading.possible.append(name)
      }
    }
    if words.areUnfamiliar || !reading.isDecided { reading.withdrawConsent(at: moment) }
    return reading
  }

  /// The odds of each act of ``ActReading/names``.
  private func odds(
    of text: String, after coach: String, at moment: ActMoment, words: [Float]
  ) -> [Float] {
    var odds = [Float](repeating: 0, count: ActReading.names.count)
    let pieces = model.pieces(of: text)
    let head = head(coach, moment)
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: Int(encoder_memory_size()), alignment: 64)
    defer { memory.deallocate() }
    var start = 0
    while start < pieces.count {
      let end = min(pieces.count, start + Self.window)
      let ids = head + pieces[start..<end] + [model.c.separator]
      let part = acts.odds(ids, after: head.count, at: moment, words: words, model, memory)
      odds = zip(odds, part).map(max)
      if end == pieces.count { break }
      start = end - Self.overlap
    }
    return odds
  }

  /// The pieces that are read at once.
  private static let window = 320
  private static let overlap = 64

  /// The coach's last words where they say what the message answers. Elsewhere they change with the
  /// program's texts and would only mislead.
  private func head(_ coach: String, _ moment: ActMoment) -> [Int32] {
    let counts = moment == .question || moment == .coaching
    let words = counts ? model.pieces(of: coach).suffix(Int(model.c.coach)) : []
    return [model.c.first] + words + [model.c.separator]
  }

  private func isReadable(_ text: String, _ needsFamiliar: Bool) -> Bool {
    guard !text.unicodeScalars.contains(where: \.isLetterOfAnotherScript) else { return false }
    var text = text
    return clauses.withLock { clauses in
      text.withUTF8 { clauses.read($0, isAnswer: true) }
      let (words, unknown) = (clauses.words, clauses.unknownWords)
      if needsFamiliar, unknown * 2 > words { return false }
      return words < 5 || unknown * 5 < words * 3
    }
  }
}

extension Unicode.Scalar {
  /// Whether this is a letter that is not Latin.
  fileprivate var isLetterOfAnotherScript: Bool { value > 0x24F && properties.isAlphabetic }
}
