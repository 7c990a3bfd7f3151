import SessionStore

extension ConversationStore {
  /// The conversation that a request of this name began, also before the person had an account; else the
  /// id of the one that it begins now.
  func session(begunBy name: String) async throws(StoreError) -> SessionID {
    let own = SessionID(derivedFrom: "\(person)/\(name)")
    if try await contains(own) { return own }
    for former in try await formerIDs() {
      let id = SessionID(derivedFrom: "\(former)/\(name)")
      if try await contains(id) { return id }
    }
    return own
  }
}
