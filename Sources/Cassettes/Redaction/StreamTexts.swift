/// The texts of an answer's body, each put together from the pieces that its events bring.
struct StreamTexts {
  /// Where a piece stands: in which block, and where there, in bytes.
  struct Piece: Hashable {
    var block: Int
    var range: Range<Int>
  }

  /// Pieces that make up one text.
  struct Channel: Hashable {
    var pieces: [Piece]
    var isStructural: Bool
  }

  /// Events as they came, or the one document.
  private let blocks: [[UInt8]]
  private(set) var channels: [Channel] = []
  private var open: [String: Int] = [:]

  /// - Parameter isEventStream: Otherwise a block is a document, or documents a line each.
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
    // What is no JSON is read as it stands; `[DONE]` reads as JSON without texts as far as it goes.
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
  /// The texts of an answer, redacted in their places: a replacement stands where the first piece of
  /// what it replaces stood, and the rest of that is gone.
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
      // Keys are nobody's text: they go from names, ids and comments as well.
      let clean = Array(redactStructure(String(decoding: bytes, as: UTF8.self)).utf8)
      // What is no UTF-8 stays as it came unless something in it had to go.
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
