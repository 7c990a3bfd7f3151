import FoundationEssentials
import IncrementalJSON

/// A failed expectation: its place, and both sides as text to compare.
public struct Mismatch: Hashable, Sendable {
  /// The expectation, such as `turns[2].overall`.
  public var path: String
  public var expected: String
  public var actual: String
  /// An explanation, if the two sides alone do not give it.
  public var remark: String?
  /// The line of the expectation in its cassette, counted from 1; nil if it has none.
  public var line: Int?
  /// The expectation in the cassette, if ``path`` is not precise enough.
  var place: [JSONLines.Step] = []
}

extension [Mismatch] {
  /// The same with the lines of a cassette's file; without any if it cannot be read.
  public func located(in file: String) -> [Mismatch] {
    guard !isEmpty, let data = FileManager.default.contents(atPath: file) else { return self }
    let lines = JSONLines([UInt8](data))
    return map { mismatch in
      var located = mismatch
      let steps = mismatch.place.isEmpty ? Self.steps(mismatch.path) : mismatch.place
      // A path begins in the cassette or, more often, in its expectations.
      located.line =
        lines.line(of: steps) ?? lines.line(of: [.member("expect")] + steps, atLeast: 2)
      return located
    }
  }

  /// `turns[2].components.lifestyle` as steps; what follows a space is for people.
  private static func steps(_ path: String) -> [JSONLines.Step] {
    let place = path.prefix { $0 != " " }
    return place.split(separator: ".").flatMap { part -> [JSONLines.Step] in
      let pieces = part.split(separator: "[")
      return pieces.enumerated().map { index, piece in
        if index > 0, piece.hasSuffix("]"), let number = Int(piece.dropLast()) {
          return .element(number)
        }
        return .member(String(piece))
      }
    }
  }
}
