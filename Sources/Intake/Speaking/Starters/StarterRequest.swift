import ContextQuality
import IncrementalJSON
import LanguageModels
import Signals

/// Builds what a model is asked for suggestions, and reads what it answers.
package struct StarterRequest {
  let pack: PromptPack
  let categories: [Starters.Category]

  /// What was said and measured goes as JSON strings: material to read, never an instruction.
  func request(_ state: IntakeState) -> ModelRequest? {
    let names = categories.map { ["name": $0.rawValue, "title": pack.starterTitle(of: $0)] }
    let values: [String: Any] = ["categories": names, "most": "\(Starters.mostInCategory)"]
    // A pack without the template, or with one that can't be rendered, has its own suggestions.
    guard let system = try? pack.render(.starters, values) else { return nil }
    return ModelRequest(
      purpose: .starters, system: system,
      messages: [ModelMessage(.user, ModelScorer.escaped(material(state)))],
      schema: ResponseSchema(name: "starters", json: schema), maxOutputTokens: 2_000,
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
    let suggestion: JSONValue = [
      "type": "object", "additionalProperties": false, "required": ["label", "text"],
      "properties": ["label": ["type": "string"], "text": ["type": "string"]],
    ]
    let names = categories.map(\.rawValue)
    let schema: JSONValue = [
      "type": "object", "additionalProperties": false,
      "required": .array(names.map { .string($0) }),
      "properties": .members(names.map { ($0, ["type": "array", "items": suggestion]) }),
    ]
    return schema.serialized()
  }

  /// What of an answer can be put into a line; nil if nothing can.
  ///
  /// - Parameter language: What the person writes in. If that may be English, only words that begin
  ///   as somebody speaks of themselves are kept: no order to whoever reads the line.
  func read(_ answer: String, turn: Int, language: LanguageGuess) -> Starters? {
    guard let object = JSONExtraction(from: answer).object else { return nil }
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
  /// What the health data says, as it was written down.
  var readings: [String] {
    entries.filter { $0.until == nil }.compactMap { entry in
      if case .reading(let reading, _) = entry.evidence.basis { reading } else { nil }
    }
  }
}
