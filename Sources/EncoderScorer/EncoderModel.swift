import CEncoder

/// The encoder's weights, word pieces and thresholds in one block of bytes.
///
/// `make train-encoder` makes the built-in one from the labeled text. It is linked into the program
/// and read where it lies.
public struct EncoderModel: @unchecked Sendable {  // Points at bytes that never change or go away.
  let c: encoder_model

  /// The model in the program; nil if the program was built with a broken one.
  public static let builtIn = EncoderModel(
    bytes: encoder_model_bytes(), count: Int(encoder_model_size()))

  private init?(bytes: UnsafeRawPointer?, count: Int) {
    var model = encoder_model()
    guard encoder_open(bytes, UInt(count), &model) != 0 else { return nil }
    c = model
  }

  /// The chance above which a facet counts as told.
  func threshold(_ facet: Int) -> Float {
    withUnsafePointer(to: c) { encoder_thresholds($0)[facet] }
  }

  /// The chance above which a facet counts as taken back.
  func withdrawalThreshold(_ facet: Int) -> Float { threshold(24 + facet) }

  /// The word pieces of a text.
  func pieces(of text: String) -> [Int32] {
    var text = text
    return text.withUTF8 { bytes in
      // A byte begins at most one piece.
      var pieces = [encoder_piece](repeating: encoder_piece(), count: bytes.count)
      let count = withUnsafePointer(to: c) {
        encoder_split($0, bytes.baseAddress, bytes.count, &pieces, pieces.count)
      }
      return pieces.prefix(count).map(\.id)
    }
  }
}
