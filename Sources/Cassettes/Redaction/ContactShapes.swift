/// Finds e-mail addresses and phone numbers.
struct ContactShapes {
  let text: ReadableText

  private var scalars: [Unicode.Scalar] { text.scalars }

  func sightings() -> [Sighting] {
    var found = scalars.indices.filter { scalars[$0] == "@" }.compactMap { sign in
      email(around: sign).map { Sighting(kind: .email, range: $0) }
    }
    let taken = found.map(\.range)
    found += PhoneShapes(text: text).ranges()
      .filter { range in !taken.contains { $0.overlaps(range) } }
      .map { Sighting(kind: .phone, range: $0) }
    return found
  }

  static func isLocal(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isWordScalar || scalar.digit != nil
      || ".!#$%&*+-=?^_{|}~".unicodeScalars.contains(scalar)
  }

  static func isDomain(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isWordScalar || scalar.digit != nil || scalar == "-" || scalar == "."
  }

  private func email(around sign: Int) -> Range<Int>? {
    var start = sign
    while start > 0, Self.isLocal(scalars[start - 1]) { start -= 1 }
    while start < sign, scalars[start] == "." || scalars[start] == "-" || scalars[start] == "*" {
      start += 1
    }
    var end = sign + 1
    while end < scalars.count, Self.isDomain(scalars[end]) { end += 1 }
    while end > sign, scalars[end - 1] == "." || scalars[end - 1] == "-" { end -= 1 }
    let labels = scalars[min(sign + 1, end)..<end]
      .split(separator: ".", omittingEmptySubsequences: false)
    guard start < sign, labels.count >= 2, labels.allSatisfy({ !$0.isEmpty }),
      let last = labels.last, last.count >= 2, last.contains(where: \.isWordScalar)
    else { return nil }
    return start..<end
  }
}
