import FoundationEssentials

/// Text that is only for measuring how well the scorer reads what it was not trained on.
///
/// A training run refuses it: any file in a folder named `unseen`, and any copy of its conversations
/// elsewhere, told by their ids or by a message of the user's.
struct UnseenText {
  private static let folder = "Fixtures/unseen"
  /// Many people write the same short messages.
  private static let shortestMessage = 40
  private var ids: Set<String> = []
  private var messages: Set<String> = []

  /// Reads the conversations of the folder, if there is one.
  init() throws {
    guard FileManager.default.fileExists(atPath: Self.folder) else { return }
    let names = try FileManager.default.subpathsOfDirectory(atPath: Self.folder)
    for name in names where name.hasSuffix(".jsonl") {
      for row in try Corpus.conversations("\(Self.folder)/\(name)") {
        ids.insert(row.id)
        messages.formUnion(row.turns.compactMap { Self.letters(of: $0.text) })
      }
    }
  }

  /// The rows of a file to train on.
  ///
  /// - Throws: ``CorpusError`` if the file, or one of its rows, is unseen text.
  func checked(_ path: String, _ read: (String) throws -> [Labelled]) throws -> [Labelled] {
    let place = URL(filePath: path).resolvingSymlinksInPath()
    guard !place.pathComponents.contains("unseen") else {
      throw CorpusError(detail: "\(path): unseen text is for measuring, not for training")
    }
    let rows = try read(path)
    for row in rows {
      let isCopy = row.turns.contains { Self.letters(of: $0.text).map(messages.contains) ?? false }
      guard !isCopy, !ids.contains(row.id) else {
        throw CorpusError(
          detail: "\(path): \(row.id) is in \(Self.folder), which is not for training")
      }
    }
    return rows
  }

  /// A message without case, punctuation and spaces; nil for a short one.
  private static func letters(of text: String) -> String? {
    let letters = text.lowercased().filter { $0.isLetter || $0.isNumber }
    return letters.count < shortestMessage ? nil : letters
  }
}
