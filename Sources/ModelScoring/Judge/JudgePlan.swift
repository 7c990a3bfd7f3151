public import BatchScoring
import ContextQuality
public import Intake

/// Which readings of which conversations a judge card needs.
public struct JudgePlan: Sendable {
  /// How a conversation is read.
  struct Reading: Hashable, Sendable {
    /// The id of its record.
    var id: String
    var change: HarmlessChange
  }

  struct Conversation: Sendable {
    var turns: Int
    /// The facets known after each user turn by its labels; nil without labels.
    var truth: [Set<Facet>]?
    var readings: [Reading]
  }

  /// In input order.
  private(set) var conversations: [Conversation] = []
  public let repeats: Int
  public let changes: [HarmlessChange]
  private let harmless: HarmlessChanges

  /// Why the input cannot be used.
  public struct Unusable: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// Reads all conversations and their labels, before anything is sent.
  ///
  /// - Parameters:
  ///   - paths: Files of conversations, which are read twice.
  ///   - repeats: Readings of each conversation as it is.
  ///   - changes: What to change in further readings.
  /// - Throws: ``Unusable`` or `PackError`.
  public init(
    _ paths: [String], repeats: Int, changes: [HarmlessChange], pack: PromptPack,
    longestLine: Int = BatchOptions().longestLine
  ) throws {
    self.repeats = max(1, repeats)
    self.changes = changes.filter { $0 != .again }
    harmless = try HarmlessChanges(pack)
    var places: [String: String] = [:]
    for path in paths {
      var reader = ConversationReader(path, longestLine: longestLine)
      while let item = reader.read() {
        switch item {
        case .problem(let problem, _): throw Unusable(description: problem.description)
        case .conversation(let conversation):
          let place = "\(conversation.file):\(conversation.line)"
          if let other = places.updateValue(place, forKey: conversation.id) {
            throw Unusable(
              description: "\(place): the id \"\(conversation.id)\" stands at \(other) already")
          }
          try add(conversation, place, pack.rubric)
        }
      }
    }
  }

  private mutating func add(
    _ conversation: RecordedConversation, _ place: String, _ rubric: Rubric
  ) throws(Unusable) {
    let turns = conversation.transcript.userTurns.count
    let labels = try conversation.labels?.map { label throws(Unusable) in
      guard let facet = Facet(label.facet), rubric[facet] != nil, let turn = label.turn, turn >= 1
      else {
        throw Unusable(
          description: "\(place): facets: \(label.facet): unknown facet, or missing turn")
      }
      return (facet: facet, label: label)
    }
    conversations.append(
      Conversation(
        turns: turns,
        truth: labels.map { labels in
          (0..<turns).map { turn in
            Set(labels.filter { $0.label.isKnown(after: turn + 1) }.map(\.facet))
          }
        },
        readings: planned(conversation).map { $0.reading }))
  }

  /// The readings of a conversation, plain ones first.
  @Sendable func readings(of conversation: RecordedConversation) -> [PlannedReading] {
    planned(conversation).map(\.planned)
  }

  private func planned(
    _ conversation: RecordedConversation
  ) -> [(reading: Reading, planned: PlannedReading)] {
    let plain = (1...repeats).map { ("again-\($0)", HarmlessChange.again) }
    return (plain + changes.map { ($0.rawValue, $0) }).compactMap { name, change in
      guard let transcript = harmless.transcript(change, of: conversation.transcript) else {
        return nil
      }
      let id = "\(conversation.id)#\(name)"
      return (
        Reading(id: id, change: change),
        PlannedReading(
          conversation: conversation.renamed(id, saying: transcript),
          listing: change == .order ? .reversed : .given, isDetailed: true)
      )
    }
  }

  /// How many conversations and readings are planned.
  public var size: (conversations: Int, readings: Int) {
    (conversations.count, conversations.reduce(0) { $0 + $1.readings.count })
  }

  /// A run that makes these readings, as records.
  public func run(pack: PromptPack, options: BatchOptions) -> ModelBatchRun {
    ModelBatchRun(pack: pack, options: options, plan: readings)
  }
}
