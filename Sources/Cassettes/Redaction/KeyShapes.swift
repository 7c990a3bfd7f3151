import FoundationEssentials

/// A value found in a text that must not be there.
struct Sighting: Hashable {
  var kind: SecretKind
  /// In scalars of the readable text.
  var range: Range<Int>
}

/// The kind of a value that must not be in a cassette.
public enum SecretKind: String, Hashable, Sendable, CaseIterable {
  case key
  case encodedKey = "key in base64"
  case bearerToken = "bearer token"
  case webToken = "JSON web token"
  case privateKey = "private key"
  case authorization
  case cookie
  case organisation = "organisation id"
  case email = "e-mail address"
  case phone = "phone number"

  /// Personal data rather than a secret.
  public var isWeak: Bool { self == .email || self == .phone }

  var placeholder: Placeholder.Kind {
    switch self {
    case .email: .email
    case .phone: .phone
    case .organisation: .org
    default: .key
    }
  }
}

/// Finds text that is shaped like a key, from any provider.
struct KeyShapes {
  let text: ReadableText

  private var scalars: [Unicode.Scalar] { text.scalars }

  /// Key prefixes by their first letter, and how many characters must follow.
  private static let prefixes = byFirst(
    \.text,
    of: [
      ("github_pat_", 20), ("glpat-", 16), ("nvapi-", 16), ("pplx-", 16), ("tvly-", 16),
      ("gsk_", 12), ("csk-", 16), ("xai-", 12), ("sk-", 8), ("sk_", 8), ("rk_", 12), ("pk_", 12),
      ("pk-", 12), ("hf_", 12), ("r8_", 16), ("ghp_", 12), ("gho_", 12), ("ghu_", 12),
      ("ghs_", 12), ("ghr_", 12), ("AIza", 16), ("AKIA", 12), ("ASIA", 12), ("xoxb-", 10),
      ("xoxp-", 10), ("xoxa-", 10), ("ya29.", 16), ("key-", 16),
    ] as [(text: String, least: Int)])

  /// Nearly every character of a text begins nothing: one lookup says so.
  private static func byFirst<Shape>(
    _ text: (Shape) -> String, of shapes: [Shape]
  ) -> [Unicode.Scalar: [Shape]] {
    Dictionary(grouping: shapes) { text($0).unicodeScalars.first ?? " " }
  }

  func sightings(configured: [String] = []) -> [Sighting] {
    var found: [Sighting] = []
    var index = 0
    while index < scalars.count {
      if let sighting = sighting(at: index, configured) {
        found.append(sighting)
        index = sighting.range.upperBound
      } else {
        index += 1
      }
    }
    return found
  }

  private func sighting(at index: Int, _ configured: [String]) -> Sighting? {
    let scalar = scalars[index]
    guard scalar.value < 0x80 else { return nil }
    let startsRun = index == 0 || !Self.isKeyScalar(scalars[index - 1])
    if let prefixes = Self.prefixes[scalar],
      let range = prefixedKey(at: index, startsRun, prefixes)
    {
      return Sighting(kind: .key, range: range)
    }
    guard startsRun else { return nil }
    switch scalar {
    case "e": if let range = webToken(at: index) { return Sighting(kind: .webToken, range: range) }
    case "-":
      if let range = privateKey(at: index) { return Sighting(kind: .privateKey, range: range) }
    default: break
    }
    if let range = account(at: index) { return Sighting(kind: .organisation, range: range) }
    if let sighting = labelled(at: index) { return sighting }
    if let range = encodedKey(at: index, configured) {
      return Sighting(kind: .encodedKey, range: range)
    }
    return nil
  }

  static func isKeyScalar(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCIILetter || scalar.isASCIIDigit || scalar == "-" || scalar == "_"
  }

  func run(from index: Int, while belongs: (Unicode.Scalar) -> Bool) -> Int {
    var end = index
    while end < scalars.count, belongs(scalars[end]) { end += 1 }
    return end
  }

  func starts(_ prefix: String, at index: Int, ignoringCase: Bool = false) -> Bool {
    var position = index
    for scalar in prefix.unicodeScalars {
      guard position < scalars.count else { return false }
      let found = ignoringCase ? lowercased(scalars[position]) : scalars[position]
      guard found == scalar else { return false }
      position += 1
    }
    return true
  }

  private func lowercased(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    ("A"..."Z").contains(scalar) ? Unicode.Scalar(scalar.value | 0x20) ?? scalar : scalar
  }
}

extension KeyShapes {
  private func prefixedKey(
    at index: Int, _ startsRun: Bool, _ prefixes: [(text: String, least: Int)]
  ) -> Range<Int>? {
    for prefix in prefixes where starts(prefix.text, at: index) {
      let bodyStart = index + prefix.text.unicodeScalars.count
      var end = run(from: bodyStart, while: Self.isKeyScalar)
      while end > bodyStart, scalars[end - 1] == "-" || scalars[end - 1] == "_" { end -= 1 }
      let body = scalars[bodyStart..<end]
      // After a letter it is the end of a word, as in "task-"; a real key glued to a word has a
      // long run that no word has.
      let isGlued =
        !startsRun && (scalars[index - 1].isASCIILetter || scalars[index - 1].isASCIIDigit)
      let isKey =
        isGlued
        ? Self.hasLongRun(body)
        : body.count >= prefix.least && (body.contains(where: \.isASCIIDigit) || body.count >= 20)
      if isKey, !Self.isWords(body) { return index..<end }
    }
    return nil
  }

  /// Sixteen letters and digits in a row, with at least one of each.
  private static func hasLongRun(_ body: ArraySlice<Unicode.Scalar>) -> Bool {
    body.split { $0 == "-" || $0 == "_" }.contains { run in
      run.count >= 16 && run.contains(where: \.isASCIIDigit)
        && run.contains(where: \.isASCIILetter)
    }
  }

  /// Lower-case words joined by hyphens, such as `pk-in-the-first-column`.
  private static func isWords(_ body: ArraySlice<Unicode.Scalar>) -> Bool {
    body.split { $0 == "-" || $0 == "_" }.allSatisfy { word in
      word.count <= 12 && word.allSatisfy { ("a"..."z").contains($0) }
    }
  }

  /// Three base64 parts joined by dots; the first is a JSON object.
  private func webToken(at index: Int) -> Range<Int>? {
    guard starts("eyJ", at: index) else { return nil }
    let end = run(from: index) { Self.isKeyScalar($0) || $0 == "." }
    let parts = scalars[index..<end].split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0].count >= 8, parts[1].count >= 8 else { return nil }
    let length = parts.prefix(3).reduce(0) { $0 + $1.count } + min(parts.count, 3) - 1
    return index..<(index + length)
  }

  private func privateKey(at index: Int) -> Range<Int>? {
    guard starts("-----BEGIN ", at: index) else { return nil }
    let head = text.text(index..<min(index + 60, scalars.count))
    guard head.contains("PRIVATE KEY-----") else { return nil }
    var position = index + 11
    while position < scalars.count, !starts("-----END ", at: position) { position += 1 }
    let end = min(position + 9, scalars.count)
    return index..<run(from: run(from: end) { $0 != "-" && $0 != "\n" }) { $0 == "-" }
  }

  /// `org-…`, `proj_…`: letters and digits that do not form a name.
  private func account(at index: Int) -> Range<Int>? {
    guard scalars[index] == "o" || scalars[index] == "p" else { return nil }
    for prefix in ["org-", "org_", "proj_", "proj-"] where starts(prefix, at: index) {
      let start = index + prefix.utf8.count
      let end = run(from: start) { $0.isASCIILetter || $0.isASCIIDigit }
      let body = scalars[start..<end]
      let isMixed = body.contains(where: \.isASCIIDigit) && body.contains(where: \.isASCIILetter)
      if (isMixed && body.count >= 6) || body.count >= 20 { return index..<end }
    }
    return nil
  }

  private static let labels = byFirst(
    \.text,
    of: [
      ("set-cookie", .cookie), ("cookie", .cookie), ("proxy-authorization", .authorization),
      ("authorization", .authorization), ("x-api-key", .authorization),
      ("x-goog-api-key", .authorization), ("api-key", .authorization), ("api_key", .authorization),
      ("apikey", .authorization), ("api key", .authorization), ("access_token", .authorization),
      ("openai-organization", .organisation), ("anthropic-organization-id", .organisation),
      ("openai-project", .organisation), ("bearer", .bearerToken),
    ] as [(text: String, kind: SecretKind)])

  /// A value after a label, as in a header: `authorization: Basic …`.
  private func labelled(at index: Int) -> Sighting? {
    let first = lowercased(scalars[index])
    for label in Self.labels[first] ?? []
    where starts(label.text, at: index, ignoringCase: true) {
      var start = index + label.text.utf8.count
      if label.kind == .bearerToken {
        guard let value = token(after: start) else { continue }
        return Sighting(kind: .bearerToken, range: value)
      }
      if starts(" provided", at: start) { start += 9 }
      if label.kind == .cookie {
        guard let value = cookie(after: start) else { continue }
        return Sighting(kind: .cookie, range: value)
      }
      start = afterSeparator(start) ?? scalars.count
      for scheme in ["bearer ", "basic ", "token "]
      where starts(scheme, at: start, ignoringCase: true) { start += scheme.utf8.count }
      guard let value = token(at: start) else { continue }
      return Sighting(kind: label.kind, range: value)
    }
    return nil
  }

  /// The index after `:` or `=`, and any quotes and spaces around it.
  private func afterSeparator(_ index: Int) -> Int? {
    let colon = run(from: index) { $0 == "\"" || $0 == "'" || $0 == " " }
    guard colon < scalars.count, scalars[colon] == ":" || scalars[colon] == "=" else { return nil }
    return run(from: colon + 1) { $0 == "\"" || $0 == "'" || $0 == " " }
  }

  private func token(after index: Int) -> Range<Int>? {
    let start = run(from: index) { $0 == " " || $0 == "\t" }
    return start > index ? token(at: start) : nil
  }

  /// Text that is not a word: eight characters with a digit, or twenty characters.
  private func token(at start: Int) -> Range<Int>? {
    guard start < scalars.count else { return nil }
    let end = run(from: start) { Self.isKeyScalar($0) || "._~+/=".unicodeScalars.contains($0) }
    var last = end
    while last > start, scalars[last - 1] == "." { last -= 1 }
    let body = scalars[start..<last]
    let isToken =
      (body.count >= 8 && body.contains(where: \.isASCIIDigit)
        && body.contains(where: \.isASCIILetter)) || body.count >= 24
    return isToken ? start..<last : nil
  }

  private func cookie(after index: Int) -> Range<Int>? {
    guard let start = afterSeparator(index) else { return nil }
    let equals = run(from: start, while: Self.isKeyScalar)
    guard equals > start, equals + 1 < scalars.count, scalars[equals] == "=" else { return nil }
    let end = run(from: equals + 1) {
      $0.value > 0x20 && $0.value < 0x7F && $0 != "\"" && $0 != ";" && $0 != "," && $0 != "'"
    }
    return end > equals + 1 ? start..<end : nil
  }
}

// Base64-encoded keys.
extension KeyShapes {
  private static func isBase64(_ scalar: Unicode.Scalar) -> Bool {
    isKeyScalar(scalar) || scalar == "+" || scalar == "/"
  }

  private func encodedKey(at index: Int, _ configured: [String]) -> Range<Int>? {
    if index > 0, Self.isBase64(scalars[index - 1]) { return nil }
    let end = run(from: index, while: Self.isBase64)
    guard end - index >= 16 else { return nil }
    let run = scalars[index..<end].map { scalar -> UInt8 in
      switch scalar {
      case "-": UInt8(ascii: "+")
      case "_": UInt8(ascii: "/")
      default: UInt8(truncatingIfNeeded: scalar.value)
      }
    }
    // Text before the key shifts its code, and so does text glued to the code.
    for shift in 0..<4 where run.count - shift >= 16 && holdsKey(run[shift...], configured) {
      return index..<self.run(from: end) { $0 == "=" }
    }
    return nil
  }

  private func holdsKey(_ code: ArraySlice<UInt8>, _ configured: [String]) -> Bool {
    let whole = Data(code.prefix(code.count / 4 * 4))
    let rest = code.dropFirst(whole.count)
    let tail = rest.count < 2 ? Data() : Data(rest) + Data(repeating: 0x3D, count: 4 - rest.count)
    guard let decoded = Data(base64Encoded: whole + tail) else { return false }
    let readable = String(
      decoding: decoded.map { (0x20..<0x7F).contains($0) ? $0 : 0x0A }, as: UTF8.self)
    if configured.contains(where: { readable.contains($0) }) { return true }
    let shapes = KeyShapes(text: ReadableText(readable))
    return shapes.scalars.indices.contains { index in
      let startsRun = index == 0 || !Self.isKeyScalar(shapes.scalars[index - 1])
      guard let prefixes = Self.prefixes[shapes.scalars[index]] else { return false }
      return shapes.prefixedKey(at: index, startsRun, prefixes) != nil
    }
  }
}
