import ContextQuality
import IncrementalJSON
import LanguageModels
import Signals

/// Builds the model request for suggestions and reads the answer.
package struct StarterRequest {
  let pack: PromptPack
  let categories: [Starters.Category]

  /// Sends the user's words and health readings as JSON strings, so that they are only data. Nil if
  /// the pack has no prompt for it.
  func request(_ state: IntakeState) -> ModelRequest? {
    let list = categories.map(\.rawValue).joined(separator: " ")
    // If the template is missing or can't be rendered, the pack's own suggestions are used.
    let system = try? pack.fixedText("starters \(list)") { () throws(PackError) in
      let names = categories.map { ["name": $0.rawValue, "title": pack.starterTitle(of: $0)] }
      return try pack.render(
        .starters, ["categories": names, "most": "\(Starters.mostInCategory)"])
    }
    guard let system else { return nil }
    return ModelRequest(
      purpose: .starters, system: system,
      messages: [ModelMessage(.user, ModelScorer.escaped(material(state)))],
      schema: ResponseSchema(
        name: "starters", json: pack.fixedText("starters schema \(list)") { schema }),
      maxOutputTokens: 2_000,
      isBackground: true)
  }

  private func material(_ state: IntakeState) -> JSONValue {
    let messages = state.transcript.messages.suffix(Self.mostMessages).map { message -> JSONValue in
      [message.speaker == .user ? "user" : "coach": .string(PlainText.visible(message.text))]
    }
    return [
      "conversation": .array(messages),
      "healthData": .array(state.ledger.readings.map { .string(PlainText.visible($0)) }),
    ]
  }

  private static let mostMessages = 6

  private var schema: String {
    let suggestion: [(String, JSONValue)] = [
      ("label", ["type": "string"]), ("text", ["type": "string"]),
    ]
    let lists = categories.map { ($0.rawValue, JSONValue.schema(list: suggestion)) }
    return JSONValue.schema(lists).serialized()
  }

  /// The usable suggestions in an answer; nil if there are none.
  ///
  /// - Parameter language: The user's language. If it may be English, only first-person texts are
  ///   kept, so none is an order to the reader.
  func read(_ answer: String, turn: Int, language: LanguageGuess) -> Starters? {
    guard let object = JSONExtraction(from: answer, having: categories.map(\.rawValue)).object
    else { return nil }
    var seen: Set<String> = []
    let suggestions = categories.flatMap { category in
      (object[category.rawValue]?.arrayValue ?? []).prefix(Self.mostItems)
        .compactMap { item -> Starters.Suggestion? in
          guard let label = item["label"]?.stringValue, let text = item["text"]?.stringValue,
            let suggestion = Starters.Suggestion(category, offered: label, text),
            language == .other || LanguageGuess(suggestion.text, pack.signals) == .other
              || StarterSentence(pack.signals).opens(suggestion.text),
            pack.careNet.classify(suggestion.text) == nil,
            seen.insert(suggestion.text.lowercased()).inserted
          else { return nil }
          return suggestion
        }
    }
    guard !suggestions.isEmpty else { return nil }
    return Starters(
      source: .model, turn: turn, suggestions: suggestions, titles: pack.starterTitles)
  }

  private static let mostItems = 20
}

extension Ledger {
  /// The health data readings, as recorded.
  var readings: [String] {
    standing.compactMap { entry in
      if case .reading(let reading, _) = entry.evidence.basis { reading } else { nil }
    }
  }
}
