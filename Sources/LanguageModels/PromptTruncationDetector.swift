/// Detects a server that silently drops the oldest part of a prompt that is too long.
///
/// The count of input tokens must grow with the prompt. If a conversation has grown by hundreds of
/// bytes and its count has not, part of it was not read. On servers without documented behavior, a
/// total of exactly a power of two from 2048 up is taken for a full context window.
public struct PromptTruncationDetector: Sendable {
  /// What is needed of a prompt to compare two.
  public struct Fingerprint: Hashable, Sendable {
    public var purpose: RequestPurpose
    /// All instructions and messages, in UTF-8 bytes.
    public var byteCount: Int
    var system: Int
    /// The start of the conversation, which identifies it.
    var head: [UInt8]

    static let headLimit = 256

    public init(_ request: ModelRequest) {
      purpose = request.purpose
      // As bytes: hashing text normalizes it first.
      var hasher = Hasher()
      var text = request.system
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      system = hasher.finalize()
      head = []
      byteCount = request.system.utf8.count
      for message in request.messages {
        var text = message.text
        text.withUTF8 { bytes in
          byteCount += bytes.count
          head.append(contentsOf: bytes.prefix(Self.headLimit - head.count))
        }
      }
    }

    /// Whether this prompt continues the other one.
    func continues(_ other: Fingerprint) -> Bool {
      guard purpose == other.purpose, system == other.system, byteCount > other.byteCount else {
        return false
      }
      return !other.head.isEmpty && head.starts(with: other.head)
    }
  }

  private struct Observation {
    var prompt: Fingerprint
    var input: Int
  }

  /// Prompts that were read completely, oldest first.
  private var whole: [Observation] = []
  private static let remembered = 32
  /// Growth under this many bytes proves nothing.
  private static let tellingGrowth = 400
  /// Text in any language has at least one token per this many bytes.
  private static let bytesPerToken = 20

  public init() {}

  /// Records the server's count for a prompt.
  ///
  /// - Parameters:
  ///   - usage: 0 input tokens mean that the server gave no count.
  ///   - windowsAreSuspect: Whether a power of two is taken for a full window.
  /// - Returns: Whether part of the prompt was dropped.
  public mutating func wasCut(
    _ prompt: Fingerprint, usage: TokenUsage?, windowsAreSuspect: Bool = true
  ) -> Bool {
    guard let usage, usage.input > 0 else { return false }
    let earlier = whole.lastIndex { prompt.continues($0.prompt) }
    if windowsAreSuspect, Self.isWindow(usage.input) || Self.isWindow(usage.input &+ usage.output) {
      return true
    }
    if let earlier, isCut(prompt, usage.input, since: whole[earlier]) { return true }
    if let earlier { whole.remove(at: earlier) }
    whole.append(Observation(prompt: prompt, input: usage.input))
    if whole.count > Self.remembered { whole.removeFirst() }
    return false
  }

  private func isCut(_ prompt: Fingerprint, _ input: Int, since earlier: Observation) -> Bool {
    let growth = prompt.byteCount - earlier.prompt.byteCount
    guard growth >= Self.tellingGrowth else { return false }
    return input <= earlier.input || input - earlier.input < growth / Self.bytesPerToken
  }

  private static func isWindow(_ count: Int) -> Bool { count >= 2048 && count & (count - 1) == 0 }
}
