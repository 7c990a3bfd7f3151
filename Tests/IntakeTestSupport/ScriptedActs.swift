package import LanguageModels

/// The acts that a scripted model reads from exact replies, by the moment named in the request.
package enum ScriptedActs {
  /// As `(act, what, turn, quote)`; the quote is the whole turn.
  package static func of(_ request: ModelRequest) -> [(String, String, Int, String)] {
    guard let moment = moment(of: request) else { return [] }
    return newTurns(of: request).flatMap { turn, words in
      acts(words, at: moment).map { ($0, $1, turn, words) }
    }
  }

  /// What the turns that are read answer; nil for other requests.
  package static func moment(of request: ModelRequest) -> String? {
    request.messages.last?.text.firstMatch(of: /"moment": "(\w+)"/).map { String($0.output.1) }
  }

  /// The turns to read, with their words up to the first quotation mark.
  package static func newTurns(of request: ModelRequest) -> [(turn: Int, words: String)] {
    let text = request.messages.last?.text ?? ""
    let turns = text.firstMatch(of: /"newUserTurns": \[([\d,]*)\]/)?.output.1 ?? ""
    return turns.split(separator: ",").compactMap { Int($0) }.map { turn in
      let opening = "{\"turn\":\(turn),\"user\":\""
      let line = text.split(separator: "\n").first { $0.hasPrefix(opening) } ?? ""
      return (turn, String(line.dropFirst(opening.count).prefix { !"\"\\".contains($0) }))
    }
  }

  private static func acts(_ words: String, at moment: String) -> [(String, String)] {
    let said = words.lowercased()
    if said.hasPrefix("why") || said.hasSuffix("?") {
      let coaching = ["paywall", "coaching"].contains(moment)
      return [("asks", said.hasPrefix("why") ? "question" : coaching ? "coaching" : "plan")]
    }
    guard let name = names.first(where: { $0.said.contains(said) })?.acts[moment] else {
      return moment == "summary" && said.contains("it's ") ? [("corrects", "")] : []
    }
    return [(name, "")]
  }

  /// Each with what it does, by moment.
  private static let names: [(said: Set<String>, acts: [String: String])] = [
    (
      ["yes", "yes please", "sounds good", "perfect", "ok", "sure", "let's go"],
      ["offer": "goes-on", "summary": "agrees", "paywall": "continues", "coaching": "agrees"]
    ),
    (
      ["no", "no thanks", "keep talking"],
      [
        "offer": "talks-on", "body": "declines", "summary": "rejects", "paywall": "not-now",
        "coaching": "rejects",
      ]
    ),
    (
      ["not now", "maybe later"],
      ["offer": "postpones", "body": "declines", "summary": "postpones", "paywall": "not-now"]
    ),
    (
      ["go on with what you have", "i want to stop now", "enough", "no more questions!"],
      ["question": "stops", "offer": "goes-on", "body": "stops", "summary": "agrees"]
    ),
    (["idk", "not sure"], ["question": "unsure", "body": "unsure"]),
    (
      ["i'd rather not say", "skip", "pass"], ["question": "declines", "body": "declines"]
    ),
  ]
}
