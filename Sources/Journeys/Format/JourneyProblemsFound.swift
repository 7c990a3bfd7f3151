import ContextQuality

/// What is wrong with a journey's file, so that all of it can be mended at once.
struct JourneyProblemsFound {
  let file: String
  private var reasons: [String] = []

  init(file: String) { self.file = file }

  /// - Returns: Nil if it failed.
  @discardableResult
  mutating func gather<Value>(_ make: () throws(PackError) -> Value) -> Value? {
    do throws(PackError) {
      return try make()
    } catch {
      reasons.append(error.reason)
      return nil
    }
  }

  func raise() throws(PackError) {
    guard !reasons.isEmpty else { return }
    throw PackError(file: file, reason: reasons.joined(separator: "\n\(file): "))
  }
}
