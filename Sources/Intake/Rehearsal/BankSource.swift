import ContextQuality

/// The files of a pack's question bank, before they are read.
struct BankSource: Sendable {
  private let files: [String: String]
  private let folder: String

  init(files: [String: String], folder: String) {
    self.files = files.filter { $0.key.hasPrefix(BankReader.folder) }
    self.folder = folder
  }

  var isThere: Bool { files[BankReader.file] != nil }

  func read(_ rubric: Rubric) throws(PromptPackError) -> QuestionBank {
    guard isThere else {
      throw PromptPackError(
        file: "\(folder)/\(BankReader.file)",
        reason: "the file is missing: without a question bank this pack cannot rehearse")
    }
    let readable = Set(OfflineScorer.facets)
    if let unread = rubric.facets.first(where: { !readable.contains($0.facet) }) {
      throw PromptPackError(
        file: "\(folder)/rubric.json",
        reason:
          "\(unread.facet) is no facet that the offline scorer reads, so this pack cannot rehearse")
    }
    return try BankReader(rubric: rubric, folder: folder).bank(files)
  }
}
