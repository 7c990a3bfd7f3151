import ContextQuality
import IncrementalJSON
public import LanguageModels

/// Who wrote what a chat program sent as its user's message.
public enum MessageAuthor: String, Hashable, Sendable, CaseIterable {
  case person
  /// The chat program, which wants a title or the like for its own use.
  case program
}

extension PromptPack {
  /// Asks a model who wrote a message. Anything but a clear answer means a person, whose words must not be lost.
  ///
  /// - Parameters:
  ///   - opening: What the person said first in that chat.
  ///   - before: What came just before the message, the newest last.
  public func author(
    of message: String, opening: String, before: [String], asking model: any LanguageModel
  ) async -> MessageAuthor {
    func shown(_ text: String) -> JSONValue {
      .string(String(PlainText.visible(text).prefix(Self.mostOfMessage)))
    }
    guard
      let system = try? fixedText("author", { () throws(PackError) in try render(.author, [:]) })
    else { return .person }
    let material: JSONValue = [
      "opening": shown(opening), "before": .array(before.map(shown)), "message": shown(message),
    ]
    let authors = MessageAuthor.allCases.map(\.rawValue)
    let request = ModelRequest(
      purpose: .validate, system: system, messages: [ModelMessage(.user, material.promptText)],
      schema: ResponseSchema(
        name: "author", json: JSONValue.schema([("author", .schema(choice: authors))]).serialized()),
      isBackground: true)
    let answer = await Answer.collect(from: model, request, { _ in })
    guard answer.error == nil, answer.completion?.finish == .stop else { return .person }
    let object = JSONExtraction(from: answer.text, having: ["author"]).object
    return object?["author"]?.stringValue.flatMap(MessageAuthor.init) ?? .person
  }

  /// In characters.
  private static let mostOfMessage = 1_000
}
