package import ContextQuality
import IncrementalJSON
package import Intake

/// What differs between two readings of the same conversation. None of it should matter.
public enum HarmlessChange: String, CaseIterable, Hashable, Sendable {
  /// Nothing: the same request again.
  case again
  /// The prompt lists what to look for, and its examples, in reverse.
  case order
  /// The user's words, reworded by rules: "I'm" becomes "I am".
  case wording
  /// One more message of the coach, which says nothing.
  case coachTurn = "coach-turn"
}

/// Makes the changes that should make no difference, by the rules of a pack's `judging/changes.json`.
package struct HarmlessChanges: Sendable {
  private struct Rule: Sendable {
    let from: [Character]
    let to: String
  }

  /// By language.
  private let rules: [String: [Rule]]
  private let coachTurns: [String: String]
  private let pack: PromptPack

  /// - Throws: `PackError` if the file is missing or malformed.
  package init(_ pack: PromptPack) throws(PackError) {
    let file = "\(pack.folder)/judging/changes.json"
    guard let text = pack.judgingFile else {
      throw PackError(file: file, reason: "the file is missing")
    }
    let document = try PackDocument(text, file: file)
    try document.checkKeys(of: document.root, ["coachTurns", "rewordings"])
    var coachTurns: [String: String] = [:]
    for (code, _) in try document.object(document.root, "coachTurns") {
      coachTurns[code] = try document.text(document.root["coachTurns"] ?? .null, code)
    }
    var rules: [String: [Rule]] = [:]
    for (code, listed) in try document.object(document.root, "rewordings") {
      for pair in listed.arrayValue ?? [] {
        let words = pair.arrayValue?.compactMap(\.stringValue) ?? []
        guard words.count == 2, !words[0].isEmpty else {
          throw document.wrong(
            "rewordings.\(code): expected two texts, found \(pair.serialized().prefix(60))")
        }
        rules[code, default: []].append(Rule(from: Self.folded(words[0]), to: words[1]))
      }
      // "every day" is tried before "every".
      rules[code]?.sort { $0.from.count > $1.from.count }
    }
    (self.rules, self.coachTurns, self.pack) = (rules, coachTurns, pack)
  }

  /// The conversation as a reading gets it; nil if the change changes nothing in it.
  package func transcript(
    _ change: HarmlessChange, of transcript: Transcript
  ) -> Transcript? {
    switch change {
    case .again, .order: transcript
    case .wording: reworded(transcript)
    case .coachTurn: interrupted(transcript)
    }
  }

  private func language(of transcript: Transcript) -> String {
    pack.languageCode(of: transcript.userTurns) ?? "en"
  }

  // MARK: Wording

  private func reworded(_ transcript: Transcript) -> Transcript? {
    guard let rules = rules[language(of: transcript)] else { return nil }
    let messages = transcript.messages.map { message in
      message.speaker == .user
        ? Transcript.Message(.user, Self.reworded(message.text, rules)) : message
    }
    let reworded = Transcript(messages)
    return reworded == transcript ? nil : reworded
  }

  private static func reworded(_ text: String, _ rules: [Rule]) -> String {
    let characters = Array(text)
    let folded = folded(text)
    // Where folding changes the length, places in the one aren't places in the other.
    guard folded.count == characters.count else { return text }
    var result = ""
    var place = 0
    while place < characters.count {
      let startsWord = place == 0 || !isPart(of: folded[place - 1])
      let rule = rules.first { rule in
        let end = place + rule.from.count
        return startsWord && end <= folded.count
          && folded[place..<end].elementsEqual(rule.from)
          && (end == folded.count || !isPart(of: folded[end]))
      }
      if let rule {
        let isCapital = characters[place].isUppercase && rule.to.first?.isLowercase == true
        result += isCapital ? rule.to.prefix(1).uppercased() + rule.to.dropFirst() : rule.to
        place += rule.from.count
      } else {
        result.append(characters[place])
        place += 1
      }
    }
    return result
  }

  private static func folded(_ text: String) -> [Character] {
    text.lowercased().map { $0 == "’" ? "'" : $0 }
  }

  private static func isPart(of character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "'" || character == "-"
  }

  // MARK: A coach's message more

  /// After the user's middle message, so that no question and its answer are parted.
  private func interrupted(_ transcript: Transcript) -> Transcript? {
    guard let words = coachTurns[language(of: transcript)], !transcript.userTurns.isEmpty else {
      return nil
    }
    let middle = (transcript.userTurns.count + 1) / 2
    var interrupted = Transcript()
    for message in transcript.messages {
      interrupted.append(message)
      if message.speaker == .user, interrupted.userTurns.count == middle {
        interrupted.append(.init(.coach, words))
      }
    }
    return interrupted
  }
}
