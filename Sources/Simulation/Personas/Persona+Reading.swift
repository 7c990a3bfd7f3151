import ContextQuality
public import IncrementalJSON
public import Intake
import Signals
public import WireFormats

extension Persona {
  /// Reads a sheet and checks it against the pack that it is played with.
  ///
  /// - Throws: `FieldError` with the field that is wrong, what was expected, and what was found.
  public init(parsing bytes: [UInt8], for pack: PromptPack) throws(FieldError) {
    guard !bytes.isEmpty else { throw FieldError("the file is empty") }
    let root: JSONValue
    do { root = try JSONValue(parsing: bytes) } catch {
      throw FieldError("not valid JSON at \(error)")
    }
    try self.init(json: root, for: pack)
  }

  public init(json: JSONValue, for pack: PromptPack) throws(FieldError) {
    self = try SheetReader(rubric: pack.rubric, kinds: pack.careNotes.kinds, pack: pack.name)
      .persona(json)
  }
}

/// Reads a persona's sheet.
private struct SheetReader {
  let rubric: Rubric
  let kinds: [CareKind]
  let pack: String

  private static let longestText = 1_000

  func persona(_ json: JSONValue) throws(FieldError) -> Persona {
    let reader = try FieldReader(
      json, at: "",
      knows: [
        "$schema", "name", "about", "use", "language", "register", "moods", "patience", "opening",
        "facts", "refuses", "distress", "phrases", "month",
      ])
    try reader.refuseNulls()
    let persona = Persona(
      name: try text(reader, "name"), about: try text(reader, "about"),
      use: try reader.required("use") { name throws(FieldError) in
        try reader.choice(name, Persona.Use.self)
      },
      language: try reader.text("language") ?? "en",
      register: try reader.required("register") { name throws(FieldError) in
        try reader.choice(name, Persona.Register.self)
      },
      moods: try reader.list("moods", mood) ?? [],
      patience: try reader.count("patience", upTo: 20) ?? 1,
      opening: try optionalText(reader, "opening"), facts: try facts(reader),
      refuses: try refusals(reader), distress: try reader.list("distress", distress) ?? [],
      phrases: try phrases(reader),
      month: try reader.value("month").map { value throws(FieldError) in try month(value) })
    if persona.opening == nil, !persona.facts.contains(where: { $0.willing == .atOnce }) {
      throw FieldError(
        path: "opening", expected: "a text, or a fact that is told atOnce", found: "neither")
    }
    return persona
  }

  private func text(_ reader: FieldReader, _ name: String) throws(FieldError) -> String {
    let text = try reader.required(name, reader.text)
    return try checked(text, reader.path(name))
  }

  private func optionalText(
    _ reader: FieldReader, _ name: String
  ) throws(FieldError) -> String? {
    try reader.text(name).map { text throws(FieldError) in try checked(text, reader.path(name)) }
  }

  private func checked(_ text: String, _ path: String) throws(FieldError) -> String {
    guard !PlainText.isBlank(text), text.count <= Self.longestText else {
      throw FieldError(
        path: path, expected: "1 to \(Self.longestText) characters",
        found: text.count > Self.longestText ? "\(text.count)" : "a blank text")
    }
    return text
  }

  private func texts(
    _ reader: FieldReader, _ name: String, least: Int = 1
  ) throws(FieldError) -> [String] {
    let texts = try reader.texts(name) ?? []
    guard texts.count >= least else {
      throw FieldError(
        path: reader.path(name), expected: "at least \(least) text\(least == 1 ? "" : "s")",
        found: texts.isEmpty ? "none" : "\(texts.count)")
    }
    for (index, text) in texts.enumerated() {
      _ = try checked(text, "\(reader.path(name))[\(index)]")
    }
    return texts
  }

  private func mood(_ json: JSONValue, _ path: String) throws(FieldError) -> Persona.MoodChange {
    let reader = try FieldReader(json, at: path, knows: ["from", "mood"])
    return Persona.MoodChange(
      from: try reader.requiredCount("from"),
      mood: try reader.required("mood") { name throws(FieldError) in
        try reader.choice(name, Persona.Mood.self)
      })
  }

  private func facts(_ reader: FieldReader) throws(FieldError) -> [Persona.Fact] {
    let members = try reader.required("facts", reader.members)
    var facts: [Persona.Fact] = []
    for (name, value) in members {
      facts.append(try fact(name, value, reader.path("facts.\(name)")))
    }
    let places = Dictionary(
      uniqueKeysWithValues: zip(rubric.facets.map(\.facet), rubric.facets.indices))
    return facts.sorted { (places[$0.facet] ?? 0) < (places[$1.facet] ?? 0) }
  }

  private func fact(
    _ name: String, _ value: JSONValue, _ path: String
  ) throws(FieldError) -> Persona.Fact {
    guard let facet = Facet(name), rubric[facet] != nil else {
      throw FieldError(
        path: path, expected: "a facet of the pack \(pack), such as \(example)",
        found: "\"\(name)\"")
    }
    let reader = try FieldReader(
      value, at: path, knows: ["says", "willing", "partly", "with", "matters"])
    let fact = Persona.Fact(
      facet: facet, says: try text(reader, "says"),
      willing: try reader.choice("willing", Persona.Willingness.self) ?? .asked,
      partly: try optionalText(reader, "partly"), with: try reader.text("with"),
      matters: try reader.flag("matters") ?? false)
    if let with = fact.with { try checkComponent(with, reader.path("with")) }
    if (fact.willing == .inPassing) != (fact.with != nil) {
      throw FieldError(
        path: reader.path("with"),
        expected: fact.with == nil
          ? "the component that it is told with" : "nothing unless it is told inPassing",
        found: fact.with.map { "\"\($0)\"" } ?? "nothing")
    }
    return fact
  }

  private var example: String { rubric.facets.first.map { "\($0.facet)" } ?? "" }

  private func checkComponent(_ name: String, _ path: String) throws(FieldError) {
    guard rubric[component: name] == nil else { return }
    throw FieldError(
      path: path,
      expected: "one of \(rubric.components.map(\.name).joined(separator: ", "))",
      found: "\"\(name)\"")
  }

  private func refusals(_ reader: FieldReader) throws(FieldError) -> [String: String] {
    guard let members = try reader.members("refuses") else { return [:] }
    var refusals: [String: String] = [:]
    for (name, value) in members {
      let path = reader.path("refuses.\(name)")
      try checkComponent(name, path)
      guard let text = value.stringValue else {
        throw FieldError(path: path, expected: "a string", found: value.kind)
      }
      refusals[name] = try checked(text, path)
    }
    return refusals
  }

  private func distress(
    _ json: JSONValue, _ path: String
  ) throws(FieldError) -> Persona.Distress {
    let reader = try FieldReader(json, at: path, knows: ["turn", "says", "care", "after"])
    let care = try reader.text("care").map { CareKind(rawValue: $0) }
    if let care, !kinds.contains(care) {
      throw FieldError(
        path: reader.path("care"),
        expected: "one of \(kinds.map(\.rawValue).joined(separator: ", "))",
        found: "\"\(care.rawValue)\"")
    }
    return Persona.Distress(
      turn: try reader.requiredCount("turn"), says: try text(reader, "says"), care: care,
      after: try optionalText(reader, "after"))
  }

  private func phrases(_ reader: FieldReader) throws(FieldError) -> Persona.Phrases {
    let reader = try FieldReader(
      reader.value("phrases") ?? [:], at: "phrases",
      knows: ["sidestep", "question", "bare", "nothing", "again"])
    return Persona.Phrases(
      sidestep: try texts(reader, "sidestep"), question: try texts(reader, "question"),
      bare: try texts(reader, "bare"), nothing: try texts(reader, "nothing"),
      again: try texts(reader, "again"))
  }

  private func month(_ json: JSONValue) throws(FieldError) -> PersonaMonth {
    let reader = try FieldReader(
      json, at: "month", knows: ["startsOn", "visits", "reviews", "limits", "supposed"])
    let month = PersonaMonth(
      startsOn: try text(reader, "startsOn"), visits: try reader.list("visits", visit) ?? [],
      reviews: try texts(reader, "reviews"), limits: try texts(reader, "limits"),
      supposed: try texts(reader, "supposed"))
    guard CalendarDay(month.startsOn) != nil else {
      throw FieldError(
        path: "month.startsOn", expected: "a date such as 2026-03-02",
        found: "\"\(month.startsOn)\"")
    }
    for (index, visits) in zip(month.visits, month.visits.dropFirst()).enumerated()
    where visits.0.day >= visits.1.day {
      throw FieldError(
        path: "month.visits[\(index + 1)].day", expected: "a day after \(visits.0.day)",
        found: "\(visits.1.day)")
    }
    return month
  }

  private func visit(
    _ json: JSONValue, _ path: String
  ) throws(FieldError) -> PersonaMonth.Visit {
    let reader = try FieldReader(json, at: path, knows: ["day", "does", "says"])
    let visit = PersonaMonth.Visit(
      day: try reader.requiredCount("day"),
      does: try reader.required("does") { name throws(FieldError) in
        try reader.choice(name, PersonaMonth.Doing.self)
      },
      says: try texts(reader, "says"))
    guard (1...366).contains(visit.day) else {
      throw FieldError(
        path: reader.path("day"), expected: "a day from 1 to 366", found: "\(visit.day)")
    }
    return visit
  }
}
