public import ContextQuality
import IncrementalJSON

/// A conversation from one line of a file.
public struct RecordedConversation: Sendable {
  /// The line's id, or `file:line`.
  public let id: String
  public let file: String
  /// Counted from 1.
  public let line: Int
  public let transcript: Transcript
  /// The user turns that a live session scored; nil if the line does not tell.
  public let scoredTurns: [Int]?
  /// The facets that a person found in it; nil if the line has no `facets`.
  package let labels: [FacetLabel]?

  /// The same under another id, perhaps with other words. Its turns keep their numbers.
  package func renamed(_ id: String, saying transcript: Transcript) -> RecordedConversation {
    RecordedConversation(
      id: id, file: file, line: line, transcript: transcript, scoredTurns: scoredTurns,
      labels: labels)
  }
}

/// A facet as a person labeled it.
package struct FacetLabel: Hashable, Sendable {
  /// As written.
  package let facet: String
  /// The user turn that makes it known, counted from 1; nil if it is missing.
  package let turn: Int?
  /// The first user turn in which it was no longer known.
  package let until: Int?

  package func isKnown(after turn: Int) -> Bool {
    (self.turn ?? .max) <= turn && turn < (until ?? .max)
  }
}

/// Reads conversations one by one, for slow consumers.
public struct ConversationReader: ~Copyable {
  public enum Item: Sendable {
    case conversation(RecordedConversation)
    /// With the line's id if it is readable, or `file:line`.
    case problem(LineProblem, id: String)
  }

  private var chunks: ChunkReader
  private var items: [Item] = []
  private var next = 0
  private var bytesBefore = 0
  private let countsBlankLines: Bool

  /// An unreadable file, or one with a damaged end, appears as a problem among its items.
  ///
  /// - Parameters:
  ///   - path: A file, or `-` for standard input.
  ///   - longestLine: The longest accepted line, in bytes.
  ///   - countsBlankLines: Whether a blank line is a problem; otherwise it is skipped.
  public init(_ path: String, longestLine: Int, countsBlankLines: Bool = false) {
    self.countsBlankLines = countsBlankLines
    chunks = ChunkReader(path, longestLine: longestLine)
  }

  /// Bytes read so far.
  public var bytesRead: Int { chunks.bytesRead }

  /// About how many bytes the items have that were returned so far.
  package var bytesReturned: Int {
    guard !items.isEmpty else { return bytesBefore }
    return bytesBefore + (chunks.bytesRead - bytesBefore) * next / items.count
  }

  /// Whether the next item is available without waiting.
  public var isReady: Bool { next < items.count || chunks.isReady }

  /// - Returns: Nil at the end.
  public mutating func read() -> Item? {
    while next == items.count {
      bytesBefore = chunks.bytesRead
      guard let chunk = chunks.next() else { return nil }
      items = itemsOf(chunk)
      next = 0
    }
    next += 1
    return items[next - 1]
  }

  private func itemsOf(_ chunk: Chunk) -> [Item] {
    var items: [Item] = []
    var line = TranscriptLine()
    chunk.forEachLine(blankToo: countsBlankLines) { found, number in
      switch found {
      case .unreadable(let reason):
        items.append(Self.problem(chunk, number, nil, reason))
      case .text(let bytes):
        if let reason = line.read(bytes) {
          items.append(Self.problem(chunk, number, Self.id(line), reason))
        } else {
          items.append(.conversation(Self.conversation(line, bytes, chunk.file, number)))
        }
      }
      return true
    }
    return items
  }

  private static func problem(
    _ chunk: Chunk, _ line: Int, _ id: String?, _ reason: String
  ) -> Item {
    .problem(
      LineProblem(file: chunk.file, line: line, reason: reason, isWarning: false),
      id: id ?? LineProblem.place(chunk.file, line))
  }

  private static func id(_ line: borrowing TranscriptLine) -> String? {
    line.id.map { text($0.start, $0.count) }
  }

  private static func text(_ start: UnsafePointer<UInt8>, _ count: Int) -> String {
    String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  private static func conversation(
    _ line: borrowing TranscriptLine, _ bytes: UnsafeRawBufferPointer, _ file: String,
    _ number: Int
  ) -> RecordedConversation {
    let messages = line.messages.map { message in
      Transcript.Message(
        message.speaker == TranscriptLine.Speaker.coach.rawValue ? .coach : .user,
        text(message.start, message.count))
    }
    let value = try? JSONValue(parsing: bytes, invalidText: .replaced)
    return RecordedConversation(
      id: id(line) ?? "\(file):\(number)", file: file,
      line: number, transcript: Transcript(messages),
      scoredTurns: value?["scoredTurns"]?.arrayValue?.compactMap(\.intValue),
      labels: value?["facets"]?.objectValue.map(labels))
  }

  private static func labels(_ facets: JSONObject) -> [FacetLabel] {
    facets.map { name, label in
      FacetLabel(facet: name, turn: label["turn"]?.intValue, until: label["until"]?.intValue)
    }
  }
}
