import FoundationEssentials
import Journeys
import Plans
import SessionStore
import Startup

/// Chooses the conversation to resume.
///
/// Rehearsals and conversations with a model stay apart: one never resumes the other, and a
/// rehearsal does not use up the free first conversation.
struct SessionChoice {
  let store: SessionStore
  let isRehearsal: Bool
  /// The name of the pack that is set.
  let pack: String

  struct Chosen {
    var id: SessionID
    /// Whether a finished discovery was chosen instead of the one that was asked for.
    var isFinishedInstead = false
  }

  /// The named conversation, the latest, or a new one. Without a subscription, a finished discovery
  /// is shown again instead of starting another free one.
  func choose(named name: String?, new: Bool) throws -> Chosen {
    let named = try name.map { try store.session(matching: $0) }
    if let named { try checkKind(of: named) }
    try? store.tidy(at: Date(), keeping: named)
    if isRehearsal {
      return Chosen(
        id: try named ?? (new ? nil : latest()) ?? store.createSession(at: Date()))
    }
    let isEntitled = try store.entitlement() != nil
    if isEntitled, let named { return Chosen(id: named) }
    if let finished = try store.finishedDiscovery(), !isEntitled {
      return Chosen(id: finished, isFinishedInstead: new || (named ?? finished) != finished)
    }
    if !isEntitled, try store.hasFinishedDiscovery() {
      throw CommandFailure(
        .usage,
        "We've already had our first conversation. `rapport subscribe` lets us continue (it is a "
          + "stub and takes no money).")
    }
    if let named { return Chosen(id: named) }
    if !new, let latest = try latest() { return Chosen(id: latest) }
    return Chosen(id: try store.createSession(at: Date()))
  }

  /// The latest conversation, or, if that is another pack's, a form of this pack that was finished since and
  /// that no conversation follows yet.
  private func latest() throws -> SessionID? {
    let sessions = try store.sessions()
    let latest = try store.latestSession(isRehearsal: isRehearsal)
    if let latest, try CommandContext.nameOfPack(of: store.events(of: latest)) == pack {
      return latest
    }
    let since = sessions.prefix { $0.id != latest }.filter {
      $0.journey != nil && $0.isWithoutConversation
    }
    let form = try since.first { summary in
      let state = try JourneyState(events: store.events(of: summary.id))
      return state.isCompleted && state.start?.pack == pack
    }
    return form?.id ?? latest
  }

  /// Always a new one: a recording holds a conversation from its beginning.
  func beginRecorded() throws -> Chosen {
    if try store.entitlement() == nil, try store.hasFinishedDiscovery() {
      throw CommandFailure(
        .usage,
        "A recording starts a new conversation, and we've already had our first one. "
          + "`rapport subscribe` unlocks more (it is a stub and takes no money); `--store FILE` "
          + "records with a separate store.")
    }
    return Chosen(id: try store.createSession(at: Date()))
  }

  /// Refuses before anything is opened, and names the command that was meant.
  private func checkKind(of id: SessionID) throws {
    let found = try store.sessions().first { $0.id == id }
    guard let found, found.turns > 0 || found.isRehearsal, found.isRehearsal != isRehearsal else {
      return
    }
    throw CommandFailure(
      .usage,
      found.isRehearsal
        ? "\(id) is a rehearsal, so a model can't continue it. Resume it with `rapport chat "
          + "--offline --session \(id)`, or talk with the model: `rapport chat`."
        : "\(id) is a conversation with a model, so a rehearsal can't continue it. Resume it with "
          + "`rapport chat --session \(id)`, or rehearse separately: `rapport chat --offline`."
    )
  }
}
