import IncrementalJSON
import LanguageModels

extension ModelAnswer {
  /// The answer that recorded frames form together; nil if they form more, or less, than one
  /// whole answer in the format.
  init?(_ frames: [RecordedResponse.Frame], format: WireFormat) {
    var text = ""
    var finish: String?
    var usage: TokenUsage?
    for frame in frames {
      guard case .event(_, let data) = frame.content, data["error"] == nil else { return nil }
      let choice = data["choices"]?[0]
      let delta = choice?["delta"] ?? data["delta"]
      text += (delta?["content"] ?? delta?["text"])?.stringValue ?? ""
      finish = (choice?["finish_reason"] ?? delta?["stop_reason"])?.stringValue ?? finish
      usage = Self.usage(data, after: usage) ?? usage
    }
    guard let finish else { return nil }
    let isUsual = finish == format.stopReason
    self.init(.text(text), usage: usage, finish: isUsual ? nil : finish)
  }

  private static func usage(_ data: JSONValue, after earlier: TokenUsage?) -> TokenUsage? {
    guard let usage = data["usage"] ?? data["message"]?["usage"], !usage.isNull else { return nil }
    let input = (usage["prompt_tokens"] ?? usage["input_tokens"])?.intValue
    let output = (usage["completion_tokens"] ?? usage["output_tokens"])?.intValue
    return TokenUsage(input: input ?? earlier?.input ?? 0, output: output ?? earlier?.output ?? 0)
  }
}

extension RecordedResponse {
  /// The model's answer, whether given whole or frame by frame.
  func answer(_ format: WireFormat) -> ModelAnswer? {
    switch content {
    case .answer(let answer): answer
    case .frames(let frames) where status == 200 && ending == .whole:
      ModelAnswer(frames, format: format)
    case .frames, .body: nil
    }
  }
}
