import IncrementalJSON
import WireFormats

/// Bytes of a body as they arrived, with their times.
struct TimedChunk: Hashable, Sendable {
  /// Milliseconds since the response's head.
  var at: Int
  var bytes: [UInt8]
}

/// Splits an event stream into events, each with the time its last byte arrived.
enum EventStreamCutter {
  struct Block: Hashable {
    var at: Int
    var bytes: [UInt8]
  }

  /// Every byte is in exactly one block, in order. A new block begins after a blank line.
  static func blocks(_ chunks: [TimedChunk]) -> [Block] {
    let bytes = chunks.flatMap(\.bytes)
    let clock = Clock(chunks)
    var blocks: [Block] = []
    var start = 0
    var index = 0
    var lineStart = 0
    while index < bytes.count {
      let isEnd = bytes[index] == 0x0A || bytes[index] == 0x0D
      let isBlank = isEnd && index == lineStart
      if bytes[index] == 0x0D, index + 1 < bytes.count, bytes[index + 1] == 0x0A { index += 1 }
      index += 1
      guard isEnd else { continue }
      lineStart = index
      guard isBlank else { continue }
      if start == lineStart - 1 || blankSince(start, index, bytes), let last = blocks.indices.last {
        // Further blank lines belong to the same block.
        blocks[last].bytes += bytes[start..<index]
      } else {
        blocks.append(Block(at: clock.time(of: index - 1), bytes: Array(bytes[start..<index])))
      }
      start = index
    }
    if start < bytes.count {
      blocks.append(Block(at: clock.time(of: bytes.count - 1), bytes: Array(bytes[start...])))
    }
    return blocks
  }

  private static func blankSince(_ start: Int, _ end: Int, _ bytes: [UInt8]) -> Bool {
    bytes[start..<end].allSatisfy { $0 == 0x0A || $0 == 0x0D }
  }

  private struct Clock {
    private var ends: [(end: Int, at: Int)] = []

    init(_ chunks: [TimedChunk]) {
      var end = 0
      for chunk in chunks {
        end += chunk.bytes.count
        ends.append(
          (end, min(max(chunk.at, ends.last?.at ?? 0), RecordedResponse.Frame.longestDelay)))
      }
    }

    func time(of offset: Int) -> Int { ends.first { offset < $0.end }?.at ?? ends.last?.at ?? 0 }
  }
}

extension RecordedResponse.Frame {
  /// Bytes of a stream, in the most readable form that converts back to the same bytes.
  init(at: Int, wireBytes bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      self.init(at: at, .bytes(bytes))
      return
    }
    for content in Self.readings(of: text) {
      let frame = Self(at: at, content)
      if frame.wireBytes == bytes {
        self = frame
        return
      }
    }
    self.init(at: at, .raw(text))
  }

  /// `event:` and `data:` lines, with the data as JSON or unchanged.
  private static func readings(of text: String) -> [Content] {
    let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
      .map { Substring($0) }
    guard lines.count == 3 || lines.count == 4, let data = lines.dropLast(2).last,
      data.hasPrefix("data: ")
    else { return [] }
    let event = lines.count == 4 ? lines[0] : nil
    guard event?.hasPrefix("event: ") ?? true else { return [] }
    let name = event.map { String($0.dropFirst(7)) }
    let payload = String(data.dropFirst(6))
    let json = try? JSONValue(parsing: payload)
    return [json, .string(payload)].compactMap { value in value.map { .event(name, $0) } }
  }
}
