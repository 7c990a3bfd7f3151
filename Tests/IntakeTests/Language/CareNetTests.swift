import Foundation
import Intake
import TestSupport
import Testing

struct CareNetTests {
  private let net: CareNet

  init() throws { net = try PromptPack.embedded().careNet }

  /// `kind<TAB>sentence` lines; `none` for the harmless ones.
  static func sentences() throws -> [(kind: String, text: String)] {
    let path = try CaseFile.packageRoot().appending(path: "Fixtures/care/sentences.tsv")
    return try String(contentsOf: path, encoding: .utf8).split(separator: "\n").compactMap { line in
      guard !line.hasPrefix("#"), let tab = line.firstIndex(of: "\t") else { return nil }
      return (String(line[..<tab]), String(line[line.index(after: tab)...]))
    }
  }

  @Test func everySentenceIsCaughtAsLabelled() throws {
    for (kind, text) in try Self.sentences() {
      #expect(net.classify(text)?.kind.rawValue ?? "none" == kind, "\(text)")
    }
  }

  /// Ordinary first conversations: what is caught in them was read one by one.
  @Test func ordinaryConversationsAreLeftAlone() throws {
    let path = try CaseFile.packageRoot().appending(path: "Fixtures/labelled/dev.jsonl")
    let rows = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
    var caught: [String] = []
    for row in rows {
      let json = try JSONDecoder().decode(CaseJSON.self, from: Data(row.utf8))
      for message in json["messages"]?.array ?? [] where message["role"]?.string == "user" {
        guard let text = message["content"]?.string, let found = net.classify(text) else { continue }
        caught.append("\(found.kind.rawValue)\t\(json["id"]?.string ?? "")\t\(text.prefix(300))")
      }
    }
    #expect(caught.count <= 12, "\(caught.joined(separator: "\n"))")
  }

  @Test(arguments: [
    ("I'm 27", 27), ("im 15 and want abs", 15), ("I am 16 years old", 16), ("17 years old here", 17),
    ("47yo dad of two", 47), ("just turned 18", nil), ("turned 18 last week", 18),
    ("I'm 5 kg over", nil), ("im 14 weeks pregnant", nil), ("my son is 12", nil),
    ("I'm 20 pounds over", nil), ("I'm 42, desk job", 42), ("I've been at it 10 years", nil),
  ])
  func ownAges(text: String, age: Int?) {
    if text == "just turned 18" {
      #expect(CareNet.statedAge(in: text) == 18)
    } else {
      #expect(CareNet.statedAge(in: text) == age)
    }
  }

  @Test func anUnreadableNetIsNamedByItsLine() {
    let error = #expect(throws: PromptPackError.self) {
      try CareNet(text: "[crisis crisis]\nkill myself\n#<many kcal\n", file: "care.txt")
    }
    #expect(error?.description == "care.txt:3: expected a number such as # or #<800, found #<many")
  }
}
