import CEncoder

/// What was learned for acts beside the encoder's weights, linked into the program.
///
/// `make train-acts` makes it.
struct ActModel: @unchecked Sendable {  // It points into the program's own read-only bytes.
  private let c: encoder_acts
  private let kind = encoder_best_kind()

  /// Nil if it was made for another encoder.
  init?(of model: EncoderModel) {
    var acts = encoder_acts()
    let isRead = withUnsafePointer(to: model.c) {
      encoder_acts_open(encoder_acts_bytes(), encoder_acts_size(), $0, &acts)
    }
    guard isRead != 0 else { return nil }
    c = acts
  }

  /// The odds from which a message may do something, and from which it surely does.
  func bounds(_ act: Int, at moment: ActMoment) -> (possible: Float, sure: Float) {
    withUnsafePointer(to: c) {
      guard let bounds = encoder_acts_thresholds($0, moment.place) else {
        return (.infinity, .infinity)
      }
      return (bounds[act], bounds[act + Int(ENCODER_ACTS)])
    }
  }

  /// What the words of a text say of each act, in log odds, and whether many of them are new.
  func words(of text: String, at moment: ActMoment) -> (logits: [Float], areUnfamiliar: Bool) {
    var logits = [Float](repeating: 0, count: Int(ENCODER_ACTS))
    var text = text
    let areUnfamiliar = text.withUTF8 { bytes in
      withUnsafePointer(to: c) {
        encoder_words($0, moment.place, bytes.baseAddress, bytes.count, &logits)
      }
    }
    return (logits, areUnfamiliar != 0)
  }

  /// - Parameters:
  ///   - ids: What was said before, up to `spoken`, then the message and a separator.
  ///   - words: What the words say.
  func odds(
    _ ids: [Int32], after spoken: Int, at moment: ActMoment, words: [Float],
    _ model: EncoderModel, _ memory: UnsafeMutableRawPointer
  ) -> [Float] {
    var odds = [Float](repeating: 0, count: Int(ENCODER_ACTS))
    withUnsafePointer(to: model.c) { model in
      _ = withUnsafePointer(to: c) { acts in
        encoder_act(
          model, acts, kind, memory, ids, ids.count, spoken, moment.place, words, &odds)
      }
    }
    return odds
  }
}

extension ActMoment {
  fileprivate var place: Int32 {
    switch self {
    case .question: 0
    case .offer: 1
    case .summary: 2
    case .wall: 3
    case .coaching: 4
    }
  }
}
