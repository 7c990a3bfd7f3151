import Cassettes
import IncrementalJSON
import LanguageModels
import MockServer
import Testing
import WireFormats

/// Rules that answer in a model's place.
struct AnswerScriptTests {
  private func script(_ rules: String) throws -> AnswerScript {
    try AnswerScript(
      parsing: Array(#"{"version":1,"rules":[\#(rules)],"otherwise":{"text":"otherwise"}}"#.utf8))
  }

  private func request(
    _ words: [String], system: String = "", model: String = "m", structure: String? = nil
  ) throws -> RequestContent {
    var messages: [JSONValue] = [["role": "system", "content": .string(system)]]
    for word in words {
      messages.append(["role": "user", "content": .string(word)])
      messages.append(["role": "assistant", "content": "and?"])
    }
    var body: JSONObject = ["model": .string(model), "messages": .array(messages)]
    if let structure {
      let schema: JSONValue = ["properties": [structure: ["type": "array"]]]
      body["response_format"] = ["json_schema": ["name": "x", "schema": schema]]
    }
    return try RequestContent(parsing: JSONValue.object(body).serializedBytes(), format: .openAI)
  }

  private func text(_ script: AnswerScript, _ request: RequestContent) throws -> String {
    let exchange = try #require(script.answer(request)).exchange
    guard case .answer(let answer) = exchange.response.content else { return "" }
    return answer.text
  }

  @Test func theFirstRuleThatFitsAnswers() throws {
    let script = try script(
      """
      {"when": {"said": ["knee", "Hip"]}, "response": {"text": "joint"}},
      {"when": {"turn": 2}, "response": {"text": "second"}},
      {"when": {"turn": {"from": 3, "to": 4}}, "response": {"text": "later"}},
      {"when": {"prompt": "opening message"}, "response": {"text": "hello"}},
      {"when": {"model": "big"}, "response": {"text": "big"}},
      {"when": {"structure": "evidence"}, "response": {"json": {"evidence": []}}},
      {"when": {"structure": "any"}, "response": {"json": {}}}
      """)
    #expect(try text(script, request(["my KNEE hurts"])) == "joint")
    #expect(try text(script, request(["knee", "the hip"])) == "joint")
    #expect(try text(script, request(["knee", "no"])) == "second")
    #expect(try text(script, request(["a", "b", "c", "d"])) == "later")
    #expect(try text(script, request(["a", "b", "c", "d", "e"])) == "otherwise")
    #expect(try text(script, request(["a"], system: "Your opening message:")) == "hello")
    #expect(try text(script, request(["a"], model: "big")) == "big")
    #expect(try text(script, request(["a"], structure: "evidence")) == #"{"evidence":[]}"#)
    #expect(try text(script, request(["a"], structure: "other")) == "{}")
  }

  @Test func evidenceIsWhatNewMessagesSay() throws {
    let script = try script(
      #"{"when": {"structure": "evidence"}, "evidence": {"a.b": "swim", "c.d": ["Run", "swim"]}}"#)
    let document = """
      {"conversation": [{"turn": 1, "user": "I swim"}, {"coach": "ok"}, {"turn": 2, "user": "I SWIM"}],
      "known": [],
      "newUserTurns": [2]}
      """
    let body: JSONValue = [
      "model": "m", "messages": [["role": "user", "content": .string(document)]],
      "response_format": ["json_schema": ["schema": ["properties": ["evidence": [:]]]]],
    ]
    let request = try RequestContent(parsing: body.serializedBytes(), format: .openAI)
    let evidence = try JSONValue(parsing: text(script, request))["evidence"]?.arrayValue
    #expect(
      evidence == [
        ["facet": "a.b", "turn": 2, "quote": "swim", "mark": "none", "corrects": ""],
        ["facet": "c.d", "turn": 2, "quote": "swim", "mark": "none", "corrects": ""],
      ])
  }

  @Test func usageGrowsWithTheConversation() throws {
    let script = try script("")
    let counts = try (1...4).map { turns in
      let content = try request(Array(repeating: "some words of mine", count: turns))
      guard case .answer(let answer) = script.answer(content)?.exchange.response.content else {
        return 0
      }
      return answer.usage?.input ?? 0
    }
    #expect(counts == counts.sorted() && Set(counts).count == 4 && counts[0] > 0)
  }

  @Test func theBuiltInCoachIsReadable() throws {
    #expect(try BuiltInCoach.script().models == [BuiltInCoach.modelName])
  }

  @Test(arguments: [
    (#"{"rules":[]}"#, "version"), (#"{"version":2}"#, "version"),
    (#"{"version":1,"rules":[]}"#, "at least one rule"),
    (
      #"{"version":1,"rules":[{"when":{"sayd":"x"},"response":{"text":"y"}}]}"#,
      "rules[0].when.sayd"
    ),
    (#"{"version":1,"rules":[{"response":{"text":"y"},"evidence":{}}]}"#, "rules[0]"),
    (
      #"{"version":1,"rules":[{"when":{"turn":"x"},"response":{"text":"y"}}]}"#,
      "rules[0].when.turn"
    ),
    (
      #"{"version":1,"rules":[{"when":{"turn":{"from":3,"to":1}},"response":{"text":"y"}}]}"#,
      "rules[0].when.turn"
    ),
    (#"{"version":1,"rules":[{"response":{"text":"y"},"fault":"oops"}]}"#, "rules[0].fault"),
    (#"{"version":1,"otherwise":{"text":"a","json":{}}}"#, "otherwise"), ("nope", "not valid JSON"),
  ])
  func whatCannotBeReadIsNamed(text: String, words: String) {
    #expect { try AnswerScript(parsing: Array(text.utf8)) } throws: { error in
      "\(error)".contains(words)
    }
  }
}
