public import ContextQuality
public import OfflineScorer

/// What a report shows beside the totals: counts over all conversations, and samples.
public struct ReportData: Sendable {
  /// One conversation in the heat map.
  public struct Column: Hashable, Sendable {
    public var id: String
    /// In ten-thousandths.
    public var overall: Int
    /// Each component's score, in the table's order.
    public var percents: [Int]
  }

  /// Turns that are counted individually; the last counts all later ones.
  public static let turnsCounted = 20
  public static let columnLimit = 300
  public static let conversationLimit = 100

  /// Conversations by overall score, in ten-thousandths.
  public private(set) var overall = [Int](repeating: 0, count: 10_001)
  /// Conversations by number of user turns, from 1; those without turns are excluded.
  public private(set) var lengths = [Int](repeating: 0, count: turnsCounted)
  public private(set) var columns: LowestKeys<Column>
  public private(set) var conversations: LowestKeys<ReportConversation>
  private var count = 0

  public init(conversations limit: Int = conversationLimit) {
    columns = LowestKeys(limit: Self.columnLimit)
    conversations = LowestKeys(limit: limit)
  }

  /// Empty counts, with a sample that rejects what this one would reject.
  var successor: Self {
    var next = Self(conversations: conversations.limit)
    next.columns = columns.successor
    next.conversations = conversations.successor
    return next
  }

  /// Whether a conversation with this key is in a sample.
  public func accepts(_ key: UInt64) -> Bool {
    columns.accepts(key) || conversations.accepts(key)
  }

  /// Counts a conversation.
  ///
  /// - Parameters:
  ///   - known: What was known after each user turn.
  ///   - sample: The conversation with its content's hash, if the sample accepts it.
  public mutating func count(
    known: [UInt32], table: ScoreTable, sample: (key: UInt64, conversation: ReportConversation)?
  ) {
    let last = known.last ?? 0
    let points = table.points(known: last)
    overall[min(10_000, max(0, points))] += 1
    if !known.isEmpty { lengths[min(known.count, Self.turnsCounted) - 1] += 1 }
    if let (key, conversation) = sample {
      let percents = table.components.indices.map { table.percent($0, known: last) }
      let column = Column(id: conversation.id, overall: points, percents: percents)
      columns.add(column, key: key, position: count)
      conversations.add(conversation, key: key, position: count)
    }
    count += 1
  }

  /// Counts a conversation read by a scorer other than the offline one.
  public mutating func count(
    _ conversation: RecordedConversation, _ ledger: Ledger, table: ScoreTable
  ) {
    let turns = conversation.transcript.userTurns.count
    let known = (0..<turns).map { ledger.bits(after: $0 + 1) }
    let texts = Array(conversation.transcript.messages.map(\.text).joined(separator: "\0").utf8)
    let key = texts.withUnsafeBytes { ContentKey.of($0) }
    guard accepts(key) else { return count(known: known, table: table, sample: nil) }
    var builder = ReportConversationBuilder(id: conversation.id, table: table)
    builder.add(conversation.transcript, ledger, known: known)
    count(known: known, table: table, sample: (key, builder.conversation))
  }

  /// Merges the counts of the conversations that come next.
  mutating func add(_ next: ReportData) {
    for index in overall.indices { overall[index] += next.overall[index] }
    for index in lengths.indices { lengths[index] += next.lengths[index] }
    columns.add(next.columns, offset: count)
    conversations.add(next.conversations, offset: count)
    count += next.count
  }
}
