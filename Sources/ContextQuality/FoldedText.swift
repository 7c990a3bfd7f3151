/// Text with white space, case and typographic quotation marks folded, for comparing.
package struct FoldedText: Sendable {
  /// Runs of white space are one space; none at the ends.
  package let scalars: [Unicode.Scalar]

  package init(_ text: String) {
    var folded: [Unicode.Scalar] = []
    folded.reserveCapacity(text.utf8.count)
    var pendingSpace = false
    for scalar in text.unicodeScalars {
      if scalar.isSpace {
        pendingSpace = !folded.isEmpty
        continue
      }
      if pendingSpace {
        folded.append(" ")
        pendingSpace = false
      }
      Self.fold(scalar, into: &folded)
    }
    scalars = folded
  }

  package var isEmpty: Bool { scalars.isEmpty }

  package var text: String { Self.text(of: scalars[...]) }

  /// Runs of letters and digits; apostrophes are part of their word.
  package var words: [String] {
    scalars.split { !$0.isWordPart && $0 != "'" }.map(Self.text)
  }

  private static func text(of scalars: ArraySlice<Unicode.Scalar>) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(scalars.count)
    for scalar in scalars {
      if scalar.value < 0x80 {
        bytes.append(UInt8(scalar.value))
      } else {
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Long enough, and more than little words.
  func isSubstantial(littleWords: Set<String>) -> Bool {
    scalars.lazy.filter(\.isWordPart).reduce(0) { $0 + ($1.needsNoWordSpace ? 2 : 1) }
      >= QuoteFitter.shortestQuote
      && words.contains { word in
        !word.split(separator: "'").allSatisfy { littleWords.contains(String($0)) }
      }
  }

  package func contains(_ needle: FoldedText) -> Bool {
    let (hay, pin) = (scalars, needle.scalars)
    guard let first = pin.first, let last = pin.last, pin.count <= hay.count else { return false }
    for start in 0...(hay.count - pin.count) where hay[start] == first {
      let end = start + pin.count
      guard hay[start..<end].elementsEqual(pin) else { continue }
      let cutsWordBefore = start > 0 && hay[start - 1].joinsWord(with: first)
      let cutsWordAfter = end < hay.count && last.joinsWord(with: hay[end])
      if !cutsWordBefore && !cutsWordAfter { return true }
    }
    return false
  }

  private static func fold(_ scalar: Unicode.Scalar, into folded: inout [Unicode.Scalar]) {
    switch scalar.value {
    case 0x41...0x5A: folded.append(Unicode.Scalar(UInt8(scalar.value + 32)))
    case 0...0x7F: folded.append(scalar)
    case 0x2018, 0x2019, 0x201A, 0x201B, 0x2032: folded.append("'")
    case 0x201C, 0x201D, 0x201E, 0x201F, 0x2033: folded.append("\"")
    default: folded.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
    }
  }
}

extension Unicode.Scalar {
  /// White space. Most text is ASCII, which does not need the property lookup.
  var isSpace: Bool {
    value < 0x80 ? value == 0x20 || (0x09...0x0D).contains(value) : properties.isWhitespace
  }

  /// Letters, marks and digits make words; everything else separates them.
  var isWordPart: Bool {
    if value < 0x80 {
      return (0x30...0x39).contains(value) || (0x41...0x5A).contains(value)
        || (0x61...0x7A).contains(value)
    }
    return properties.isAlphabetic || properties.numericType != nil
      || properties.generalCategory == .nonspacingMark
      || properties.generalCategory == .spacingMark
  }

  /// Scripts written without spaces between words, where a part of a run is a word too.
  var needsNoWordSpace: Bool {
    switch value {
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF: true
    case 0x2E80...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: true
    default: false
    }
  }

  fileprivate func joinsWord(with next: Unicode.Scalar) -> Bool {
    isWordPart && next.isWordPart && !needsNoWordSpace && !next.needsNoWordSpace
  }
}
