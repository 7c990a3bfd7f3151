/// Notices when a server silently drops the oldest part of a prompt that is too long for it.
///
/// The count of input tokens must grow with the prompt. Where the same conversation has grown by
/// hundreds of bytes and its count has not, part of it was not read. On servers whose habits are not
/// documented, a total of exactly a power of two from 2048 on is taken as a full context window.
public struct PromptTruncationDetector: Sendable {
  /// A prompt as far as two prompts need it to be compared.
  public struct Fingerprint: Hashable, Sendable {
    public var purpose: RequestPurpose
    /// All instructions and messages, in UTF-8 bytes.
    public var byteCount: Int
    var system: Int
    /// The beginning of the conversation, by which prompts of one conversation are told.
    var head: [UInt8]

    static let headLimit = 1024

    public init(_ request: ModelRequest) {
      purpose = request.purpose
      system = request.system.hashValue
      head = []
      byteCount = request.system.utf8.count
      for message in request.messages {
        byteCount += message.text.utf8.count
        if head.count < Self.headLimit {
          head.append(contentsOf: message.text.utf8.prefix(Self.headLimit - head.count))
        }
      }
    }

    /// Whether this prompt goes on where the other was.
    func continues(_ other: Fingerprint) -> Bool {
      guard purpose == other.purpose, system == other.system, byteCount > other.byteCount else {
        return false
      }
      let shared = zip(head, other.head).prefix { $0 == $1 }.count
      return shared >= min(256, other.head.count) && shared > 0
    }
  }

  private struct Observation {
    var prompt: Fingerprint
    var input: Int
  }

  /// Prompts that were read whole, oldest first.
  private var whole: [Observation] = []
  private static let remembered = 32
  /// Growth under this many bytes says nothing.
  private static let tellingGrowth = 400
  /// Text of any language has at least one token in so many bytes.
  private static let bytesPerToken = 20

  public init() {}

  /// Takes the count that the server reports for a prompt.
  ///
  /// - Parameters:
  ///   - usage: 0 input tokens mean that the server did not say.
  ///   - windowsAreSuspect: whether a total that is a power of two is taken as a full window.
  /// - Returns: whether part of the prompt was dropped.
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
