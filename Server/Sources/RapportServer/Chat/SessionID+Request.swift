import SessionStore

extension SessionID {
  /// The id of the conversation that a request of this name begins.
  init(derivedFrom name: String) {
    let alphabet = Array("abcdefghjkmnpqrstuvwxyz23456789")
    let digest = Digest.sha256(Array("rapport conversation \(name)".utf8))
    self.init(
      rawValue: String(digest.prefix(12).map { alphabet[Int($0) % alphabet.count] }))
  }
}
