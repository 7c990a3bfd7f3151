import ContextQuality
package import Intake

/// A session that a test talks in.
package protocol TestConversation {
  var state: IntakeState { get async }
  func say(_ text: String) async throws
}

extension ScriptedSession: TestConversation {}
extension OfflineRehearsal: TestConversation {}

extension TestConversation {
  /// Says one line after the other until the state is the one wanted.
  ///
  /// - Parameters:
  ///   - most: How many lines may be said before the test fails.
  ///   - line: What to say next.
  /// - Throws: ``NeverReached`` with the transcript.
  package func talk(
    until isReached: (IntakeState) -> Bool, most: Int = 40,
    saying line: (IntakeState) throws -> String
  ) async throws {
    for _ in 0..<most {
      let state = await state
      if isReached(state) { return }
      try await say(try line(state))
    }
    let state = await state
    if !isReached(state) { throw NeverReached(state) }
  }

  /// Says the same again and again until the state is the one wanted.
  package func say(_ text: String, until isReached: (IntakeState) -> Bool) async throws {
    try await talk(until: isReached) { _ in text }
  }
}

/// A conversation did not get to where a test wanted it.
package struct NeverReached: Error, CustomStringConvertible {
  private let transcript: Transcript

  package init(_ state: IntakeState) { transcript = state.transcript }

  package var description: String {
    "never got there:\n"
      + transcript.messages.map { "\($0.speaker): \($0.text)" }.joined(separator: "\n")
  }
}
