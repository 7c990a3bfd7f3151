import FoundationEssentials
import IncrementalJSON
import Intake

struct CompletionInput: Sendable {
  struct Message: Hashable, Sendable {
    var isCoach: Bool
    /// Without the blanks around it, which clients trim.
    var text: String
  }

  /// What the user says now; nil if the coach should speak first.
  var line: String?
  /// What was said before, as the client has it, without messages that hold no words.
  var history: [Message]
  /// Whether instructions come after everything that was said.
  var endsWithInstructions: Bool
  var includesUsage: Bool
  var user: String?
  var manner: ChatRequest.Manner
  /// Whether the client has an answer to a task among the messages.
  var keepsAnswers: Bool
  /// The members of the JSON that the answer must be; nil if it may be words.
  var form: [AnswerForm.Member]?
  /// Whether the answer must be JSON or a call of a tool, or the client says itself that it is a task.
  var isForClient: Bool

  var streams: Bool { manner.streams }

  init(_ json: JSONValue) throws(Problem) {
    guard let list = json["messages"]?.arrayValue else {
      throw .badRequest("messages must be a list.", field: "messages")
    }
    // The coach has its own instructions and no tools, so other roles don't matter.
    let all = list.compactMap { item -> Message? in
      switch item["role"]?.stringValue {
      case "user": Message(isCoach: false, text: Self.text(item))
      case "assistant": Message(isCoach: true, text: Self.text(item))
      default: nil
      }
    }
    // A client that keeps the answer to a task asked for something else: it was said.
    let title = all.first { !$0.isCoach }.map { Self.title(of: $0.text) }
    let messages = all.filter { !$0.isCoach || $0.text != title }
    // An answer can be without words: it was stopped, or called tools.
    let last = messages.lastIndex { !$0.isCoach || !$0.text.isEmpty }
    let isUsers = last.map { !messages[$0].isCoach } ?? false
    line = last.flatMap { isUsers ? messages[$0].text : nil }
    history = messages.prefix(last.map { isUsers ? $0 : $0 + 1 } ?? 0).filter { !$0.text.isEmpty }
    let instructions = list.filter { ["system", "developer"].contains($0["role"]?.stringValue) }
    endsWithInstructions = instructions.last != nil && instructions.last == list.last
    includesUsage = json["stream_options"]?["include_usage"]?.boolValue ?? false
    user = json["user"]?.stringValue
    manner = ChatRequest.Manner(
      streams: json["stream"]?.boolValue ?? false,
      limitsTokens: ["max_tokens", "max_completion_tokens"].contains { json[$0]?.intValue != nil },
      instructions: instructions.map(Self.text))
    form = AnswerForm.members(demandedBy: json["response_format"])
    let demandsTool = json["tool_choice"] == "required" || json["tool_choice"]?.objectValue != nil
    isForClient = form != nil || demandsTool || json["metadata"]?["task"]?.stringValue != nil
    keepsAnswers = messages.count < all.count
  }

  /// What the user says now and what came before it, in the ways in which they can be read: messages
  /// behind the last answer can have failed, and are said now.
  var readings: [(history: [Message], line: String?)] {
    var readings = [(history, line)]
    guard var line else { return readings }
    var history = history
    while let last = history.last, !last.isCoach {
      history.removeLast()
      line = last.text + CompletionEncoder.gap + line
      readings.append((history, line))
    }
    return readings
  }

  private static func text(_ message: JSONValue) -> String {
    let parts = message["content"]?.arrayValue?.compactMap { $0["text"]?.stringValue }
    let text = message["content"]?.stringValue ?? parts?.joined(separator: "\n") ?? ""
    return text.withoutOuterBlanks
  }
}

extension String {
  /// Without blanks and line breaks around it.
  var withoutOuterBlanks: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
