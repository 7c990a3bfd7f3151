import IncrementalJSON
import LanguageModels

extension AnswerScript {
  /// Reads a script's text.
  ///
  /// - Throws: ``FieldError`` naming the field that is wrong.
  public init(parsing bytes: [UInt8]) throws(FieldError) {
    let root: JSONValue
    do { root = try JSONValue(parsing: bytes) } catch {
      throw FieldError("not valid JSON at \(error)")
    }
    let reader = try FieldReader(
      root, at: "", knows: ["$schema", "version", "models", "rules", "otherwise"])
    guard try reader.count("version") == Self.formatVersion else {
      throw FieldError(path: "version", "I read version \(Self.formatVersion) of rules")
    }
    self.init(
      models: try reader.texts("models") ?? ["mock"],
      rules: try reader.list("rules", Rule.init) ?? [])
    if let otherwise = reader.value("otherwise") {
      rules.append(Rule(answer: .response(try RecordedResponse(otherwise, "otherwise"))))
    }
    guard !rules.isEmpty else {
      throw FieldError(path: "rules", expected: "at least one rule", found: "none")
    }
  }
}

extension AnswerScript.Rule {
  fileprivate init(_ json: JSONValue, _ path: String) throws(FieldError) {
    let reader = try FieldReader(
      json, at: path, knows: ["when", "purpose", "response", "evidence", "acts", "fault"])
    let given = ["response", "evidence"].filter { reader.value($0) != nil }
    guard given.count == 1 else {
      throw FieldError(
        path: path, expected: "one of response, evidence",
        found: given.isEmpty ? "none of them" : "both")
    }
    self.init(
      condition: try reader.value("when").map { value throws(FieldError) in
        try AnswerScript.Condition(value, reader.path("when"))
      } ?? AnswerScript.Condition(),
      purpose: try reader.choice("purpose", RequestPurpose.self), answer: try reader.answer(),
      fault: try reader.fault("fault"))
  }
}

extension FieldReader {
  fileprivate func answer() throws(FieldError) -> AnswerScript.Answer {
    if let response = value("response") {
      return .response(try RecordedResponse(response, path("response")))
    }
    return .reading(
      evidence: try findings("evidence", "facets"),
      acts: value("acts") == nil ? nil : try findings("acts", "acts"))
  }

  /// - Parameter what: What the member's names stand for.
  private func findings(
    _ member: String, _ what: String
  ) throws(FieldError) -> [AnswerScript.Finding] {
    guard let members = value(member)?.objectValue else {
      throw FieldError(
        path: path(member), expected: "an object of \(what) and phrases",
        found: value(member)?.kind ?? "nothing")
    }
    let reader = try FieldReader(value(member) ?? .null, at: path(member), knows: members.names)
    var findings: [AnswerScript.Finding] = []
    for name in members.names {
      findings.append(AnswerScript.Finding(name: name, phrases: try reader.oneOrMore(name)))
    }
    return findings
  }

  /// A string, or a list of them.
  fileprivate func oneOrMore(_ name: String) throws(FieldError) -> [String] {
    if let text = value(name)?.stringValue { return [text] }
    return try texts(name) ?? []
  }
}

extension AnswerScript.Condition {
  fileprivate init(_ json: JSONValue, _ path: String) throws(FieldError) {
    let reader = try FieldReader(
      json, at: path, knows: ["structure", "said", "prompt", "turn", "model"])
    self.init()
    structure = try reader.text("structure")
    said = try reader.oneOrMore("said")
    prompt = try reader.oneOrMore("prompt")
    model = try reader.text("model")
    turn = try reader.turns()
  }
}

extension FieldReader {
  /// A number, or `{"from": 2, "to": 4}` with either bound optional.
  fileprivate func turns() throws(FieldError) -> ClosedRange<Int>? {
    guard let value = value("turn") else { return nil }
    guard value.objectValue != nil else {
      return try count("turn").map { $0...$0 }
    }
    let reader = try FieldReader(value, at: path("turn"), knows: ["from", "to"])
    let from = try reader.count("from") ?? 0
    let to = try reader.count("to") ?? Int(Int32.max)
    guard from <= to else {
      throw FieldError(path: path("turn"), expected: "from up to to", found: "\(from) to \(to)")
    }
    return from...to
  }
}
