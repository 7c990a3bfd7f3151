import ContextQuality
import FoundationEssentials
import IncrementalJSON
public import Intake
import LanguageModels

/// Drafts and edits documents with a model. What it writes is checked in code: each field, each quote, and
/// a program against the person's days, equipment and limits. It is asked to repair an answer once; then the
/// fields that are right are kept.
public struct ModelDrafter: DocumentDrafter {
  private let models: ModelRoles
  private let writesProfiles: Bool
  private var model: any LanguageModel { models.deep }

  /// - Parameter writesProfiles: False to leave the profile to the rehearsal.
  public init(models: ModelRoles, writesProfiles: Bool = true) {
    (self.models, self.writesProfiles) = (models, writesProfiles)
  }

  /// A model that cannot be reached does not cost anybody their limits: the rehearsal writes them down.
  public func profile(from facts: DraftFacts) async -> Synthesis? {
    if writesProfiles, let profile = await facts.profile(by: .models(models)) { return profile }
    return await TemplateDrafter().profile(from: facts)
  }

  public func draft(
    _ kind: DocumentKind, from facts: DraftFacts,
    show: @escaping @Sendable (DraftedDocument) -> Void
  ) async throws(DraftError) -> DraftedDocument {
    let maker = try self.maker(kind, facts)
    let first = try await written(maker, [], show: show)
    var best = first
    if !first.problems.isEmpty {
      // A failed repair leaves the first answer, as far as it's right.
      if let second = try? await written(maker, first.problems),
        second.isUsable, !first.isUsable || second.problems.count <= first.problems.count
      {
        best = second
      }
    }
    guard best.isUsable else { throw DraftError(words: DocumentWords.unreadable) }
    return best.document
  }

  public func reply(
    to words: String, at document: DraftedDocument, proposed: DocumentEdit?, facts: DraftFacts
  ) async throws(DraftError) -> DocumentReply {
    let maker = try self.maker(document.kind, facts)
    var (root, made) = try await changed(document, words, proposed, maker, [])
    if !made.isUsable {
      (root, made) = try await changed(document, words, proposed, maker, made.problems)
    }
    // A yes beside another document is no plain yes.
    let shown = [document.rows, proposed?.document.rows]
    if let act = Self.act(in: root), !made.isUsable || shown.contains(made.document.rows) {
      return act
    }
    guard made.isUsable else { throw DraftError(words: DocumentWords.unreadableEdit) }
    let reasons = [root["contradicts"]?.stringValue].compactMap(\.self)
      .filter { !PlainText.isBlank($0) }.map { PlainText.quoted($0) }
    return .change(try maker.edit(document, to: made.document, saying: words, against: reasons))
  }

  /// Nil if a change is asked for.
  private static func act(in root: JSONValue) -> DocumentReply? {
    switch root["act"]?.stringValue {
    case Act.Name.agrees.rawValue: .agrees
    case Act.Name.rejects.rawValue: .rejects
    default: nil
    }
  }

  private func maker(
    _ kind: DocumentKind, _ facts: DraftFacts
  ) throws(DraftError) -> DocumentMaker {
    do throws(PackError) { return try DocumentMaker(kind, facts) } catch {
      throw DraftError(words: "This coach's prompts can't be used (\(error)).")
    }
  }
}

// Asking.
extension ModelDrafter {
  private func written(
    _ maker: DocumentMaker, _ problems: [DocumentProblem],
    show: (DraftedDocument) -> Void = { _ in }
  ) async throws(DraftError) -> DocumentMaker.Made {
    let prompt: DocumentPrompt = maker.kind == .goal ? .goal : .program
    let request = try self.request(maker, prompt, [], problems)
    var shown: [DocumentRow] = []
    let text = try await answer(to: request) { complete in
      let partial = maker.make(complete, source: source, isPartial: true).document
      guard partial.rows != shown, !partial.rows.isEmpty else { return }
      shown = partial.rows
      show(partial)
    }
    return made(text, maker).1
  }

  private func changed(
    _ document: DraftedDocument, _ words: String, _ proposed: DocumentEdit?,
    _ maker: DocumentMaker, _ problems: [DocumentProblem]
  ) async throws(DraftError) -> (JSONValue, DocumentMaker.Made) {
    func json(_ text: String) -> JSONValue { (try? JSONValue(parsing: text)) ?? [:] }
    var more = [("document", json(document.json))]
    if let proposed {
      more.append(
        ("proposed", ["asked": .string(proposed.words), "document": json(proposed.document.json)]))
    }
    more.append(("words", .string(PlainText.visible(words))))
    let request = try self.request(maker, .edit, more, problems)
    return made(try await answer(to: request), maker, change: words)
  }

  private var source: String { model.identity.model }

  private func made(
    _ text: String, _ maker: DocumentMaker, change: String? = nil
  ) -> (JSONValue, DocumentMaker.Made) {
    guard let object = JSONExtraction(from: text, having: ["restsOn"]).object else {
      var made = maker.make([:], source: source, isPartial: true)
      made.problems = [.init(pointer: "", words: "the answer holds no whole JSON object")]
      return ([:], made)
    }
    return (.object(object), maker.make(.object(object), source: source, change: change))
  }

  private func request(
    _ maker: DocumentMaker, _ prompt: DocumentPrompt, _ more: [(String, JSONValue)],
    _ problems: [DocumentProblem]
  ) throws(DraftError) -> ModelRequest {
    let (kind, facts) = (maker.kind, maker.facts)
    do throws(PackError) {
      return ModelRequest(
        purpose: prompt == .edit ? .edit : .draft,
        system: try facts.pack.render(
          prompt, facts.intake, today: facts.today, isProgram: kind == .program,
          problems: problems.map(\.description)),
        messages: [.init(.user, facts.json(for: kind, more).promptText)],
        schema: ResponseSchema(
          name: kind == .goal ? "goal_contract" : "training_program",
          json: try DocumentSchema.text(of: kind, facts.pack, isEdit: prompt == .edit)),
        maxOutputTokens: Self.mostTokens)
    } catch {
      throw DraftError(words: "This coach's prompts can't be used (\(error)).")
    }
  }

  private static let mostTokens = 8_000

  /// - Parameter arrived: Called with the fields that are complete, whenever there are more.
  private func answer(
    to request: ModelRequest, arrived: (JSONValue) -> Void = { _ in }
  ) async throws(DraftError) -> String {
    var (text, reader) = ("", IncrementalJSONReader())
    do throws(ModelError) {
      for try await event in model.reply(to: request) {
        if case .completed(let completion) = event { text = completion.replacement ?? text }
        guard case .delta(let piece) = event else { continue }
        text += piece
        reader.receive(piece)
        if reader.status == .open, let complete = reader.complete { arrived(complete) }
      }
    } catch {
      throw DraftError(words: SessionOutput.Notice(error, hadText: false, saved: true).text)
    }
    return text
  }
}

/// The schemas of the pack's documents.
enum DocumentSchema {
  static func path(of kind: DocumentKind) -> String { "documents/\(kind.rawValue).schema.json" }

  /// - Parameter isEdit: Whether the answer also says what the words do and what a change contradicts.
  static func text(
    of kind: DocumentKind, _ pack: PromptPack, isEdit: Bool
  ) throws(PackError) -> String {
    let path = Self.path(of: kind)
    let file = "\(pack.folder)/\(path)"
    guard let text = pack.documentFiles[path] else {
      throw PackError(file: file, reason: "the file is missing")
    }
    guard var schema = (try? JSONValue(parsing: text))?.objectValue else {
      throw PackError(file: file, reason: "expected a JSON object")
    }
    // Some servers refuse what they don't know.
    (schema["$schema"], schema["title"]) = (nil, nil)
    if isEdit, var properties = schema["properties"]?.objectValue,
      let required = schema["required"]?.arrayValue
    {
      properties["contradicts"] = ["type": ["string", "null"]]
      properties["act"] = [
        "type": "string",
        "enum": .array(
          [Act.Name.agrees, .rejects, .corrects].map { .string($0.rawValue) }),
      ]
      schema["properties"] = .object(properties)
      schema["required"] = .array(required + ["contradicts", "act"])
    }
    return JSONValue.object(schema).serialized()
  }
}

extension DraftFacts {
  /// The day in the person's time zone, `yyyy-MM-dd`.
  var today: String {
    ProgramSchedule.text(of: now, in: TimeZone(identifier: timeZone) ?? .gmt)
  }

  /// What the model gets to know, as data.
  func json(for kind: DocumentKind, _ more: [(String, JSONValue)]) -> JSONValue {
    let turns = intake.turns.map { turn -> JSONValue in
      ["turn": JSONValue(turn.turn), "text": .string(PlainText.visible(turn.text))]
    }
    let known = intake.rubric.facets.filter { !intake.withheld.contains($0.facet) }
      .flatMap { definition in
        intake.ledger.pieces(for: definition.facet).map { piece -> JSONValue in
          .members([
            ("what", .string(definition.title)), ("words", .string(piece.evidence.text)),
            ("mark", piece.evidence.mark.map { .string($0.rawValue) }),
          ])
        }
      }
    let rows = answers.map { row -> JSONValue in
      ["question": .string(row.label), "answer": .string(PlainText.visible(row.value))]
    }
    var members: [(String, JSONValue)] = [
      ("turns", .array(turns)), ("answers", .array(rows)), ("known", .array(known)),
    ]
    if kind == .program, let goal, let json = try? JSONValue(parsing: goal.json) {
      members.append(("goal", json))
    }
    return .object(JSONObject(members + more))
  }
}

extension DocumentMaker {
  /// The change with its difference. What the old document did not break and the new one does is a
  /// contradiction.
  func edit(
    _ old: DraftedDocument, to new: DraftedDocument, saying words: String,
    against reasons: [String] = []
  ) throws(DraftError) -> DocumentEdit {
    let diff = DocumentEdit.diff(from: old, to: new)
    guard diff.contains(where: { $0.change != .same }) else {
      throw DraftError(words: DocumentWords.noChange)
    }
    let before = limits.problems(of: old)
    let broken = limits.problems(of: new).filter { !before.contains($0) }
    let against = broken.isEmpty ? reasons : broken
    var document = new
    document.note = old.note
    return DocumentEdit(
      words: words, document: document, diff: diff,
      contradiction: against.isEmpty ? nil : DocumentWords.contradiction(against))
  }
}

extension CoachChoice {
  /// Writes documents with the same models, or from a template in a rehearsal.
  public var drafter: any DocumentDrafter {
    if let models { ModelDrafter(models: models) } else { TemplateDrafter() }
  }
}
