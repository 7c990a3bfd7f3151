import TestSupport
import Testing

@testable import LanguageModels

struct DraftFilterTests {
  /// An answer as a server sends it, and its words.
  static let drafts: [(answer: String, words: String)] = [
    ("<think>\nThey sound tired.\n</think>\n\nHow do you sleep?", "How do you sleep?"),
    ("\n<think>a {\"goal\": \"run\"} b</think>Hi.", "Hi."),
    ("<think>one</think>\n<think>two</think>\nHi.", "Hi."),
    ("<thinking>plan</thinking> Hi.", "Hi."), ("<seed:think>plan</seed:think>Hi.", "Hi."),
    ("[THINK]plan[/THINK]Hi.", "Hi."),
    ("\u{25C1}think\u{25B7}plan\u{25C1}/think\u{25B7}Hi.", "Hi."),
    ("<|START_THINKING|>plan<|END_THINKING|><|START_RESPONSE|>Hi.<|END_RESPONSE|>", "Hi."),
    ("<|channel>thought\nplan<channel|>Hi.<turn|>", "Hi."),
    ("<think>plan</think>\n<answer>Hi.</answer>", "Hi."),
    ("Sure. <think>They want more.</think>How do you sleep?", "Sure. How do you sleep?"),
    ("<think>never closed", ""), ("<think>I'd write \"</think>\" here</think>Hi.", "Hi."),
    ("They want a 10k. Be short.\n</think>\n\nWhat stops you?", "What stops you?"),
    ("They want a 10k. Be short.</think>What stops you?", "What stops you?"),
    (
      "Facets: {\"evidence\": []} is empty.\n</think>\n\n{\"evidence\": [1]}", "{\"evidence\": [1]}"
    ),
    ("plan [/THINK] no.[/THINK]\nHi.", "Hi."), ("only thinking.\n</think>", ""),
    (
      "<|channel|>analysis<|message|>Ask one thing.<|end|><|start|>assistant<|channel|>final"
        + "<|message|>What stops you?<|return|>", "What stops you?"
    ),
    (
      "<|channel|>commentary<|message|>Hm.<|end|>\n<|start|>assistant<|channel|>final "
        + "<|constrain|>json<|message|>{\"a\": 1}", "{\"a\": 1}"
    ),
    (
      "We should ask.<|end|><|start|>assistant<|channel|>final<|message|>What stops you?",
      "What stops you?"
    ),
    ("<|start|>assistant<|channel|>final<|message|>Hi.<|end|>", "Hi."),
    ("<|channel|>analysis<|message|>only this", ""),
    ("analysisThe user wants a 10k. Ask.assistantfinalWhat stops you?", "What stops you?"),
    ("analysiswe need to ask.assistantfinalWhat stops you?", "What stops you?"),
    ("assistantanalysisOne.assistantcommentaryTwo.assistantfinalHi.", "Hi."),
    ("finalWhat stops you?", "What stops you?"), ("analysisThe user says hi.", ""),
    ("What would you change?<|im_end|>", "What would you change?"),
    ("Hi.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nI want to lose weight", "Hi."),
    ("Hi. <|im_end|> <|im_start|>user\nI want", "Hi. "), ("Hi.</s>", "Hi."),
    ("Hi.\n<end_of_turn>", "Hi.\n"),
    ("Hi.<\u{FF5C}end\u{2581}of\u{2581}sentence\u{FF5C}>More", "Hi."),
    ("Hi.[INST] I want [/INST]", "Hi."), ("Hi.<|end|>\n<|user|>\nI want", "Hi."),
    ("Hi.<|end|><|assistant|>More", "Hi."), ("Hi.<|a_token_of_tomorrow|>More", "Hi."),
    ("<|im_start|>assistant\nHi.<|im_end|>", "Hi."), ("<|im_start|>user\nI want", ""),
    ("<|im_end|>\n<|im_start|>user\nI want", ""), ("<s> Hi.</s>", "Hi."),
    ("<|begin_of_text|><|start_header_id|>assistant<|end_header_id|>\n\nHi.", "Hi."),
    ("```json\n{\"a\": 1}\n```<|im_end|>\n<|im_start|>user", "```json\n{\"a\": 1}\n```"),
    ("{\"quote\": \"my `tick\"}<|im_end|>", "{\"quote\": \"my `tick\"}"),
    ("He said \"go\"<|im_end|>", "He said \"go\""),
    // A token of tomorrow at the start isn't the end.
    ("<|foo|>Hello", "Hello"), ("<|bar|> <|begin_of_text|>Hi.<|im_end|>x", "Hi."),
    ("analysis\nWe should ask.assistantfinal\nWhat?", "What?"),
    ("analysis**We** ask.assistantfinal**What?**", "**What?**"),
    ("final{\"a\": 1}", "{\"a\": 1}"), ("analysis we ask. assistantfinal What?", "What?"),
    ("assistantfinal What?", "What?"), ("<analysis>plan</analysis>\nHi.", "Hi."),
    ("<cot>plan</cot>Hi.", "Hi."), ("<think >plan</think >Hi.", "Hi."),
    ("<think type=\"deep\" n=1>plan</think>Hi.", "Hi."),
    ("<inner_thoughts>plan</inner_thoughts>Hi.", "Hi."),
    ("Hi. What next?\nUser: I want to lose weight\nAssistant: ok", "Hi. What next?\n"),
    ("Hi.\n\nHuman: more", "Hi.\n\n"), ("Hi.\n### Human: more", "Hi.\n"),
    ("Hi.\n**User:** more", "Hi.\n"), ("<unthink>plan</unthink>Hi.", "Hi."),
    ("<antThinking>plan</antThinking>Hi.", "Hi."), ("Assistant: Hi.", "Hi."),
    ("Hi.[|endofturn|]\n[|user|]more", "Hi."), ("[|assistant|]Hi.[|endofturn|]", "Hi."),
    ("Hi.\n**Human**: more", "Hi.\n"), ("**Assistant**: Hi.", "Hi."),
    ("<unused94>thought\nplan<unused95>Hi.", "Hi."), ("Hi.[e~[\n]~b]user\nmore", "Hi."),
    ("]~!b[]~b]ai\nHi.[e~[", "Hi."), ("Hola.\nUsuario: quiero correr", "Hola.\n"),
    ("Assistent: Hallo.\nNutzer: mehr", "Hallo.\n"), ("Hi.\nUSER: more\nASSISTANT: ok", "Hi.\n"),
    ("assistant\n\nHi.\nuser\nmore\nassistant\nok", "Hi.\n"),
    ("**Assistant:** Hi.", "Hi."), ("### Response:\nHi.\n\n### Instruction:\nmore", "Hi.\n\n"),
  ]

  /// Words that such marks are part of.
  static let words = [
    "Some models write <think> before their answer and </think> after it.",
    "The tags are `<think>` and `</think>`.", "Tags like \"<think>\" or (</think>) aren't words.",
    "Models use <think>/</think> pairs, or <think>a plan</think> in one line, you see.",
    "Between <think>…</think> it plans.",
    "Like this:\n\n```xml\n<think>\nplan\n</think>\nHi.<|im_end|>\n```\n\nDoes that help?",
    "~~~\n<|im_end|>\n~~~\nok", "The token `<|im_end|>` ends a turn; <|eot_id|> does it elsewhere.",
    "{\"quote\": \"I typed </think>\", \"more\": \"a.</think>\\n<think>b<|im_end|> \\\"</s>\"}",
    "I <3 running < 5 km [so far], and [THINK about it].",
    "<b>Rest</b> is training, <s>never</s> too.",
    "Assistant coaches say: rest", "An <apricot> a day",
    "final thoughts first: analysis takes time", "analysisparalysis is a word here",
    "finally, analysis.",
    "The pace is [|v|] here, [a|b] there.", "Say [INST ruction] and a <tag with a space>.",
    "1 < 2 and 3 > 2, \u{25C1} left \u{25B7} right",
    "",
    "[e~] and [3 ~ 4] or a]~b, [so]~", "  two blanks first", "\n\nHi.\n", "<", "Hi <thin",
    "a `<think>", "commentaries", "assistant",
    "The user: you.", "Users: all.\nHumans are fine: yes", "- User: no label",
    "Ask the\nUser about it", "a\nuser of it\nassistants\nok", "```\nUser: a\n```\nok",
    "analysis of a run takes time",
    "<analyst> is one", "<think about it> ok",
  ]

  private static func filtered(_ pieces: [String], holdsStart: Bool = false) -> String {
    var filter = DraftFilter(holdsStart: holdsStart)
    let shown = pieces.map { filter.receive($0) }.joined() + filter.finish()
    return filter.replacement ?? shown
  }

  @Test(arguments: drafts)
  func noDraftIsPartOfTheAnswer(sample: (answer: String, words: String)) {
    #expect(Self.filtered([sample.answer]) == sample.words)
    #expect(Self.filtered([sample.answer], holdsStart: true) == sample.words)
  }

  @Test(arguments: words)
  func wordsThatNameSuchMarksSurvive(text: String) {
    #expect(Self.filtered([text]) == text)
    #expect(Self.filtered([text], holdsStart: true) == text)
  }

  /// However an answer is cut into pieces, its words are the same.
  @Test(arguments: 0..<300)
  func piecesDoNotMatter(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let parts =
      Self.drafts.map(\.answer) + Self.words
      + [
        "<think>", "</think>", "<|im_end|>", "`", "```", "\n", "\"", "{", "}", " ", "Hi.", "\\",
        "~", "User: ", "*", "#",
      ]
    let answer = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      parts[Int.random(in: 0..<parts.count, using: &random)]
    }.joined()
    let expected = Self.filtered([answer])
    for most in [1, 2, 7, 40] {
      var pieces: [String] = []
      var rest = answer.unicodeScalars[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...most, using: &random))
        pieces.append(String(String.UnicodeScalarView(piece)))
        rest = rest.dropFirst(piece.count)
      }
      #expect(Self.filtered(pieces) == expected)
      #expect(Self.filtered(pieces, holdsStart: true) == expected)
    }
  }

  /// A model that has begun with an untagged draft once isn't believed again.
  @Test func aDraftWithoutAnOpeningTagIsHeldOnceItIsKnown() {
    var filter = DraftFilter(holdsStart: true)
    #expect(filter.receive("They want a 10k.") == "")
    #expect(filter.receive("\n</think>\nWhat ") == "What ")
    #expect(filter.receive("stops you?") == "stops you?")
    #expect(filter.finish() == "" && filter.replacement == nil)
  }

  @Test func whatWasShownOfADraftIsReplaced() async {
    let reply = ModelReply(events: [
      .delta("They want a 10k."), .delta("\n</think>\n\nWhat "), .delta("stops you?"),
      .completed(ModelCompletion(finish: .stop)),
    ])
    let outcome = await ReplyOutcome(of: reply)
    #expect(outcome.text == "They want a 10k.")
    #expect(outcome.completion?.replacement == "What stops you?")
    #expect(outcome.completion?.hasReasoning == true)
  }

  @Test func aFailureAfterAnUnmarkedDraftKeepsTheWords() async {
    let reply = ModelReply(
      events: [.delta("They want a 10k.\n"), .delta("</think>\nWhat")],
      failure: ModelError(.truncated, detail: ""))
    let outcome = await ReplyOutcome(of: reply)
    #expect(outcome.completion?.replacement == "What")
    #expect(outcome.completion?.finish.isWhole == false)
  }

  @Test func theLimitThatCutsAnInventedTurnCutsNoAnswer() async {
    let reply = ModelReply(events: [
      .delta("Hi.<|im_end|>\n<|im_start|>user\nI w"), .completed(ModelCompletion(finish: .length)),
    ])
    let outcome = await ReplyOutcome(of: reply)
    #expect(outcome.text == "Hi." && outcome.completion?.finish == .stop)
  }
}
