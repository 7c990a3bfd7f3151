public import ContextQuality
import EncoderScorer
import FoundationEssentials
import IncrementalJSON
public import LanguageModels
import OfflineScorer
import Synchronization

/// Lets a model put a persona's replies in other words.
///
/// The rules choose what the persona tells; the model may only say it differently. Its words pass if they read
/// as the same facts, and if every number in them is one of the person's. Otherwise the rule's words
/// stand. They do so, too, if a request fails after another one was answered.
public final class ModelWording: Sendable {
  /// The facets that a message shows by itself.
  public typealias Reader = @Sendable (String) -> Set<Facet>

  private let model: any LanguageModel
  private let reader: Reader?
  private let hasAnswered = Mutex(false)

  /// - Parameter reader: Nil reads with the encoder if it knows the rubric, or else checks only
  ///   numbers and length.
  public init(_ model: any LanguageModel, rubric: Rubric, reader: Reader? = nil) {
    self.model = model
    if let reader {
      self.reader = reader
    } else if rubric.isReadOffline, let scorer = EncoderScorer() {
      self.reader = { scorer.ledger(of: Transcript([.init(.user, $0)])).known }
    } else {
      self.reader = nil
    }
  }

  /// Of a transcript, the messages that the model sees.
  private static let recent = 6
  private static let longest = 400

  /// The reply in other words, or nil if they do not pass the check.
  ///
  /// - Throws: `ModelError` if a request fails before any was answered.
  public func words(
    for reply: PersonaPlayer.Reply, of persona: Persona, after transcript: [String]
  ) async throws -> String? {
    guard reply.isReworded else { return reply.text }
    let request = ModelRequest(
      purpose: .starters, system: Self.instructions(persona, reply),
      messages: [ModelMessage(.user, transcript.suffix(Self.recent).joined(separator: "\n\n"))],
      schema: ResponseSchema(name: "reply", json: Self.schema), isBackground: true)
    guard let text = try await text(for: request),
      let words = (try? JSONValue(parsing: Array(text.utf8)))?["reply"]?.stringValue,
      passes(words, reply, persona)
    else { return nil }
    return words
  }

  private func text(for request: ModelRequest) async throws(ModelError) -> String? {
    do throws(ModelError) {
      let text = try await model.text(for: request)
      hasAnswered.withLock { $0 = true }
      return text
    } catch {
      guard hasAnswered.withLock(\.self) else { throw error }
      return nil
    }
  }

  /// Whether the words tell what the reply tells, and nothing that is not on the sheet.
  func passes(_ words: String, _ reply: PersonaPlayer.Reply, _ persona: Persona) -> Bool {
    let longest = max(Self.longest, reply.text.count * 2)
    guard !PlainText.isBlank(words), words.count <= longest else { return false }
    guard Self.numbers(words).isSubset(of: Self.numbers(reply.text)) else { return false }
    guard let reader else { return true }
    let (meant, read) = (reader(reply.text), reader(words))
    return read.isSubset(of: meant.union(reply.told))
      && meant.intersection(reply.told).isSubset(of: read)
  }

  private static func numbers(_ text: String) -> Set<Substring> {
    Set(text.split { !$0.isNumber })
  }

  private static let schema = #"""
    {"type": "object", "additionalProperties": false, "required": ["reply"], "properties": {"reply": {"type": "string"}}}
    """#

  private static func instructions(_ persona: Persona, _ reply: PersonaPlayer.Reply) -> String {
    let values = [
      "about": persona.about, "register": persona.register.rawValue,
      "language": persona.language, "reply": reply.text,
    ]
    let template = String(decoding: PackageResources.player_md, as: UTF8.self)
    return values.reduce(template) { $0.replacing("{{\($1.key)}}", with: $1.value) }
  }
}

extension PersonaPlayer.Reply {
  /// Words in need of care, and those that a menu understands, stay as they are.
  var isReworded: Bool { [.told, .partly, .again].contains(manner) }
}
