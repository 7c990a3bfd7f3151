import Commands
import Intake
import Journeys
import Plans
import Rehearsal
import SessionStore
import Startup
import Terminal

/// Who talks and writes in a journey: models, or a rehearsal. They are set up when they are first needed, so
/// that a journey sends no request before.
actor JourneyCoach {
  private let context: CommandContext
  private let store: SessionStore
  private let session: SessionID
  private let terminal: TTY
  private let isOffline: Bool
  private var models: (CoachChoice, ModelSetup)?

  init(
    context: CommandContext, store: SessionStore, session: SessionID, terminal: TTY, isOffline: Bool
  ) {
    (self.context, self.store, self.session) = (context, store, session)
    (self.terminal, self.isOffline) = (terminal, isOffline)
  }

  /// The coach, and the models if it has any. A session that began as a rehearsal continues as one.
  ///
  /// - Parameter asks: Whether a person can be asked for a key.
  func choice(asks: Bool) async throws -> (CoachChoice, ModelSetup?) {
    if let models { return models }
    if try isOffline || isRehearsal { return (.rehearsal, nil) }
    let setup = try ModelSetup(context, terminal)
    let coach = try await setup.coach(terminal, asks: asks)
    guard coach.models != nil else { return (coach, nil) }
    models = (coach, setup)
    return (coach, setup)
  }

  private var isRehearsal: Bool {
    get throws {
      let starts = try store.events(of: session).lazy.compactMap { recorded -> SessionStart? in
        if case .started(let start) = recorded.event { start } else { nil }
      }
      return starts.first?.source == .rehearsal
    }
  }
}

/// Writes a journey's documents with the coach that talks in it.
struct JourneyDrafter: DocumentDrafter {
  let coach: JourneyCoach

  func draft(
    _ kind: DocumentKind, from facts: DraftFacts,
    show: @escaping @Sendable (DraftedDocument) -> Void
  ) async throws(DraftError) -> DraftedDocument {
    try await drafter.draft(kind, from: facts, show: show)
  }

  func reply(
    to words: String, at document: DraftedDocument, proposed: DocumentEdit?, facts: DraftFacts
  ) async throws(DraftError) -> DocumentReply {
    try await drafter.reply(to: words, at: document, proposed: proposed, facts: facts)
  }

  func profile(from facts: DraftFacts) async -> Synthesis? {
    let known = try? await drafter
    return await (known ?? TemplateDrafter()).profile(from: facts)
  }

  private var drafter: any DocumentDrafter {
    get async throws(DraftError) {
      do {
        return try await coach.choice(asks: false).0.drafter
      } catch {
        throw DraftError(words: "\(error)")
      }
    }
  }
}
