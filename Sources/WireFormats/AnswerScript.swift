import IncrementalJSON
public import LanguageModels

/// Rules that answer requests without a model. The first matching rule wins.
///
/// A JSON file that uses the same responses and faults as a cassette:
///
///     {
///       "version": 1,
///       "models": ["mock-coach"],
///       "rules": [
///         {"when": {"prompt": "opening message"}, "purpose": "greet", "response": {"text": "Hey!"}},
///         {"when": {"structure": "evidence"}, "evidence": {"goalClarity.outcome": ["lose weight"]},
///          "acts": {"agrees": ["spot on"]}},
///         {"when": {"said": ["hello", "hi"], "turn": 1}, "response": {"text": "What brings you?"}},
///         {"when": {"turn": {"from": 5}}, "response": {"text": "Wait."}, "fault": "drip:pace=2"}
///       ],
///       "otherwise": {"text": "Tell me more."}
///     }
public struct AnswerScript: Hashable, Sendable {
  public static let formatVersion = 1

  /// The names of the models it answers for.
  public var models: [String]
  public var rules: [Rule]

  public struct Rule: Hashable, Sendable {
    public var condition = Condition()
    /// The purpose of matching requests; nil matches any.
    public var purpose: RequestPurpose?
    public var answer: Answer
    public var fault: Fault?
  }

  /// Every field that is set must match.
  public struct Condition: Hashable, Sendable {
    /// The answer's structure: `none` for prose, `any`, or a name at the schema's top level.
    public var structure: String?
    /// The user's last message contains one of these, ignoring case.
    public var said: [String] = []
    /// The system prompt contains one of these.
    public var prompt: [String] = []
    /// The number of user messages.
    public var turn: ClosedRange<Int>?
    public var model: String?
  }

  public enum Answer: Hashable, Sendable {
    case response(RecordedResponse)
    /// What a scorer finds: facets and acts whose phrases occur in the new messages. Without `acts`, the
    /// answer says nothing of them.
    case reading(evidence: [Finding], acts: [Finding]?)
  }

  public struct Finding: Hashable, Sendable {
    /// A facet's identifier or an act's name.
    public var name: String
    /// In lower case.
    public var phrases: [String]

    public init(name: String, phrases: [String]) {
      self.name = name
      self.phrases = phrases.map { $0.lowercased() }
    }
  }

  /// The answer to a request, and the number of the rule that gave it.
  public func answer(_ content: RequestContent) -> (rule: Int, exchange: Exchange)? {
    let words = content.userWords
    guard let index = rules.firstIndex(where: { $0.condition.holds(content, words) }) else {
      return nil
    }
    let rule = rules[index]
    var response: RecordedResponse
    switch rule.answer {
    case .response(let given): response = given
    case .reading(let evidence, let acts):
      response = RecordedResponse(
        content: .answer(ModelAnswer(.json(content.reading(evidence, acts)))))
    }
    response.count(content)
    return (index, Exchange(purpose: rule.purpose, response: response, fault: rule.fault))
  }
}

extension AnswerScript.Condition {
  fileprivate func holds(_ content: RequestContent, _ words: [String]) -> Bool {
    if let structure, !Self.fits(structure, content.structure) { return false }
    if let model, model != content.model { return false }
    if let turn, !turn.contains(words.count) { return false }
    if !prompt.isEmpty, !prompt.contains(where: { content.system.contains($0) }) { return false }
    guard !said.isEmpty else { return true }
    let last = words.last?.lowercased() ?? ""
    return said.contains { last.contains($0.lowercased()) }
  }

  private static func fits(_ wanted: String, _ structure: String?) -> Bool {
    switch wanted {
    case "none": structure == nil
    case "any": structure != nil
    default: structure?.split(separator: ",").contains { $0 == wanted } ?? false
    }
  }
}

extension RequestContent {
  /// An answer to a scorer's request: each phrase that a new message contains.
  fileprivate func reading(
    _ evidence: [AnswerScript.Finding], _ acts: [AnswerScript.Finding]?
  ) -> JSONValue {
    var members: [(String, JSONValue)] = [
      (
        "evidence",
        .array(
          found(evidence).map { name, turn, quote in
            ["facet": .string(name), "turn": turn, "quote": quote, "mark": "none", "corrects": ""]
          })
      ),
      ("stated", []), ("care", ["kind": "none", "quote": ""]),
    ]
    if let acts {
      members.append(
        (
          "acts",
          .array(
            found(acts).map { name, turn, quote in
              ["act": .string(name), "what": "", "turn": turn, "quote": quote]
            })
        ))
    }
    return .object(JSONObject(members))
  }

  private func found(
    _ findings: [AnswerScript.Finding]
  ) -> [(name: String, turn: JSONValue, quote: JSONValue)] {
    let new = Set(document?["newUserTurns"]?.arrayValue?.compactMap(\.intValue) ?? [])
    // A short request shows only the end of the conversation.
    let said = (document?["conversation"]?.arrayValue ?? []).compactMap { message in
      message["user"]?.stringValue.flatMap { text in
        message["turn"]?.intValue.map { ($0, text.lowercased()) }
      }
    }
    return said.filter { new.contains($0.0) }.flatMap { turn, text in
      findings.flatMap { finding in
        finding.phrases.filter { text.contains($0) }.map {
          (finding.name, JSONValue(turn), JSONValue.string($0))
        }
      }
    }
  }
}

extension RecordedResponse {
  /// Usage if none is given, estimated at four bytes a token. It grows with the conversation,
  /// as real usage does.
  package mutating func count(_ content: RequestContent) {
    guard case .answer(var answer) = self.content, answer.usage == nil else { return }
    answer.usage = TokenUsage(
      input: max(1, content.byteCount / 4), output: answer.text.utf8.count / 4 + 1)
    self.content = .answer(answer)
  }
}
