import Glibc

/// Masks the configured key in a reply's text, however the text is split.
///
/// Holds back only an end of the text that could be the start of the key.
struct KeyFilter: Sendable {
  private let key: [UInt8]
  private var held: [UInt8] = []

  init(key: Secret?) {
    let bytes = Array((key?.revealed ?? "").utf8)
    self.key = bytes.count >= 8 ? bytes : []
  }

  /// Adds the next bytes and leaves in `text` what may be shown.
  mutating func filter(_ text: inout [UInt8]) {
    guard !key.isEmpty, !(text.isEmpty && held.isEmpty) else { return }
    if !held.isEmpty {
      text.insert(contentsOf: held, at: 0)
      held.removeAll(keepingCapacity: true)
    }
    maskWholeKeys(in: &text)
    let count = startedKeyLength(in: text)
    held.append(contentsOf: text[(text.count - count)...])
    text.removeLast(count)
  }

  /// What was held back, at the end of the text.
  mutating func finish() -> [UInt8] {
    defer { held = [] }
    return held
  }

  private func maskWholeKeys(in text: inout [UInt8]) {
    var start = 0
    while let found = find(in: text, from: start) {
      text.replaceSubrange(found..<(found + key.count), with: SecretMask.placeholder.utf8)
      start = found + SecretMask.placeholder.utf8.count
    }
  }

  private func find(in text: [UInt8], from start: Int) -> Int? {
    text.withUnsafeBytes { text in
      guard let base = text.baseAddress else { return nil }
      var start = start
      while text.count - start >= key.count,
        let first = memchr(base + start, Int32(key[0]), text.count - start - key.count + 1)
      {
        let position = UnsafeRawPointer(first) - base
        if memcmp(first, key, key.count) == 0 { return position }
        start = position + 1
      }
      return nil
    }
  }

  /// The length of the longest end of the text that is a prefix of the key.
  private func startedKeyLength(in text: [UInt8]) -> Int {
    var count = min(key.count - 1, text.count)
    while count > 0 {
      if text[text.count - count] == key[0], text.suffix(count).elementsEqual(key.prefix(count)) {
        return count
      }
      count -= 1
    }
    return 0
  }
}
