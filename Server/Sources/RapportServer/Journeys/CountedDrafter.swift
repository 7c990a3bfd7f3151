import Intake
import Journeys
import Plans

/// Writes documents with the models, within the person's limits and counted as replies are.
struct CountedDrafter: DocumentDrafter {
  let models: ModelRoles
  let limits: Limits
  let caller: Caller
  let desk: CoachDesk

  func draft(
    _ kind: DocumentKind, from facts: DraftFacts,
    show: @escaping @Sendable (DraftedDocument) -> Void
  ) async throws(DraftError) -> DraftedDocument {
    try await counting { drafter throws(DraftError) in
      try await drafter.draft(kind, from: facts, show: show)
    }
  }

  func reply(
    to words: String, at document: DraftedDocument, proposed: DocumentEdit?, facts: DraftFacts
  ) async throws(DraftError) -> DocumentReply {
    try await counting { drafter throws(DraftError) in
      try await drafter.reply(to: words, at: document, proposed: proposed, facts: facts)
    }
  }

  /// Beyond the person's limits the profile is in their own words.
  func profile(from facts: DraftFacts) async -> Synthesis? {
    let written = try? await counting { drafter throws(DraftError) in
      await drafter.profile(from: facts)
    }
    if let written { return written }
    return await TemplateDrafter().profile(from: facts)
  }

  private func counting<Value: Sendable>(
    _ work: (any DocumentDrafter) async throws(DraftError) -> Value
  ) async throws(DraftError) -> Value {
    do { try await limits.takeTurn(caller, desk) } catch {
      throw DraftError(words: Problem(error).message)
    }
    let meter = TokenMeter()
    let result: Result<Value, DraftError>
    do throws(DraftError) {
      result = .success(try await work(CoachChoice.models(models.metered(by: meter)).drafter))
    } catch {
      result = .failure(error)
    }
    await limits.count(meter.count, by: caller, desk)
    return try result.get()
  }
}
