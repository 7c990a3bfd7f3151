import ContextQuality
public import OfflineScorer

/// A conversation for a report: what was said, and what each turn revealed.
public struct ReportConversation: Hashable, Sendable {
  /// Words that support a facet.
  public struct Evidence: Hashable, Sendable {
    /// In the order of ``OfflineScorer/facets``.
    public var facet: Int
    /// The position in the message, in bytes.
    public var start: Int
    public var end: Int
    /// The turn that withdrew it; 0 if none did.
    public var until = 0

    public init(facet: Int, start: Int, end: Int, until: Int = 0) {
      (self.facet, self.start, self.end, self.until) = (facet, start, end, until)
    }
  }

  public struct Message: Hashable, Sendable {
    /// The user turn, counted from 1; 0 for the coach.
    public var turn: Int
    public var text: String
    /// The number of bytes cut from its end.
    public var bytesLeftOut: Int
    public var evidence: [Evidence] = []
    /// Facets that this message withdrew.
    public var withdrawn: [Int] = []
    /// The overall score after this message, in ten-thousandths.
    public var overall = 0

    public init(turn: Int, text: String, bytesLeftOut: Int = 0) {
      (self.turn, self.text, self.bytesLeftOut) = (turn, text, bytesLeftOut)
    }
  }

  /// The overall score from this turn until the next point.
  public struct Step: Hashable, Sendable {
    public var turn: Int
    public var overall: Int

    public init(turn: Int, overall: Int) { (self.turn, self.overall) = (turn, overall) }
  }

  public var id: String
  public var messages: [Message] = []
  public var messagesLeftOut = 0
  public var turns = 0
  public var steps: [Step] = []
  /// The facets known at the end.
  public var known: UInt32 = 0
  public var turnsToReady: Int?
  /// In a language that the scorer does not read.
  public var isUnread = false
  /// How sure the scorer is at the end; nil if it does not say.
  public var certainty: Certainty?

  public init(id: String) { self.id = id }

  public var overall: Int { steps.last?.overall ?? 0 }
}

/// Builds a conversation from its messages, in order, for any scorer.
struct ReportConversationBuilder {
  var conversation: ReportConversation
  private let table: ScoreTable
  /// Limits per conversation, so that a few long ones do not fill the memory or the page.
  private static let limits = (messages: 300, bytes: 48 << 10, messageBytes: 12 << 10, steps: 400)
  private var bytesKept = 0
  /// The location of each facet's evidence, in case it is withdrawn.
  private var places: [Int: [(message: Int, evidence: Int)]] = [:]

  init(id: String, table: ScoreTable) {
    conversation = ReportConversation(id: Self.cut(id))
    self.table = table
  }

  mutating func coachSaid(_ text: UnsafeBufferPointer<UInt8>) {
    keep(text, turn: 0)
  }

  /// - Parameters:
  ///   - known: The facets known after this turn.
  ///   - found: The facets that this turn's text revealed, with positions in it.
  mutating func userSaid(
    _ text: UnsafeBufferPointer<UInt8>, known: UInt32, found: [(facet: Int, place: Range<Int>)]
  ) {
    let points = table.points(known: known)
    let lost = conversation.known & ~known
    conversation.turns += 1
    conversation.known = known
    if conversation.turnsToReady == nil, points > table.readyAbove {
      conversation.turnsToReady = conversation.turns
    }
    addStep(points)
    if let index = keep(text, turn: conversation.turns) {
      conversation.messages[index].overall = points
      withdraw(lost, in: index)
      mark(found, in: index)
    } else {
      withdraw(lost, in: nil)
    }
  }

  /// An id is cut to 200 characters.
  private static func cut(_ id: String) -> String {
    let scalars = id.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: 200, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return id }
    return String(scalars[..<end]) + "…"
  }

  private mutating func addStep(_ points: Int) {
    let isSame = conversation.steps.last?.overall == points
    if isSame { return }
    if conversation.steps.count >= Self.limits.steps { conversation.steps.removeLast() }
    conversation.steps.append(.init(turn: conversation.turns, overall: points))
  }

  /// - Returns: The message's index; nil if there is no more room.
  @discardableResult
  private mutating func keep(_ text: UnsafeBufferPointer<UInt8>, turn: Int) -> Int? {
    let room = min(Self.limits.messageBytes, Self.limits.bytes - bytesKept)
    guard conversation.messages.count < Self.limits.messages, room > 0 || text.isEmpty else {
      conversation.messagesLeftOut += 1
      return nil
    }
    var end = min(text.count, room)
    while end < text.count, end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
    bytesKept += end
    let words = String(decoding: text[..<end], as: UTF8.self)
    conversation.messages.append(
      .init(turn: turn, text: words, bytesLeftOut: text.count - end))
    return conversation.messages.count - 1
  }

  private mutating func mark(_ found: [(facet: Int, place: Range<Int>)], in index: Int) {
    let length = conversation.messages[index].text.utf8.count
    for (facet, place) in found {
      let evidence = ReportConversation.Evidence(
        facet: facet, start: min(place.lowerBound, length), end: min(place.upperBound, length))
      places[facet, default: []].append((index, conversation.messages[index].evidence.count))
      conversation.messages[index].evidence.append(evidence)
    }
  }

  private mutating func withdraw(_ lost: UInt32, in index: Int?) {
    for facet in lost.setBits {
      if let index { conversation.messages[index].withdrawn.append(facet) }
      for place in places.removeValue(forKey: facet) ?? [] {
        conversation.messages[place.message].evidence[place.evidence].until = conversation.turns
      }
    }
  }
}

extension UInt32 {
  /// The indices of the set bits, lowest first.
  fileprivate var setBits: [Int] { (0..<32).filter { self >> UInt32($0) & 1 == 1 } }
}

extension ReportConversationBuilder {
  /// Adds a turn that a scorer has just read.
  mutating func userSaid(
    _ text: UnsafeBufferPointer<UInt8>, read scorer: borrowing TurnReader
  ) {
    let findings = scorer.findings
    let found = (scorer.changes & scorer.known).setBits.map { facet in
      let finding = findings[facet]
      return (facet: facet, place: Int(finding.start)..<Int(finding.end))
    }
    userSaid(text, known: scorer.known, found: found)
  }

  /// A whole conversation read by another scorer.
  mutating func add(_ transcript: Transcript, _ ledger: Ledger, known: [UInt32]) {
    var turn = 0
    for message in transcript.messages {
      var text = message.text
      text.withUTF8 { bytes in
        if message.speaker == .coach { return coachSaid(bytes) }
        turn += 1
        userSaid(bytes, known: known[turn - 1], found: Self.found(ledger, turn, in: bytes))
      }
    }
  }

  private static func found(
    _ ledger: Ledger, _ turn: Int, in text: UnsafeBufferPointer<UInt8>
  ) -> [(facet: Int, place: Range<Int>)] {
    ledger.entries.filter { $0.evidence.turn == turn }.compactMap { entry in
      guard let facet = OfflineScorer.facets.firstIndex(of: entry.evidence.facet),
        let place = text.firstRange(of: Array(entry.evidence.text.utf8))
      else { return nil }
      return (facet, place)
    }
  }
}
