/// Millionths of a unit: exact sums in any order.
typealias Millionths = Int

enum DecimalText {
  /// Reads `-?digits(.digits)?([eE][+-]?digits)?`, rounded to the nearest millionth.
  ///
  /// Nil for anything else, including NaN, infinity, hexadecimal, a decimal comma, separators and
  /// spaces, and for more than twelve digits before the point.
  static func millionths(_ text: UnsafeBufferPointer<UInt8>) -> Millionths? {
    var at = 0
    let isNegative = text.first == 0x2D
    if isNegative { at += 1 }
    var mantissa = 0
    var exponent = 6
    let whole = digits(text, &at, &mantissa, &exponent, isFraction: false)
    guard whole > 0 else { return nil }
    if at < text.count, text[at] == 0x2E {
      at += 1
      guard digits(text, &at, &mantissa, &exponent, isFraction: true) > 0 else { return nil }
    }
    if at < text.count, text[at] | 0x20 == 0x65 {
      guard let power = exponentPart(text, &at) else { return nil }
      exponent += power
    }
    guard at == text.count, let scaled = scaled(mantissa, exponent) else { return nil }
    return isNegative ? -scaled : scaled
  }

  /// Reads digits; those beyond a number's capacity only change the exponent.
  private static func digits(
    _ text: UnsafeBufferPointer<UInt8>, _ at: inout Int, _ mantissa: inout Int,
    _ exponent: inout Int, isFraction: Bool
  ) -> Int {
    let start = at
    while at < text.count, case let digit = text[at] &- 0x30, digit <= 9 {
      if mantissa < 100_000_000_000_000_000 {
        mantissa = mantissa * 10 + Int(digit)
        if isFraction { exponent -= 1 }
      } else if !isFraction {
        exponent += 1
      }
      at += 1
    }
    return at - start
  }

  private static func exponentPart(_ text: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> Int? {
    at += 1
    var sign = 1
    if at < text.count, text[at] == 0x2B || text[at] == 0x2D {
      sign = text[at] == 0x2D ? -1 : 1
      at += 1
    }
    let start = at
    var sum = 0
    while at < text.count, case let digit = text[at] &- 0x30, digit <= 9 {
      sum = min(sum * 10 + Int(digit), 10_000)
      at += 1
    }
    return at > start ? sign * sum : nil
  }

  private static func scaled(_ mantissa: Int, _ exponent: Int) -> Int? {
    if mantissa == 0 { return 0 }
    var (number, left) = (mantissa, exponent)
    while left > 0 {
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      if isTooLarge { return nil }
      number = product
      left -= 1
    }
    if left < 0 {
      if left < -18 { return 0 }
      var divisor = 1
      for _ in 0..<(-left) { divisor *= 10 }
      number = (number + divisor / 2) / divisor
    }
    return number <= 1_000_000_000_000_000_000 ? number : nil
  }
}

extension Millionths {
  var asDouble: Double { Double(self) / 1_000_000 }

  /// Nil if the product is too large.
  func scaled(by factor: Double) -> Millionths? {
    factor == 1 ? self : Int(exactly: (Double(self) * factor).rounded())
  }
}
