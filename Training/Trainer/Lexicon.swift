import ContextQuality
import FoundationEssentials
import OfflineScorer

/// The word lists under `Lexicon/`, read into what the scorer looks words up in.
struct Lexicon {
  struct Group {
    var name: String
    var kinds: Set<String>
    /// Each entry is its spellings; a `<` behind one marks a past form.
    var entries: [[String]]
  }

  var groups: [Group] = []
  var fingerprint: UInt32 = 0

  init(folder: String) throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".txt") }.sorted()
    for file in files {
      let text = try String(contentsOfFile: folder + "/" + file, encoding: .utf8)
      fingerprint = Hash.pair(fingerprint, Hash.word(text))
      for line in text.split(separator: "\n") { read(line) }
    }
  }

  private mutating func read(_ line: Substring) {
    if line.hasPrefix("#") { return }
    if line.hasPrefix("["), let close = line.firstIndex(of: "]") {
      let words = line[line.index(after: line.startIndex)..<close].split(separator: " ").map(
        String.init)
      groups.append(Group(name: words[0], kinds: Set(words.dropFirst()), entries: []))
      return
    }
    for entry in line.split(separator: ",") {
      let spellings = entry.split(separator: "/").map { $0.trimmed }.filter { !$0.isEmpty }
      if !spellings.isEmpty { groups[groups.count - 1].entries.append(spellings) }
    }
  }
}

extension Substring {
  fileprivate var trimmed: String {
    var text = self
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
