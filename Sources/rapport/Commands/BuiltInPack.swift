import Intake

/// The prompts that are built in, read beside whatever comes before they are needed.
enum BuiltInPack {
  private static let reading = Task.detached { Result { try PromptPack.embedded() } }

  /// Begins to read them.
  static func begin() { _ = reading }

  static var pack: PromptPack {
    get async throws { try await reading.value.get() }
  }
}
