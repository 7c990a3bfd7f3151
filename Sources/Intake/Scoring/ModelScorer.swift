import ContextQuality
package import IncrementalJSON
import LanguageModels
import Signals

/// Builds the scoring model's request.
///
/// It sends the transcript as JSON strings with escaped markup, so that user text cannot pass for a
/// role or a delimiter.
struct ModelScorer {
  let pack: PromptPack
  /// What to look for besides evidence; nil for nothing. It never changes what counts as evidence.
  var person: PersonReading?
  /// How the prompt lists the rubric.
  var listing = RubricListing.given
  /// What the newest turns answer. Where an answer decides what happens, a short request is enough.
  var moment = ReadingMoment.question
  /// The labels that they could have chosen.
  var choices: [String] = []
  /// The model's context window in tokens; nil if it is not known.
  var window: Int?

  /// Whether a reading at this moment is kept short because more of it would not fit.
  static func isBrief(window: Int?) -> Bool { window.map { $0 < wholeReading } ?? false }

  /// What a whole reading and its answer take, in tokens.
  private static let wholeReading = 8_192
  /// A reading of another module fits into this window beside a brief one.
  private static let roomForMember = 4_096

  func request(
    transcript: Transcript, ledger: Ledger, newTurns: [Int], problems: [String] = []
  ) throws(PackError) -> ModelRequest {
    var text = conversation(transcript, ledger, newTurns)
    if !problems.isEmpty {
      text += "\n\n" + (try pack.render(.scoreRepair, ["problems": problems]))
    }
    return ModelRequest(
      purpose: .score,
      system: try instructions,
      messages: [ModelMessage(.user, text)],
      schema: ResponseSchema(
        name: "evidence",
        json: pack.fixedText("evidence \(schemaName)") {
          isShort
            ? Self.shortSchema(
              care: pack.careNotes.kinds, statesBody: statesBody, members: members)
            : Self.schema(
              pack.rubric, care: pack.careNotes.kinds, hasBody: pack.bodyFacet != nil,
              members: person == nil ? nil : members,
              hasParts: !pack.understandingTerms.terms.isEmpty)
        }),
      maxOutputTokens: isShort ? 2_000 : 8_000)
  }

  private var isShort: Bool { person != nil && (moment.isShort || isBrief) }
  private var isBrief: Bool { Self.isBrief(window: window) }
  private var statesBody: Bool { pack.bodyFacet != nil }

  /// What is read besides, as far as there is room.
  private var members: [ReadingMember] {
    guard let window, isBrief else {
      return [moment.isShort ? nil : person?.member, person?.amends].compactMap(\.self)
    }
    return [window < Self.roomForMember ? nil : person?.member].compactMap(\.self)
  }

  private var schemaName: String {
    let kind = isShort ? (statesBody ? "read body" : "read") : person == nil ? "" : "person"
    return ([kind] + members.map(\.name)).joined(separator: " ")
  }

  private var instructions: String {
    get throws(PackError) {
      if isShort {
        let read = try pack.fixedText(statesBody ? "read body" : "read") { () throws(PackError) in
          try pack.render(
            .read,
            [
              "facets": pack.rubric.facets.map {
                ["id": $0.facet.description, "title": $0.label]
              },
              "isBody": statesBody, "acts": try acts,
            ])
        }
        return ([read] + members.map(\.instructions)).joined(separator: "\n\n")
      }
      let name = listing == .given ? "score" : "score \(listing)"
      let score = try pack.fixedText(name) { () throws(PackError) in
        try pack.render(.score, ["components": rubricValues, "isBody": statesBody])
      }
      guard person != nil else { return score }
      let understand = try pack.fixedText("understand") { () throws(PackError) in
        let parts = pack.understandingTerms.terms.map { ["id": $0.id, "means": $0.means] }
        return try pack.render(
          .understand, ["parts": parts, "hasParts": !parts.isEmpty, "acts": try acts])
      }
      return ([score, understand] + members.map(\.instructions)).joined(separator: "\n\n")
    }
  }

  private var acts: String {
    get throws(PackError) { try pack.render(.acts, [:]) }
  }

  private func conversation(_ transcript: Transcript, _ ledger: Ledger, _ all: [Int]) -> String {
    let new = isBrief ? Array(all.suffix(BriefConversation.mostTurns)) : all
    let known = ledger.standing.filter { $0.evidence.mark != .provisional }
      .map { entry -> JSONValue in
        let facet = JSONValue.string(entry.evidence.facet.description)
        return switch entry.evidence.basis {
        case .quote(let quote, let turn):
          .members([
            ("facet", facet), ("turn", JSONValue(turn)), ("quote", .string(quote)),
            ("mark", entry.evidence.mark.map { .string($0.rawValue) }),
          ])
        case .reading(let reading, let source):
          ["facet": facet, "reading": .string(PlainText.line(reading)), "source": .string(source)]
        case .answer(let answer):
          [
            "facet": facet, "answer": .string(PlainText.visible(answer.text)),
            "question": .string(PlainText.visible(answer.wording)),
          ]
        }
      }
    // The part that only grows comes first. How much of it matches the previous prompt shows
    // whether a server cut the prompt, and caches can reuse the match.
    var lines = ["{\"conversation\": ["]
    let start =
      isShort
      ? TranscriptWindow.firstMessage(of: new.min(), in: transcript.messages) ?? 0
      : TranscriptWindow.start(transcript, reading: new)
    let messages = messages(
      transcript, from: start, brief: isBrief ? BriefConversation(window: window, new) : nil)
    lines.append(messages.map { Self.escaped($0) }.joined(separator: ",\n"))
    lines.append("],")
    let knownFacets = JSONValue.array(known.compactMap { $0["facet"] })
    lines.append("\"known\": \(Self.escaped(isBrief ? knownFacets : .array(known))),")
    if let person {
      lines.append("\"moment\": \"\(moment.rawValue)\",")
      if !choices.isEmpty {
        lines.append("\"choices\": \(Self.escaped(.strings(choices))),")
      }
      let parts = person.understanding.parts.map(\.id)
      lines.append("\"understood\": \(Self.escaped(.strings(parts))),")
      let material = members.flatMap(\.material)
      // A member may have the date by the person's own clock.
      if let today = person.today, !material.contains(where: { $0.name == "today" }) {
        lines.append("\"today\": \(Self.escaped(.string(today))),")
      }
      for (name, value) in material {
        lines.append("\(Self.escaped(.string(name))): \(Self.escaped(value)),")
      }
      if let asked = person.hypothesis {
        lines.append("\"hypothesis\": \(Self.escaped(.string(PlainText.visible(asked)))),")
      }
    }
    lines.append("\"newUserTurns\": \(Self.escaped(.array(new.map { JSONValue($0) })))}")
    return lines.joined(separator: "\n")
  }

  /// - Parameter start: The first message to send; turns keep their numbers.
  private func messages(
    _ transcript: Transcript, from start: Int, brief: BriefConversation?
  ) -> [JSONValue] {
    let shown = transcript.messages[start...]
    var turn = transcript.userTurns.count - shown.count { $0.speaker == .user }
    return shown.map { message in
      let visible = PlainText.visible(message.text)
      let text = JSONValue.string(brief?.shortened(visible, of: message.speaker) ?? visible)
      guard message.speaker == .user else { return ["coach": text] }
      turn += 1
      return ["turn": JSONValue(turn), "user": text]
    }
  }

  /// JSON without angle brackets or ampersands in strings, so no tag or template token survives.
  static func escaped(_ value: JSONValue) -> String {
    var result: [UInt8] = []
    for byte in value.serializedBytes() {
      switch byte {
      case UInt8(ascii: "<"): result += #"\u003c"#.utf8
      case UInt8(ascii: ">"): result += #"\u003e"#.utf8
      case UInt8(ascii: "&"): result += #"\u0026"#.utf8
      default: result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private var rubricValues: [[String: Any]] {
    listing.ordered(pack.rubric.components).map { component in
      [
        "name": component.name, "weight": "\(component.weight)", "title": component.title,
        "facets": listing.ordered(component.facets).map { facet in
          [
            "id": facet.facet.description, "knownWhen": listing.ordered(facet.knownWhen),
            "notEnough": listing.ordered(facet.notEnough),
          ]
        },
      ]
    }
  }

  /// The kinds of care that a reading can name. The last one is an act.
  private static func careNames(_ kinds: [CareKind]) -> [String] {
    ["none", CareStep.minorChild] + kinds.map(\.rawValue) + [ScorerAnswer.lowMoment]
  }

  private static func acts(_ place: [(String, JSONValue)]) -> JSONValue {
    let names = Act.Name.allCases.filter { $0 != .confides }.map(\.rawValue)
    return .schema(
      list: [("act", .schema(choice: names)), ("what", ["type": "string"])] + place)
  }

  private static let place: [(String, JSONValue)] = [
    ("turn", ["type": "integer"]), ("quote", ["type": "string"]),
  ]

  /// What sets a quote apart, and the earlier words that it corrects.
  private static func standing(hasBody: Bool) -> [(String, JSONValue)] {
    let marks = ScorerAnswer.markNames.filter { hasBody || $0 != Evidence.Mark.weight.rawValue }
    return [("mark", .schema(choice: marks)), ("corrects", ["type": "string"])]
  }

  private static func statements(hasBody: Bool) -> JSONValue {
    let subjects = hasBody ? BodyFacts.Kind.allCases.map(\.rawValue) : []
    let units = hasBody ? MeasureUnit.allCases.map(\.rawValue) : []
    return .schema(
      list: [
        ("what", .schema(choice: [ScorerAnswer.age] + subjects)),
        ("unit", .schema(choice: ["years"] + units)),
        ("numbers", ["type": "array", "items": ["type": "number"]]),
      ] + place)
  }

  private static func care(_ kinds: [CareKind]) -> JSONValue {
    .schema([("kind", .schema(choice: careNames(kinds))), ("quote", ["type": "string"])])
  }

  /// What a short request asks for. The prompt names the facets; a list of them is not worth its cost.
  private static func shortSchema(
    care kinds: [CareKind], statesBody: Bool, members others: [ReadingMember]
  ) -> String {
    var members: [(String, JSONValue)] = [
      ("acts", acts(place)),
      (
        "evidence",
        .schema(list: [("facet", ["type": "string"])] + place + standing(hasBody: statesBody))
      ),
    ]
    if statesBody { members.append(("stated", statements(hasBody: true))) }
    members.append(("care", care(kinds)))
    members += others.map { ($0.name, $0.schema) }
    return JSONValue.schema(members).serialized()
  }

  /// The answer's JSON Schema.
  ///
  /// - Parameter others: What is read besides; nil if nothing is made of the person.
  static func schema(
    _ rubric: Rubric, care kinds: [CareKind], hasBody: Bool, members others: [ReadingMember]? = nil,
    hasParts: Bool = false
  ) -> String {
    let facet = JSONValue.schema(choice: rubric.facets.map(\.facet.description))
    var members: [(String, JSONValue)] = [
      ("evidence", .schema(list: [("facet", facet)] + place + standing(hasBody: hasBody))),
      ("stated", statements(hasBody: hasBody)),
      ("care", care(kinds)),
    ]
    if let others { members += personMembers(others, hasParts) }
    return JSONValue.schema(members).serialized()
  }

  private static func personMembers(
    _ others: [ReadingMember], _ hasParts: Bool
  ) -> [(String, JSONValue)] {
    let confidence = Understanding.Confidence.allCases.map(\.rawValue)
    var members: [(String, JSONValue)] = []
    if hasParts {
      members.append(
        (
          "understanding",
          .schema(
            list: [("part", ["type": "string"]), ("confidence", .schema(choice: confidence))]
              + place)
        ))
    }
    members.append(("notes", .schema(list: place)))
    members.append(("acts", acts(place)))
    return members + others.map { ($0.name, $0.schema) }
  }
}

// JSON Schema, in the subset that strict structured output accepts.
extension JSONValue {
  /// An object with exactly these members.
  package static func schema(_ members: [(String, JSONValue)]) -> JSONValue {
    [
      "type": "object", "additionalProperties": false,
      "required": .strings(members.map(\.0)), "properties": .members(members),
    ]
  }

  package static func schema(list members: [(String, JSONValue)]) -> JSONValue {
    ["type": "array", "items": schema(members)]
  }

  package static func schema(choice names: [String]) -> JSONValue {
    ["type": "string", "enum": .strings(names)]
  }
}
