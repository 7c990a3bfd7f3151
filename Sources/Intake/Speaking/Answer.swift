import ContextQuality
import LanguageModels

/// The part of a model's answer that arrived, and how it ended.
struct Answer: Sendable {
  var text = ""
  var completion: ModelCompletion?
  var error: ModelError?

  /// Reads a reply until it ends, or until enough of it was read.
  ///
  /// - Parameter isEnough: Asked after each piece.
  static func collect(
    from model: any LanguageModel, _ request: ModelRequest, _ show: IntakeEngine.Show,
    onText: (String) -> Void = { _ in }, isEnough: () -> Bool = { false }
  ) async -> Answer {
    var events = model.reply(to: request).makeAsyncIterator()
    let reader = model.readingExecutor
    let answer = await withTaskExecutorPreference(reader) {
      await read(&events, show, isEnough, onText)
    }
    // Otherwise what the caller does with the answer would still hold up other answers.
    if reader != nil { await leaveReader() }
    return answer
  }

  /// Goes back to the general threads, as any `@concurrent` function does.
  @concurrent private static func leaveReader() async {}

  private static func read(
    _ events: inout ModelReply.Iterator, _ show: IntakeEngine.Show, _ isEnough: () -> Bool,
    _ onText: (String) -> Void
  ) async -> Answer {
    var answer = Answer()
    do throws(ModelError) {
      while let event = try await events.next() {
        switch event {
        case .delta(let text):
          answer.text += text
          onText(text)
          if isEnough() {
            answer.completion = ModelCompletion(finish: .stop)
            return answer
          }
        case .waiting(let wait): show(.waiting(.retry(wait)))
        case .completed(let completion):
          answer.completion = completion
          if let words = completion.replacement { answer.text = words }
        }
      }
      if answer.completion == nil {
        answer.error = ModelError(.truncated, detail: "the reply ended without an outcome")
      }
    } catch {
      answer.error = error
    }
    return answer
  }

  @inline(never)
  func reply(from identity: ModelIdentity) -> CoachReply {
    CoachReply(text: text, cut: cut, model: identity.model, usage: completion?.usage)
  }

  /// Whether there is nothing but thinking, which may have used up the token limit.
  var isOnlyReasoning: Bool {
    guard error == nil, let completion, PlainText.isBlank(text) else { return false }
    return completion.finish == .length || completion.finish.isWhole && completion.hasReasoning
  }

  private var cut: CutReason? {
    if let error { return CutReason(error.kind) }
    switch completion?.finish {
    case .length: return .length
    case .refusal: return .refusal
    case let finish?: return finish.isWhole ? nil : .truncated
    case nil: return nil
    }
  }
}

extension Answer {
  /// Says what went wrong, for the user and for an engineer.
  @inline(never)
  func notice(saved: Bool) -> SessionOutput.Notice {
    if let error { return .init(error, hadText: !text.isEmpty, saved: saved) }
    if completion?.finish == .refusal {
      let words = saved ? " Your words are saved; you could try putting it another way." : ""
      return SessionOutput.Notice(
        code: "model-declined", level: .warning,
        text: "The model wouldn't answer that.\(words)", canBeAskedAgain: true,
        detail: "the model or its provider refused, or filtered the answer",
        values: ["saved": saved ? "yes" : ""])
    }
    if case .other(let reason)? = completion?.finish, cut == .truncated {
      let error = ModelError(.truncated, detail: "the server ended the reply with \"\(reason)\"")
      return .init(error, hadText: !PlainText.isBlank(text), saved: saved)
    }
    let wasCut = completion?.finish == .length
    let words = saved ? " Your words are saved." : ""
    return SessionOutput.Notice(
      code: "reply-incomplete", level: .warning,
      text: (wasCut ? "My reply was cut off at the length limit." : "My reply came back empty.")
        + words,
      canBeAskedAgain: true,
      detail:
        "the reply is incomplete: \(wasCut ? "its length limit was reached" : "it was empty")",
      values: ["wasCut": wasCut ? "yes" : ""])
  }
}
