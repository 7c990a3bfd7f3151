/// A token's symbol in patterns, unless it is a function word.
///
/// A word's own hash is odd and, except for a chance of one in 66,000, larger than any of these.
package enum Symbol {
  /// A class's number depends only on its name, not on its place in the lexicon.
  package static func ofClass(_ name: String) -> UInt32 {
    1024 + Hash.word("class " + name) % 64_000
  }

  @inline(__always) package static var unknown: UInt32 { 290 }
  @inline(__always) static var unknownGerund: UInt32 { 291 }
  @inline(__always) static var unknownPast: UInt32 { 292 }
  @inline(__always) static var unknownAdverb: UInt32 { 293 }
  @inline(__always) static var unknownName: UInt32 { 294 }
  /// One of the five above.
  @inline(__always)
  static func isUnknownWord(_ symbol: UInt32) -> Bool { symbol &- unknown < 5 }

  @inline(__always) static var emoji: UInt32 { 295 }

  @inline(__always) static var zero: UInt32 { 300 }
  /// Up to 7, the number of days in a week.
  @inline(__always) static var upTo7: UInt32 { 301 }
  @inline(__always) static var upTo24: UInt32 { 302 }
  @inline(__always) static var upTo99: UInt32 { 303 }
  @inline(__always) static var upTo399: UInt32 { 304 }
  @inline(__always) static var upTo1899: UInt32 { 305 }
  @inline(__always) static var calendarYear: UInt32 { 306 }
  @inline(__always) static var large: UInt32 { 307 }
  @inline(__always) static var decimal: UInt32 { 308 }
  @inline(__always) static var clock: UInt32 { 309 }
  @inline(__always) static var ratio: UInt32 { 310 }
  @inline(__always) static var feetAndInches: UInt32 { 311 }
  @inline(__always) static var ordinal: UInt32 { 312 }
  @inline(__always) static var range: UInt32 { 313 }

  @inline(__always)
  package static func number(_ value: UInt64) -> UInt32 {
    switch value {
    case 0: zero
    case 1...7: upTo7
    case 8...24: upTo24
    case 25...99: upTo99
    case 100...399: upTo399
    case 400...1899: upTo1899
    case 1900...2100: calendarYear
    default: large
    }
  }

  /// Small numbers also keep their value.
  @inline(__always)
  package static func numberLemma(_ value: UInt64, symbol: UInt32) -> UInt32 {
    value <= 31 ? 400 + UInt32(value) : symbol
  }
}
