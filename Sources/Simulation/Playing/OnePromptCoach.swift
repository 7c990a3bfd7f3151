import ContextQuality
import FoundationEssentials
import Intake
public import LanguageModels

/// A coach that is one prompt: the model gets the prompt, the whole conversation, and nothing else.
public struct OnePromptCoach: PlayableCoach {
  public var prompt: String
  public var model: any LanguageModel
  public var reader: ConversationReader

  public init(prompt: String, model: any LanguageModel, reader: ConversationReader) {
    (self.prompt, self.model, self.reader) = (prompt, model, reader)
  }

  public func play(
    _ persona: Persona, seed: Int, wording: ModelWording?
  ) async throws -> SimulatedRun {
    let tokens = TokenCount()
    let model = CountedModel(base: model, count: tokens)
    var run = SimulatedRun(persona: persona.name, seed: seed)
    var voice = PersonaVoice(persona, seed: seed, wording: wording)
    var messages: [ModelMessage] = []
    var asked = PersonaPlayer.Prompt.nothing
    while run.turns.count < SimulatedRun.mostTurns, run.ending == .limit {
      try Task.checkCancellation()
      let turn = try await voice.turn(after: run.closing, asking: asked)
      run.turns.append(turn)
      messages.append(ModelMessage(.user, turn.reply.text))
      run.closing = try await answer(
        ModelRequest(
          purpose: .coach, system: prompt, messages: messages, maxOutputTokens: Self.longest),
        of: model, run)
      messages.append(ModelMessage(.assistant, run.closing))
      let reading = try await reader.reading(
        of: run.closing, after: turn.reply.text, by: persona)
      asked = reading.prompt
      if reading.isSummary { (run.ending, run.readyAt) = (.ready, run.turns.count) }
    }
    messages.append(ModelMessage(.user, Self.profileRequest))
    // The engine has two attempts, too.
    for _ in 1...2 where run.ending == .ready && run.unsupported == nil {
      let profile = try await answer(
        ModelRequest(
          purpose: .synthesise, system: prompt, messages: messages,
          schema: PromptPack.profileSchema, maxOutputTokens: Self.longest), of: model, run)
      run.unsupported = reader.pack.unsupported(inProfile: profile, of: run.transcript)
    }
    run.tokens = tokens.total
    return try await reader.read(run, of: persona)
  }

  private static let longest = 8_000

  private static var profileRequest: String {
    String(decoding: PackageResources.profile_md, as: UTF8.self)
      .replacing("{{today}}", with: CalendarDay.text(of: SimulatedCoach.start))
      .replacing("{{schema}}", with: PromptPack.profileSchema.json)
  }

  private func answer(
    _ request: ModelRequest, of model: CountedModel, _ run: SimulatedRun
  ) async throws -> String {
    let count = run.turns.count
    let place = "after \(count) \(count == 1 ? "message" : "messages")"
    let text: String
    do throws(ModelError) { text = try await model.text(for: request) } catch {
      throw SimulationFailure(persona: run.persona, reason: "\(error) (\(place))")
    }
    guard !PlainText.isBlank(text) else {
      throw SimulationFailure(
        persona: run.persona, reason: "the model's answer was empty (\(place))")
    }
    return text
  }
}
