import Intake

/// The built-in prompts, parsed in the background while startup continues.
enum BuiltInPack {
  private static let reading = Task.detached { Result { try PromptPack.embedded() } }

  /// Starts parsing.
  static func begin() { _ = reading }

  static var pack: PromptPack {
    get async throws { try await reading.value.get() }
  }
}
