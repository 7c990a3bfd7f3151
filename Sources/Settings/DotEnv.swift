/// A `.env` file, read line by line.
///
/// The grammar: `NAME=value`, with an optional `export ` before it and spaces around name, sign
/// and value. A value in single quotes is literal; in double quotes `\n`, `\r`, `\t`, `\"`, `\\`
/// and `\$` are escapes; an unquoted value ends at ` #`. Nothing is ever expanded or executed. If a
/// name is set twice, the last one wins. An invalid line is reported and skipped, and never affects
/// the next one.
public struct DotEnv: Hashable, Sendable {
  public struct Entry: Hashable, Sendable {
    public var value: String
    /// Counted from 1.
    public var line: Int
  }

  public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1; nil if the whole file is meant.
    public var line: Int?
    /// Never contains a value.
    public var reason: String

    public var description: String { line.map { "line \($0): \(reason)" } ?? reason }
  }

  public private(set) var entries: [String: Entry] = [:]
  public private(set) var problems: [Problem] = []

  /// The longest line that is read, in bytes.
  public static let longestLine = 64 * 1024

  public init() {}

  public init(bytes: [UInt8]) {
    guard !bytes.contains(0) else {
      problems = [
        Problem(
          line: Self.line(of: 0, in: bytes),
          reason: "contains a NUL byte, so this is not a text file")
      ]
      return
    }
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() { read(line, number: index + 1) }
  }

  private static func line(of byte: UInt8, in bytes: [UInt8]) -> Int {
    1 + bytes.prefix { $0 != byte }.filter { $0 == 0x0A }.count
  }

  private mutating func read(_ bytes: ArraySlice<UInt8>, number: Int) {
    guard bytes.count <= Self.longestLine else {
      return report(number, "longer than \(Self.longestLine) bytes; skipped")
    }
    guard let line = String(validating: bytes, as: UTF8.self)?.trimmedOfSpace else {
      return report(number, "not valid UTF-8")
    }
    guard !line.isEmpty, !line.hasPrefix("#") else { return }
    guard let sign = line.firstIndex(of: "=") else {
      return report(number, "expected NAME=value")
    }
    var name = line[..<sign].description.trimmedOfSpace
    if name.hasPrefix("export ") { name = String(name.dropFirst(7)).trimmedOfSpace }
    guard Self.isName(name) else { return report(number, "expected a name before the = sign") }
    switch Self.value(String(line[line.index(after: sign)...]).trimmedOfSpace) {
    case .success(let value): set(name, value, number)
    case .failure(let problem): report(number, "\(name): \(problem.reason)")
    }
  }

  private mutating func set(_ name: String, _ value: String, _ number: Int) {
    if let earlier = entries[name] {
      report(number, "\(name) overrides line \(earlier.line)")
    }
    entries[name] = Entry(value: value, line: number)
  }

  private mutating func report(_ line: Int, _ reason: String) {
    problems.append(Problem(line: line, reason: reason))
  }

  private static func isName(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard let first = bytes.first, !(0x30...0x39).contains(first) else { return false }
    return bytes.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || $0 == 0x5F
    }
  }

  private struct BadValue: Error {
    var reason: String
  }

  private static func value(_ text: String) -> Result<String, BadValue> {
    guard let quote = text.unicodeScalars.first, quote == "\"" || quote == "'" else {
      return .success(unquoted(text))
    }
    return quoted(text.unicodeScalars.dropFirst(), by: quote)
  }

  private static func unquoted(_ text: String) -> String {
    if text.hasPrefix("#") { return "" }
    let end = [" #", "\t#"].compactMap { text.firstRange(of: $0)?.lowerBound }.min()
    return String(text[..<(end ?? text.endIndex)]).trimmedOfSpace
  }

  private static func quoted(
    _ scalars: Substring.UnicodeScalarView, by quote: Unicode.Scalar
  ) -> Result<String, BadValue> {
    var value = String.UnicodeScalarView()
    var rest = scalars
    while let scalar = rest.popFirst() {
      if scalar == quote { return ending(String(rest).trimmedOfSpace, String(value)) }
      guard scalar == "\\", quote == "\"" else {
        value.append(scalar)
        continue
      }
      guard let escaped = rest.popFirst() else { break }
      switch escaped {
      case "n": value.append("\n")
      case "r": value.append("\r")
      case "t": value.append("\t")
      case "\"", "\\", "$": value.append(escaped)
      default:
        value.append("\\")
        value.append(escaped)
      }
    }
    return .failure(BadValue(reason: "the quotation mark isn't closed on this line"))
  }

  private static func ending(_ rest: String, _ value: String) -> Result<String, BadValue> {
    rest.isEmpty || rest.hasPrefix("#")
      ? .success(value)
      : .failure(BadValue(reason: "expected nothing after the closing quotation mark"))
  }
}

extension String {
  /// Without spaces, tabs and carriage returns at both ends.
  var trimmedOfSpace: String {
    var scalars = Substring(self).unicodeScalars
    let isSpace = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" || scalar == "\r" }
    while let first = scalars.first, isSpace(first) { scalars.removeFirst() }
    while let last = scalars.last, isSpace(last) { scalars.removeLast() }
    return String(scalars)
  }
}
