import FoundationEssentials
import Intake
import SessionStore
import Terminal

/// Which conversation is gone on with.
///
/// Rehearsals and conversations with a model are kept apart: neither is taken for the other, and a
/// rehearsal uses up nobody's first conversation.
struct SessionChoice {
  let store: SessionStore
  let isRehearsal: Bool

  /// The one named, the latest, or a new one. A finished discovery that was not subscribed to is
  /// not followed by a second free one.
  func choose(
    named name: String?, new: Bool, _ terminal: any Terminal
  ) throws -> SessionID {
    let named = try name.map { try store.session(matching: $0) }
    if let named { try checkKind(of: named) }
    if isRehearsal {
      return try named ?? (new ? nil : store.latestSession(isRehearsal: true))
        ?? store.createSession(at: Date())
    }
    let isEntitled = try StoredEntitlement(store: store).current() != nil
    if isEntitled, let named { return named }
    if let finished = try store.finishedDiscovery(), !isEntitled {
      if new || (named ?? finished) != finished {
        terminal.writeAside(
          "You have had your first conversation with me already, so here it is again.\n\n",
          as: .notice)
      }
      return finished
    }
    if !isEntitled, try store.hasFinishedDiscovery() {
      throw CommandFailure(
        .usage,
        "You have had your first conversation with me already. `rapport subscribe` goes on (it is "
          + "a stub and takes no money).")
    }
    if let named { return named }
    if !new, let latest = try store.latestSession(isRehearsal: false) { return latest }
    return try store.createSession(at: Date())
  }

  /// A new one, without any other in its place: a recording holds a conversation from its beginning.
  func beginRecorded() throws -> SessionID {
    if try StoredEntitlement(store: store).current() == nil, try store.hasFinishedDiscovery() {
      throw CommandFailure(
        .usage,
        "A recording begins a new conversation, and you have had your first one with me already. "
          + "`rapport subscribe` opens the way to others (it is a stub and takes no money), and "
          + "`--store FILE` records with a store of its own.")
    }
    return try store.createSession(at: Date())
  }

  /// Said before anything is opened, with the command that does what was meant.
  private func checkKind(of id: SessionID) throws {
    let found = try store.sessions().first { $0.id == id }
    guard let found, found.turns > 0 || found.isRehearsal, found.isRehearsal != isRehearsal else {
      return
    }
    throw CommandFailure(
      .usage,
      found.isRehearsal
        ? "\(id) is a rehearsal, and a model would not know where it ends. "
          + "`rapport chat --offline --session \(id)` goes on with it; `rapport chat` talks with the model."
        : "\(id) is a conversation with a model, and a rehearsal must not speak in its place. "
          + "`rapport chat --session \(id)` goes on with it; `rapport chat --offline` rehearses apart."
    )
  }
}
