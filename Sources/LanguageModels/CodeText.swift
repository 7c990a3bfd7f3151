/// Finds the one-time code in what somebody typed or pasted.
package enum CodeText {
  /// The digits of the code: all there is, in any script and with anything between them, or the one number of
  /// that length in a sentence, also in groups (`123 456`) or twice. Nil if there is none, or more than one.
  package static func digits(in typed: String, lengths: ClosedRange<Int>) -> String? {
    let alone = typed.filter { !$0.isWhitespace && !$0.isPunctuation }
    let numbers = typed.split { digit($0) == nil }
    let groups = typed.split { digit($0) == nil && !joins($0) }
      .map { $0.filter { digit($0) != nil } }
    for parts in [[alone], numbers.map { String($0) }, groups] {
      let codes = parts.filter { lengths.contains($0.count) }
        .compactMap { part in
          let digits = part.compactMap(digit)
          return digits.count == part.count ? digits.map { "\($0)" }.joined() : nil
        }
      if let code = codes.first, codes.allSatisfy({ $0 == code }) { return code }
    }
    return nil
  }

  /// A blank of any width, or a dash.
  private static func joins(_ character: Character) -> Bool {
    let category = character.unicodeScalars.first?.properties.generalCategory
    return category == .spaceSeparator || category == .dashPunctuation
  }

  /// A superscript, or a word for a number, is none.
  private static func digit(_ character: Character) -> Int? {
    let scalars = character.unicodeScalars
    guard scalars.count == 1, scalars.first?.properties.numericType == .decimal else { return nil }
    return character.wholeNumberValue
  }
}
