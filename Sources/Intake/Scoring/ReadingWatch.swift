import ContextQuality
import IncrementalJSON

/// Stops a reading that cannot become usable anymore: a quote has left the person's words or outgrown
/// them, none of many quotes is theirs, or the answer repeats itself.
struct ReadingWatch {
  private var words: SpokenWords
  private var repetition = Repetition()
  /// In bytes. A list may hold the same item a few times, and still end.
  private var repeated = 0
  private static let mostRepeated = 1_500
  private let longestString: Int
  /// Quotes in a row that are not the person's.
  private var strangeQuotes = 0
  private static let mostStrange = 12

  private var isInString = false
  private var isEscaped = false
  /// Whether the string is the value of `quote`.
  private var isQuote = false
  private var length = 0
  /// The string's last bytes as they stand, since its last space if it is a quote.
  private var pending: [UInt8] = []
  private var quote = SpokenWords.Quote()
  /// The member whose value is next.
  private var isNamedQuote = false

  /// Why the reading was stopped.
  private(set) var reason: String?

  /// - Parameter said: What the person said, and what else can be quoted.
  init(said: [String], _ words: QuoteWords) {
    self.words = SpokenWords(said, words)
    // Escapes can make each byte of a quote six.
    longestString = (said.map(\.utf8.count).max() ?? 0) * 6 + 400
  }

  mutating func receive(_ piece: String) {
    guard reason == nil else { return }
    for byte in piece.utf8 where reason == nil {
      take(byte)
      repeated = repetition.repeats(at: byte) ? repeated + 1 : 0
      if repeated > Self.mostRepeated { reason = Self.loop }
    }
  }

  /// Whether what came before it went round in circles can be read.
  var isLoop: Bool { reason == Self.loop }
  private static let loop = "the answer repeats itself"

  private mutating func take(_ byte: UInt8) {
    guard isInString else { return takeOutside(byte) }
    length += 1
    if length > longestString { reason = "a quote is longer than anything the user wrote" }
    if !isEscaped, byte == UInt8(ascii: "\"") { return endString() }
    let endsWord =
      isEscaped ? "nrt".utf8.contains(byte) : byte == UInt8(ascii: " ") || pending.count >= 80
    isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
    pending.append(byte)
    if isQuote, endsWord, !isEscaped { readPending() }
  }

  private mutating func takeOutside(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""):
      (isInString, isQuote, length, quote) = (true, isNamedQuote, 0, SpokenWords.Quote())
      pending.removeAll(keepingCapacity: true)
      isNamedQuote = false
    case UInt8(ascii: ":"): isNamedQuote = !isQuote && pending.elementsEqual("quote".utf8)
    case UInt8(ascii: ","), UInt8(ascii: "{"), UInt8(ascii: "["): isNamedQuote = false
    default: break
    }
  }

  private mutating func endString() {
    isInString = false
    guard isQuote else { return }
    readPending()
    strangeQuotes = words.isStrange(quote) ? strangeQuotes + 1 : 0
    if strangeQuotes >= Self.mostStrange { reason = "none of its quotes are the user's words" }
  }

  private mutating func readPending() {
    let json = "\"" + String(decoding: pending, as: UTF8.self) + "\""
    pending.removeAll(keepingCapacity: true)
    guard let text = (try? JSONValue(parsing: json))?.stringValue else { return }
    words.extend(&quote, by: text)
    if words.haveLost(quote) { reason = "a quote isn't what the user wrote" }
  }
}
