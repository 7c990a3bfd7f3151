import IncrementalJSON

/// A chunk of the kind that makes up nearly all of a stream: text, or a finish reason, of the first
/// choice, and nothing else that matters.
struct OrdinaryChunk {
  private(set) var hasContent = false
  private(set) var finishReason: String?
  private var isUnusual = false

  /// Appends the chunk's text; nil, with nothing appended, where the chunk needs a closer look.
  init?(_ data: UnsafeRawBufferPointer, into text: inout [UInt8]) {
    var scanner = JSONScanner(data)
    let start = text.count
    readRoot(&scanner, into: &text)
    guard scanner.isAtEnd, !isUnusual else {
      text.removeLast(text.count - start)
      return nil
    }
    hasContent = text.count > start
    if hasContent { text.repairUTF8(from: start) }
  }

  private mutating func mark() { isUnusual = true }

  private mutating func readRoot(_ scanner: inout JSONScanner, into text: inout [UInt8]) {
    var root = scanner.openObject()
    while let name = scanner.nextName(&root) {
      if name == "choices" {
        readChoices(&scanner, into: &text)
      } else if name == "object" {
        if let object = scanner.plainString(), object == "error" { isUnusual = true }
      } else if name == "usage" || name == "error" {
        if !scanner.skipNull() { isUnusual = true }
      } else if name == "type" || name == "detail" {
        isUnusual = true
      } else {
        scanner.skipValue()
      }
      if isUnusual { return }
    }
  }

  private mutating func readChoices(_ scanner: inout JSONScanner, into text: inout [UInt8]) {
    // An empty list comes with usage or filters, which have to be looked at.
    guard scanner.peek() == UInt8(ascii: "[") else { return mark() }
    scanner.openArray()
    var count = 0
    while scanner.nextElement(isFirst: count == 0) {
      count += 1
      guard count == 1 else { return mark() }
      readChoice(&scanner, into: &text)
      if isUnusual { return }
    }
  }

  private mutating func readChoice(_ scanner: inout JSONScanner, into text: inout [UInt8]) {
    guard scanner.peek() == UInt8(ascii: "{") else { return mark() }
    var choice = scanner.openObject()
    while let name = scanner.nextName(&choice) {
      if name == "delta" {
        readDelta(&scanner, into: &text)
      } else if name == "index" {
        if scanner.readInteger() != 0 { isUnusual = true }
      } else if name == "finish_reason" {
        readFinishReason(&scanner)
      } else if name == "message" || name == "error" || name == "object" || name == "type"
        || name == "detail"
      {
        isUnusual = true
      } else {
        scanner.skipValue()
      }
      if isUnusual { return }
    }
  }

  private mutating func readDelta(_ scanner: inout JSONScanner, into text: inout [UInt8]) {
    guard scanner.peek() == UInt8(ascii: "{") else { return mark() }
    var delta = scanner.openObject()
    while let name = scanner.nextName(&delta) {
      if name == "content" {
        if scanner.peek() == UInt8(ascii: "\"") {
          scanner.readString(into: &text)
        } else if !scanner.skipNull() {
          isUnusual = true
        }
      } else if name == "refusal" {
        if !scanner.skipNull() { isUnusual = true }
      } else {
        scanner.skipValue()
      }
      if isUnusual { return }
    }
  }

  private mutating func readFinishReason(_ scanner: inout JSONScanner) {
    guard !scanner.skipNull() else { return }
    guard let reason = scanner.plainString() else { return mark() }
    if reason == "error" {
      isUnusual = true
    } else if !reason.isEmpty {
      finishReason = reason == "stop" ? "stop" : String(decoding: reason.bytes, as: UTF8.self)
    }
  }
}
