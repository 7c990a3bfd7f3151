import ContextQuality
import FoundationEssentials
import IncrementalJSON
public import Intake
public import LanguageModels
import Signals

/// Reads conversations by their words alone, so that coaches of any kind can be compared.
///
/// No coach's own account counts: a model tells what each of its messages asks for, and the person answers that. The
/// scorer tells what the person's words show.
public struct ConversationReader: Sendable {
  let pack: PromptPack
  private let listener: any LanguageModel
  private let scorer: TranscriptScorer

  /// - Parameters:
  ///   - listener: Reads each message of a coach; usually the model that plays the people.
  ///   - scorer: Reads what the people said, once the conversation has ended.
  public init(pack: PromptPack, listener: any LanguageModel, scorer: any LanguageModel) {
    (self.pack, self.listener) = (pack, listener)
    self.scorer = TranscriptScorer(pack: pack, model: scorer)
  }

  /// What a coach's message does.
  struct Reading: Hashable, Sendable {
    var prompt = PersonaPlayer.Prompt.nothing
    var isSummary = false
    var isCaring = false
  }

  /// - Parameter said: The person's message before it.
  func reading(
    of coach: String, after said: String, by persona: Persona
  ) async throws -> Reading {
    let request = ModelRequest(
      purpose: .starters, system: instructions,
      messages: [ModelMessage(.user, "The person: \(said)\n\nThe coach: \(coach)")],
      schema: ResponseSchema(name: "reading", json: Self.schema), isBackground: true)
    for _ in 1...Self.attempts {
      let text: String
      do throws(ModelError) { text = try await listener.text(for: request) } catch {
        throw SimulationFailure(
          persona: persona.name, reason: "the persona model didn't answer: \(error)")
      }
      if let object = JSONExtraction(from: text, having: ["asks"]).object { return reading(object) }
    }
    throw SimulationFailure(
      persona: persona.name,
      reason: "the persona model's reading of a message is no JSON object")
  }

  private static let attempts = 2

  private func reading(_ object: JSONObject) -> Reading {
    let names = object["asks"]?.arrayValue?.compactMap(\.stringValue) ?? []
    let facets = names.compactMap { Facet($0) }.filter { pack.rubric[$0] != nil }
    var components: [String] = []
    for facet in facets where !components.contains(facet.component) {
      components.append(facet.component)
    }
    return Reading(
      prompt: facets.isEmpty ? .nothing : .question(components: components, facets: facets),
      isSummary: object["sumsUp"]?.boolValue ?? false,
      isCaring: object["cares"]?.boolValue ?? false)
  }

  private var instructions: String {
    let facets = pack.rubric.facets.map { "- \($0.facet): \($0.label)" }.joined(separator: "\n")
    return String(decoding: PackageResources.listener_md, as: UTF8.self)
      .replacing("{{facets}}", with: facets)
  }

  private static let schema = #"""
    {"type": "object", "additionalProperties": false, "required": ["asks", "sumsUp", "cares"], "properties": {"asks": {"type": "array", "items": {"type": "string"}}, "sumsUp": {"type": "boolean"}, "cares": {"type": "boolean"}}}
    """#

  /// The conversation with what its words show, in place of the coach's own account.
  func read(_ run: SimulatedRun, of persona: Persona) async throws -> SimulatedRun {
    let ledger = try await ledger(of: run)
    let evidence = ledger.entries.map(\.evidence)
    let worth = { ContextComponents(known: $0, rubric: pack.rubric).points }
    var run = run
    var (told, found): (Set<Facet>, Set<Facet>) = ([], [])
    for index in run.turns.indices {
      let known = Set(evidence.filter { $0.turn <= index + 1 }.map(\.facet))
      told.formUnion(run.turns[index].reply.told)
      let new = known.intersection(told).subtracting(found)
      found.formUnion(new)
      run.turns[index].found = new.sorted()
      run.turns[index].worth = worth(new)
      run.turns[index].points = worth(known)
      run.turns[index].care = try await care(run, index, persona)
    }
    run.worth = worth(Set(persona.facts.map(\.facet)))
    run.misheard = ledger.known.subtracting(told).sorted()
    return run
  }

  private func ledger(of run: SimulatedRun) async throws -> Ledger {
    let result: Result<TranscriptReading, TranscriptFailure>
    do throws(ModelError) { result = try await scorer.read(run.transcript) } catch {
      throw SimulationFailure(
        persona: run.persona, reason: "the scorer's model didn't answer: \(error)")
    }
    switch result {
    case .success(let reading): return reading.ledger
    case .failure(let failure):
      throw SimulationFailure(
        persona: run.persona, reason: "the scorer failed: \(failure.reason)")
    }
  }

  /// The care that was due and that the coach's answer gave.
  private func care(
    _ run: SimulatedRun, _ index: Int, _ persona: Persona
  ) async throws -> [CareKind] {
    let turn = run.turns[index]
    guard let care = turn.reply.distress?.care else { return [] }
    let answer = index + 1 < run.turns.count ? run.turns[index + 1].coach : run.closing
    return try await reading(of: answer, after: turn.reply.text, by: persona).isCaring ? [care] : []
  }
}

extension SimulatedRun {
  var transcript: Transcript {
    var transcript = Transcript()
    for turn in turns {
      if !turn.coach.isEmpty { transcript.append(.init(.coach, turn.coach)) }
      transcript.append(.init(.user, turn.reply.text))
    }
    if !closing.isEmpty { transcript.append(.init(.coach, closing)) }
    return transcript
  }
}
