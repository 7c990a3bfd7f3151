import ContextQuality
import IncrementalJSON
public import Intake
import WireFormats

extension Cassette {
  /// What the conversation receives from the user's health data, and when.
  public struct Health: Hashable, Sendable {
    public var note: HealthNote
    /// The step before which it arrives, counted from the opening, which is 0.
    public var beforeStep = 0
  }

  /// Data that arrives after the last step would never be used.
  func checkHealthComesIn() throws(FieldError) {
    guard let step = health?.beforeStep, step >= steps.count else { return }
    throw FieldError(
      path: "health.beforeStep",
      expected: "a step from 0, the opening, to \(steps.count - 1), the last", found: "\(step)")
  }
}

// Reading and writing.
extension Cassette.Health {
  init(json: JSONValue) throws(FieldError) {
    let reader = try FieldReader(
      json, at: "health",
      knows: [
        "beforeStep", "source", "through", "evidence", "findings", "figures", "forDoctor",
        "isMinor", "yearsOld",
      ])
    try reader.refuseNulls()
    self.init(
      note: HealthNote(
        source: try reader.required("source", reader.saying),
        through: try reader.required("through", reader.day),
        evidence: try reader.list("evidence", Evidence.init(reading:at:)) ?? [],
        findings: try reader.list("findings", HealthNote.Item.init(json:at:)) ?? [],
        figures: try reader.list("figures", HealthNote.Item.init(json:at:)) ?? [],
        forDoctor: try reader.list("forDoctor", HealthNote.DoctorReading.init(json:at:)) ?? [],
        isMinor: try reader.flag("isMinor") ?? false,
        yearsOld: try reader.count("yearsOld")),
      beforeStep: try reader.count("beforeStep") ?? 0)
  }

  var json: JSONValue {
    .members([
      "beforeStep": beforeStep == 0 ? nil : beforeStep, "source": note.source,
      "through": note.through, "evidence": JSONValue.some(note.evidence.map(\.json)),
      "findings": JSONValue.some(note.findings.map(\.json)),
      "figures": JSONValue.some(note.figures.map(\.json)),
      "forDoctor": JSONValue.some(note.forDoctor.map(\.json)),
      "isMinor": note.isMinor ? true : nil, "yearsOld": note.yearsOld,
    ])
  }
}

extension FieldReader {
  /// A text that is not blank.
  fileprivate func saying(_ name: String) throws(FieldError) -> String? {
    try text(name).map { text throws(FieldError) in try Self.saying(text, path(name)) }
  }

  fileprivate static func saying(_ text: String, _ path: String) throws(FieldError) -> String {
    guard !text.allSatisfy(\.isWhitespace) else {
      throw FieldError(path: path, expected: "a text", found: "a blank one")
    }
    return text
  }

  fileprivate func day(_ name: String) throws(FieldError) -> String? {
    guard let text = try text(name) else { return nil }
    guard text.count == 10, CalendarDay(text) != nil else {
      throw FieldError(
        path: path(name), expected: "a day such as 2026-01-30", found: "\"\(text)\"")
    }
    return text
  }

  /// `{"reading", "source"}`.
  func reading() throws(FieldError) -> Evidence.Basis {
    try refuseNulls()
    return .reading(try required("reading", saying), source: try required("source", saying))
  }
}

extension Evidence {
  fileprivate init(reading json: JSONValue, at path: String) throws(FieldError) {
    let reader = try FieldReader(json, at: path, knows: ["facet", "reading", "source", "topics"])
    let facet = try reader.required("facet", reader.text)
    self.init(
      facet: try FieldReader.facet(facet, reader.path("facet")), basis: try reader.reading(),
      topics: Set((try reader.texts("topics") ?? []).map(Topic.init(rawValue:))))
  }
}

extension HealthNote.Item {
  fileprivate init(json: JSONValue, at path: String) throws(FieldError) {
    let reader = try FieldReader(json, at: path, knows: ["about", "text", "isWeight"])
    try reader.refuseNulls()
    self.init(
      about: try reader.required("about", reader.saying),
      text: try reader.required("text", reader.saying),
      isSensitive: try reader.flag("isWeight") ?? false)
  }

  fileprivate var json: JSONValue {
    .members(["about": about, "text": text, "isWeight": isSensitive ? true : nil])
  }
}

extension HealthNote.DoctorReading {
  /// An object, or just the sentence, which then gets a separate kind.
  fileprivate init(json: JSONValue, at path: String) throws(FieldError) {
    if let text = json.stringValue {
      let text = try FieldReader.saying(text, path)
      self.init(kind: text, text: text)
      return
    }
    let reader = try FieldReader(json, at: path, knows: ["kind", "isUrgent", "text"])
    try reader.refuseNulls()
    self.init(
      kind: try reader.required("kind", reader.saying),
      isUrgent: try reader.flag("isUrgent") ?? false,
      text: try reader.required("text", reader.saying))
  }

  fileprivate var json: JSONValue {
    if kind == text, !isUrgent { return .string(text) }
    return .members(["kind": kind, "isUrgent": isUrgent ? true : nil, "text": text])
  }
}

// Its texts, which are redacted like all other texts.
extension Cassette.Health {
  var texts: [String] {
    note.evidence.map(\.text) + note.findings.map(\.text) + note.figures.map(\.text)
      + note.forDoctor.map(\.text)
  }

  func mapTexts(_ change: (String) -> String) -> Cassette.Health {
    func items(_ items: [HealthNote.Item]) -> [HealthNote.Item] {
      items.map {
        HealthNote.Item(about: $0.about, text: change($0.text), isSensitive: $0.isSensitive)
      }
    }
    var health = self
    health.note.evidence = note.evidence.map { evidence in
      guard case .reading(let reading, let source) = evidence.basis else { return evidence }
      var evidence = evidence
      evidence.basis = .reading(change(reading), source: source)
      return evidence
    }
    health.note.findings = items(note.findings)
    health.note.figures = items(note.figures)
    health.note.forDoctor = note.forDoctor.map { reading in
      let text = change(reading.text)
      return HealthNote.DoctorReading(
        kind: reading.kind == reading.text ? text : reading.kind, isUrgent: reading.isUrgent,
        text: text)
    }
    return health
  }
}
