public import LanguageModels
public import WireFormats

/// Cassettes by name. Finds the one that answers a request.
public struct CassetteLibrary: RecordedAnswers {
  /// The file's name, or its path under a folder, without `.json`.
  public typealias Entry = (name: String, cassette: Cassette)

  public let names: [String]
  private let players: [CassettePlayer]
  /// The cassettes with an answer for these messages and this structure.
  private let shelves: [String: [Int]]
  /// The cassettes with an answer for this whole conversation.
  private let exactShelves: [String: [Int]]

  public init(_ entries: [Entry] = []) {
    names = entries.map(\.name)
    players = entries.map { CassettePlayer($0.cassette) }
    var shelves: [String: [Int]] = [:]
    var exactShelves: [String: [Int]] = [:]
    for (index, entry) in entries.enumerated() {
      for record in entry.cassette.exchanges.compactMap(\.request) {
        shelves.add(index, at: record.shelf)
        exactShelves.add(index, at: record.exactShelf)
      }
    }
    self.shelves = shelves
    self.exactShelves = exactShelves
  }

  public var models: [String] {
    players.flatMap { player -> [String] in
      let cassette = player.cassette
      let named = cassette.settings.models
      return [named.fast, named.coach, named.deep]
        + cassette.exchanges.compactMap { $0.request?.model }
    }
  }

  /// Full names, and the last part of a name if it is unique.
  public func contains(_ name: String) -> Bool { index(of: name) != nil }

  private func index(of name: String) -> Int? {
    if let index = names.firstIndex(of: name) { return index }
    let ending = names.indices.filter { names[$0].hasSuffix("/" + name) }
    return ending.count == 1 ? ending.first : nil
  }

  /// Finds an answer by content, in one cassette or all. Prefers one with the same
  /// conversation.
  public func answer(
    _ content: RequestContent, format: WireFormat, from name: String?
  ) -> RecordedAnswer? {
    let candidates: [Int]
    if let name {
      candidates = index(of: name).map { [$0] } ?? []
    } else {
      let record = content.record
      candidates = (exactShelves[record.exactShelf] ?? []) + (shelves[record.shelf] ?? [])
    }
    for index in candidates {
      guard let match = players[index].serve(content),
        match.exchange.response.canBe(format, recordedAs: players[index].cassette.wireFormat)
      else { continue }
      return RecordedAnswer(name: names[index], index: match.index, exchange: match.exchange)
    }
    return nil
  }
}

extension RequestRecord {
  fileprivate var shelf: String { words + kind }
  fileprivate var exactShelf: String { shelf + conversation }
}

extension [String: [Int]] {
  fileprivate mutating func add(_ index: Int, at key: String) {
    if self[key]?.last != index { self[key, default: []].append(index) }
  }
}

extension RecordedResponse {
  /// A model's answer can use either format; raw bytes stay unchanged.
  fileprivate func canBe(_ format: WireFormat, recordedAs recorded: WireFormat) -> Bool {
    if case .answer = content { return true }
    return format == recorded
  }
}
