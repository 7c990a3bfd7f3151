import Foundation
import TestSupport
import Testing

@testable import Settings

/// Changing one setting leaves the rest of the file as its owner wrote it.
struct ConfigTextTests {
  private static func changed(_ text: String, _ key: String, _ json: String?) -> String {
    var config = ConfigText(text)
    if let json { config.set(key, to: json) } else { _ = config.remove(key) }
    return config.text
  }

  @Test(arguments: [
    ("", "{\n  \"model\": 7\n}\n"),
    ("{}", "{\n  \"model\": 7\n}"),
    ("{\"a\": \"b\"}", "{\"a\": \"b\", \"model\": 7}"),
    ("{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"model\": 7\n}\n"),
    ("{\n\t\"model\" : \"x,}\\\"\" ,\n\t\"b\":2}", "{\n\t\"model\" : 7 ,\n\t\"b\":2}"),
    ("{\n  // \"model\": 5\n  \"model\": 1e3\n}", "{\n  // \"model\": 5\n  \"model\": 7\n}"),
    (
      "// mine\n{\n  \"a\": 1\n  // last\n}\n",
      "// mine\n{\n  \"a\": 1,\n  \"model\": 7\n  // last\n}\n"
    ),
    ("{\r\n  \"a\": 1\r\n}\r\n", "{\r\n  \"a\": 1,\n  \"model\": 7\r\n}\r\n"),
  ])
  func aValueIsSetInItsPlace(before: String, after: String) throws {
    #expect(Self.changed(before, "model", "7") == after)
  }

  @Test(arguments: [
    ("{\"model\": 1}", "{}"),
    ("{\"a\": 1, \"model\": 2}", "{\"a\": 1 }"),
    ("{\"model\": 2, \"a\": 1}", "{\"a\": 1}"),
    ("{\n  \"a\": 1,\n  \"model\": 2\n}\n", "{\n  \"a\": 1\n}\n"),
    ("{\n  // why\n  \"model\": \"}\",\n  \"a\": 1\n}\n", "{\n  // why\n  \"a\": 1\n}\n"),
    ("{\n  \"a\": 1,\n  // why\n  \"model\": 2\n}\n", "{\n  \"a\": 1\n  // why\n}\n"),
    ("{\"a\": 1}", "{\"a\": 1}"), ("", ""),
  ])
  func aSettingIsRemovedWithItsLine(before: String, after: String) throws {
    #expect(Self.changed(before, "model", nil) == after)
  }

  /// Whatever the file looks like, the change is the one that was asked for, and only that.
  @Test func anyFileStaysValidAndKeepsItsOtherSettings() throws {
    var random = SeededGenerator(seed: 12)
    let keys = ["model", "max_turns", "threshold", "store", "prompts", "preview"]
    let spaces = ["", " ", "\n", "\n  ", "\n// model: \"x\", }\n", "\t", "\r\n"]
    for _ in 0..<2_000 {
      func space() -> String { spaces.randomElement(using: &random) ?? "" }
      let chosen = keys.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random))
      let members = chosen.map { key in
        let value = ["7", "\"a, b}\"", "\"\\\"\\\\\"", "0.25"].randomElement(using: &random) ?? "1"
        return space() + "\"\(key)\"" + space() + ":" + space() + value + space()
      }
      let text = space() + "{" + members.joined(separator: ",") + space() + "}" + space()
      guard let before = try? ConfigFile(path: "c", text: text) else {
        // A comment must be on a separate line.
        continue
      }
      let key = keys.randomElement(using: &random) ?? "model"
      let name = "RAPPORT_" + key.uppercased()
      let set = try ConfigFile(path: "c", text: Self.changed(text, key, "\"new\""))
      #expect(set.values == before.values.merging([name: "new"]) { $1 }, "\(text.debugDescription)")
      let removed = try ConfigFile(path: "c", text: Self.changed(text, key, nil))
      #expect(
        removed.values == before.values.filter { $0.key != name }, "\(text.debugDescription)")
    }
  }

  @Test func linesThatBeginWithTwoSlashesAreComments() throws {
    let text =
      "// The best one.\n{\n  // \"model\": \"y\",\n  \"model\": \"http://x\",\n  \"max_turns\": 7\n}"
    let config = try ConfigFile(path: "config.json", text: text)
    #expect(config.values == ["RAPPORT_MODEL": "http://x", "RAPPORT_MAX_TURNS": "7"])
    #expect(
      throws: ConfigFileError(
        description: "config.json:3: treshold: expected one of "
          + Setting.allCases.map(\.configKey).joined(separator: ", "))
    ) {
      try ConfigFile(path: "config.json", text: "{\n// no\n\"treshold\": 1}")
    }
  }
}
