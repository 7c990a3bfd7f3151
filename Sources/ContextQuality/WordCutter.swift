/// Cuts a text into words for comparing: lower case, apostrophes left out, numbers and their units
/// apart, signs such as `%` as words.
struct WordCutter {
  private(set) var words: [String] = []
  private(set) var ranges: [Range<String.Index>] = []
  /// What follows each word.
  private(set) var marks: [SpokenTurn.Mark] = []
  private let text: String
  private var word = ""
  private var start: String.Index?
  private var isNumber = false

  init(_ text: String) { self.text = text }

  mutating func run() {
    let scalars = text.unicodeScalars
    var index = scalars.startIndex
    while index < scalars.endIndex {
      let next = scalars.index(after: index)
      take(scalars[index], at: index, next < scalars.endIndex ? scalars[next] : " ", next)
      index = next
    }
    end(at: scalars.endIndex)
  }

  private mutating func take(
    _ scalar: Unicode.Scalar, at index: String.Index, _ next: Unicode.Scalar, _ end: String.Index
  ) {
    switch scalar {
    case "0"..."9":
      if start == nil { isNumber = true }
      add(scalar, at: index)
    case _ where scalar.needsNoWordSpace || scalar.isSign:
      self.end(at: index)
      add(scalar, at: index)
      self.end(at: end)
    case _ where scalar.isWordPart:
      // "20lb" is two words, "b4" is one.
      if isNumber { self.end(at: index) }
      add(scalar, at: index)
    case "'", "\u{2019}", "\u{2018}", "\u{2032}", "`", "\u{B4}":
      if start == nil || isNumber || !next.isWordPart { self.end(at: index) }
    case ".", ",":
      guard !(isNumber && ("0"..."9").contains(next)) else {
        if scalar == "." { add(scalar, at: index) }
        return
      }
      self.end(at: index)
      if scalar == "," { mark(.comma) } else if !next.isWordPart { mark(.stop) }
    case ";", ":", "(", ")", "\u{2013}", "\u{2014}":
      self.end(at: index)
      mark(.comma)
    case "!", "?", "\n", "\u{2026}":
      self.end(at: index)
      mark(.stop)
    default: self.end(at: index)
    }
  }

  private mutating func add(_ scalar: Unicode.Scalar, at index: String.Index) {
    if start == nil { start = index }
    if scalar.value < 0x80, !("A"..."Z").contains(scalar) {
      word.unicodeScalars.append(scalar)
    } else {
      word += scalar.properties.lowercaseMapping
    }
  }

  private mutating func end(at index: String.Index) {
    guard let first = start else { return }
    words.append(word)
    ranges.append(first..<index)
    marks.append(.none)
    (word, start, isNumber) = ("", nil, false)
  }

  private mutating func mark(_ mark: SpokenTurn.Mark) {
    guard let last = marks.last, last < mark else { return }
    marks[marks.count - 1] = mark
  }
}

extension Unicode.Scalar {
  /// Marks that mean a word: percent, degrees, currencies.
  fileprivate var isSign: Bool {
    self == "%" || self == "\u{B0}" || properties.generalCategory == .currencySymbol
  }
}
