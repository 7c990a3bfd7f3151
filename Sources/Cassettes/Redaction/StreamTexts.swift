/// The texts in an answer's body, each joined from the pieces in its events.
struct StreamTexts {
  /// A piece's place: its block, and its byte range there.
  struct Piece: Hashable {
    var block: Int
    var range: Range<Int>
  }

  /// Pieces that make up one text.
  struct Channel: Hashable {
    var pieces: [Piece]
    var isStructural: Bool
  }

  /// The events in order, or the one document.
  private let blocks: [[UInt8]]
  private(set) var channels: [Channel] = []
  private var open: [String: Int] = [:]

  /// - Parameter isEventStream: If false, a block is one document, or one document per line.
  init(_ blocks: [[UInt8]], isEventStream: Bool) {
    self.blocks = blocks
    for index in blocks.indices {
      if isEventStream { readEvent(index) } else { readDocuments(index) }
    }
  }

  func text(_ channel: Channel) -> String {
    String(
      decoding: channel.pieces.flatMap { blocks[$0.block][$0.range] }, as: UTF8.self)
  }

  var texts: [String] { channels.filter { !$0.isStructural }.map(text) }

  private mutating func readEvent(_ block: Int) {
    let lines = Self.lines(of: blocks[block])
    let data = lines.filter { blocks[block][$0].starts(with: Array("data:".utf8)) }
    for line in lines where !data.contains(line) { add(Piece(block: block, range: line)) }
    for line in data {
      var start = line.lowerBound + 5
      if start < line.upperBound, blocks[block][start] == 0x20 { start += 1 }
      readPayload(block, start..<line.upperBound, joinsPlainText: true)
    }
  }

  private mutating func readDocuments(_ block: Int) {
    let bytes = blocks[block]
    let whole = JSONTextLeaves(bytes, in: bytes.indices)
    if whole.endOfJSON == bytes.count { return add(whole.leaves, block) }
    for line in Self.lines(of: bytes) { readPayload(block, line, joinsPlainText: false) }
  }

  private mutating func readPayload(_ block: Int, _ range: Range<Int>, joinsPlainText: Bool) {
    let found = JSONTextLeaves(blocks[block], in: range)
    add(found.leaves, block)
    // Text that isn't JSON is read unchanged; `[DONE]` parses as far as possible, without texts.
    guard found.leaves.isEmpty, found.endOfJSON < range.upperBound else { return }
    let piece = Piece(block: block, range: range)
    if joinsPlainText { add(piece, to: "data") } else { add(piece) }
  }

  private mutating func add(_ leaves: [JSONTextLeaf], _ block: Int) {
    for leaf in leaves {
      let piece = Piece(block: block, range: leaf.range)
      if leaf.isPiece, !leaf.isStructural {
        add(piece, to: leaf.path)
      } else {
        channels.append(Channel(pieces: [piece], isStructural: leaf.isStructural))
      }
    }
  }

  private mutating func add(_ piece: Piece) {
    guard !piece.range.isEmpty else { return }
    channels.append(Channel(pieces: [piece], isStructural: false))
  }

  private mutating func add(_ piece: Piece, to name: String) {
    if let index = open[name] {
      channels[index].pieces.append(piece)
    } else {
      open[name] = channels.count
      channels.append(Channel(pieces: [piece], isStructural: false))
    }
  }

  private static func lines(of bytes: [UInt8]) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = 0
    for (index, byte) in bytes.enumerated() where byte == 0x0A || byte == 0x0D {
      if index > start { lines.append(start..<index) }
      start = index + 1
    }
    if start < bytes.count { lines.append(start..<bytes.count) }
    return lines
  }
}

extension Redactor {
  /// Redacts an answer's texts in place. A replacement goes where the first piece of the replaced
  /// text was, and the rest of that text is removed.
  func redact(_ blocks: [[UInt8]], isEventStream: Bool) -> [[UInt8]] {
    let given = blocks
    let blocks = given.map { Array(String(decoding: $0, as: UTF8.self).utf8) }
    let texts = StreamTexts(blocks, isEventStream: isEventStream)
    var edits: [Int: [(range: Range<Int>, text: String)]] = [:]
    for channel in texts.channels where !channel.isStructural {
      for replacement in replacements(in: texts.text(channel)) {
        for (piece, text) in Self.spread(replacement, over: channel.pieces) {
          edits[piece.block, default: []].append((piece.range, text))
        }
      }
    }
    return blocks.indices.map { index in
      var bytes = blocks[index]
      for edit in (edits[index] ?? []).sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
        bytes.replaceSubrange(edit.range, with: edit.text.utf8)
      }
      // Names, ids and comments can hold keys as well, so remove keys there too.
      let clean = Array(redactStructure(String(decoding: bytes, as: UTF8.self)).utf8)
      // Invalid UTF-8 stays unchanged unless a value in it was removed.
      return clean == blocks[index] ? given[index] : clean
    }
  }

  private static func spread(
    _ replacement: Replacement, over pieces: [StreamTexts.Piece]
  ) -> [(StreamTexts.Piece, String)] {
    var result: [(StreamTexts.Piece, String)] = []
    var start = 0
    for piece in pieces {
      let end = start + piece.range.count
      let lower = max(replacement.range.lowerBound, start)
      let upper = min(replacement.range.upperBound, end)
      if lower < upper {
        let shift = piece.range.lowerBound - start
        result.append(
          (
            StreamTexts.Piece(block: piece.block, range: (lower + shift)..<(upper + shift)),
            result.isEmpty ? replacement.text : ""
          ))
      }
      start = end
    }
    return result
  }
}
