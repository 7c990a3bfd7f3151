import ContextQuality
import IncrementalJSON
import Intake
import Signals
import WireFormats

extension Expectations {
  init(json: JSONValue) throws(FieldError) {
    let reader = try FieldReader(
      json, at: "expect",
      knows: [
        "outcome", "turns", "facets", "asksOnlyWhatIsMissing", "neverAsked", "events",
        "coachingEvents", "synthesis",
        "constraintsRestOnTurns", "care", "discoveryComplete", "paywall", "notices", "usage",
        "neverShown",
      ])
    self.init()
    guard !reader.object.isEmpty else {
      throw FieldError(path: "expect", expected: "at least one expectation", found: "none")
    }
    try reader.refuseNulls()
    outcome = try reader.choice("outcome", Outcome.self)
    turns = try reader.list("turns", Turn.init) ?? []
    facets = try reader.facetClaims()
    asksOnlyWhatIsMissing = try reader.flag("asksOnlyWhatIsMissing")
    neverAsked = try reader.texts("neverAsked") ?? []
    events = try reader.choices("events", IntakeEvent.Kind.self)
    coachingEvents = try reader.list("coachingEvents", Self.coachingEvent)
    synthesis = try reader.list("synthesis", PointerClaim.init) ?? []
    constraintsRestOnTurns = try reader.flag("constraintsRestOnTurns")
    care = try reader.list("care", CareClaim.init)
    discoveryComplete = try reader.completion()
    paywall = try reader.choices("paywall", PaywallStep.self)
    notices = try reader.texts("notices")
    usage = try reader.usage("usage")
    neverShown = try reader.texts("neverShown") ?? []
  }

  private static func coachingEvent(
    _ json: JSONValue, _ path: String
  ) throws(FieldError) -> JSONValue {
    guard json.stringValue != nil || json["type"]?.stringValue != nil else {
      throw FieldError(
        path: path, expected: "a kind, or an event with its type", found: json.serialized())
    }
    return json
  }

  var json: JSONValue {
    var members: [(String, JSONValue?)] = [
      ("outcome", outcome.map { .string($0.rawValue) }),
      ("discoveryComplete", discoveryComplete?.json),
      ("turns", turns.isEmpty ? nil : .array(turns.map(\.json))),
    ]
    if let facets {
      members.append(
        ("facets", .object(JSONObject(facets.map { ($0.facet.description, $0.basisJSON) }))))
    }
    members += [
      ("asksOnlyWhatIsMissing", asksOnlyWhatIsMissing.map { .bool($0) }),
      ("neverAsked", .some(neverAsked)),
      ("care", care.map { .array($0.map(\.json)) }),
      ("synthesis", synthesis.isEmpty ? nil : .array(synthesis.map(\.json))),
      ("constraintsRestOnTurns", constraintsRestOnTurns.map { .bool($0) }),
      ("paywall", paywall.map { .strings($0.map(\.rawValue)) }),
      ("notices", notices.map { .strings($0) }),
      ("events", events.map { .strings($0.map(\.rawValue)) }),
      ("coachingEvents", coachingEvents.map { .array($0) }),
      ("usage", usage?.json), ("neverShown", .some(neverShown)),
    ]
    return .members(members)
  }
}

extension FieldReader {
  fileprivate func facetClaims() throws(FieldError) -> [Evidence]? {
    guard let members = try members("facets") else { return nil }
    var claims: [Evidence] = []
    for (name, value) in members {
      let place = path("facets") + "." + name
      claims.append(
        Evidence(
          facet: try Self.facet(name, place), basis: try Evidence.Basis(json: value, at: place)))
    }
    return claims
  }

  static func facet(_ text: String, _ path: String) throws(FieldError) -> Facet {
    guard let facet = Facet(text) else {
      throw FieldError(path: path, expected: "component.facet", found: "\"\(text)\"")
    }
    return facet
  }

  /// A turn's number, or `"never"`.
  fileprivate func completion() throws(FieldError) -> Expectations.Completion? {
    guard let value = value("discoveryComplete") else { return nil }
    if value.stringValue == "never" { return .never }
    let reader = try FieldReader(value, at: path("discoveryComplete"), knows: ["afterTurn"])
    return .afterTurn(try reader.requiredCount("afterTurn"))
  }

  fileprivate func score(_ name: String) throws(FieldError) -> Expectations.Score? {
    try value(name).map { value throws(FieldError) in try Self.score(value, path(name)) }
  }

  fileprivate static func score(
    _ value: JSONValue, _ path: String
  ) throws(FieldError) -> Expectations.Score {
    guard let bounds = value.arrayValue else { return .exactly(try points(value, path)) }
    guard bounds.count == 2 else {
      throw FieldError(
        path: path, expected: "two bounds", found: "\(bounds.count) elements")
    }
    return .between(try points(bounds[0], path + "[0]"), try points(bounds[1], path + "[1]"))
  }
}

extension Expectations.Completion {
  fileprivate var json: JSONValue {
    switch self {
    case .afterTurn(let turn): ["afterTurn": JSONValue(turn)]
    case .never: "never"
    }
  }
}

extension Expectations.Score {
  fileprivate var json: JSONValue {
    switch self {
    case .exactly(let points): .score(points)
    case .between(let low, let high): [.score(low), .score(high)]
    }
  }
}

extension Evidence.Basis {
  /// `{"turn", "quote"}`, `{"reading", "source"}` for health data, or
  /// `{"turn", "step", "answer", "wording"}` for a form.
  fileprivate init(json: JSONValue, at path: String) throws(FieldError) {
    if json["reading"] != nil {
      let reader = try FieldReader(json, at: path, knows: ["reading", "source"])
      self = try reader.reading()
    } else if json["answer"] != nil {
      let reader = try FieldReader(json, at: path, knows: ["turn", "step", "answer", "wording"])
      self = .answer(
        Evidence.Answer(
          step: try reader.required("step", reader.text),
          text: try reader.required("answer", reader.text),
          wording: try reader.required("wording", reader.text),
          turn: try reader.requiredCount("turn")))
    } else {
      let reader = try FieldReader(json, at: path, knows: ["turn", "quote"])
      self = .quote(
        try reader.required("quote", reader.text),
        turn: try reader.requiredCount("turn"))
    }
  }
}

extension Expectations.Turn {
  fileprivate init(_ json: JSONValue, _ path: String) throws(FieldError) {
    let reader = try FieldReader(
      json, at: path,
      knows: ["turn", "overall", "components", "new", "asks", "replyContains", "replyLacks"])
    self.init(turn: try reader.requiredCount("turn"))
    overall = try reader.score("overall")
    for (name, value) in try reader.members("components") ?? [:] {
      components.append(
        Expectations.ComponentClaim(
          name: name, score: try FieldReader.score(value, reader.path("components") + "." + name)))
    }
    new = try reader.list("new") { value, path throws(FieldError) in
      try FieldReader.facet(value.stringValue ?? "", path)
    }
    asks = try reader.texts("asks")
    replyContains = try reader.texts("replyContains") ?? []
    replyLacks = try reader.texts("replyLacks") ?? []
  }

  fileprivate var json: JSONValue {
    .members([
      "turn": turn, "overall": overall?.json,
      "components": components.isEmpty
        ? nil : JSONValue.object(JSONObject(components.map { ($0.name, $0.score.json) })),
      "new": new?.map(\.description), "asks": asks,
      "replyContains": JSONValue.some(replyContains), "replyLacks": JSONValue.some(replyLacks),
    ])
  }
}

extension Expectations.PointerClaim {
  fileprivate init(_ json: JSONValue, _ path: String) throws(FieldError) {
    let reader = try FieldReader(
      json, at: path, knows: ["at", "equals", "contains", "matches", "absent"])
    try reader.checkOneOf(["equals", "contains", "matches", "absent"])
    let claim: Claim =
      if let text = try reader.text("contains") {
        .contains(text)
      } else if let pattern = try reader.text("matches") {
        .matches(try Self.checked(pattern, reader.path("matches")))
      } else if try reader.flag("absent") == true {
        .absent
      } else {
        .equals(reader.object["equals"] ?? .null)
      }
    if reader.object["absent"] != nil, claim != .absent {
      throw FieldError(
        path: reader.path("absent"), expected: "true, or another claim", found: "false")
    }
    let pointer = try reader.required("at", reader.text)
    guard pointer.isEmpty || pointer.hasPrefix("/") else {
      throw FieldError(
        path: reader.path("at"), expected: "a JSON Pointer such as /userGoals/primary",
        found: "\"\(pointer)\"")
    }
    self.init(pointer: pointer, claim: claim)
  }

  private static func checked(_ pattern: String, _ path: String) throws(FieldError) -> String {
    do { _ = try Regex(pattern) } catch {
      throw FieldError(path: path, "not a valid regular expression: \(error)")
    }
    return pattern
  }

  fileprivate var json: JSONValue {
    var members: [(String, JSONValue?)] = [("at", .string(pointer))]
    switch claim {
    case .equals(let value): members.append(("equals", value))
    case .contains(let text): members.append(("contains", .string(text)))
    case .matches(let pattern): members.append(("matches", .string(pattern)))
    case .absent: members.append(("absent", true))
    }
    return .members(members)
  }
}

extension Expectations.CareClaim {
  fileprivate init(_ json: JSONValue, _ path: String) throws(FieldError) {
    let reader = try FieldReader(json, at: path, knows: ["turn", "kind"])
    self.init(
      turn: try reader.requiredCount("turn"),
      kind: try reader.required("kind") { name throws(FieldError) in
        try reader.careKind(name)
      })
  }

  fileprivate var json: JSONValue { ["turn": JSONValue(turn), "kind": .string(kind.rawValue)] }
}

extension FieldReader {
  /// A pack names its kinds of care; this only checks the name's shape.
  fileprivate func careKind(_ name: String) throws(FieldError) -> CareKind? {
    guard let text = try text(name) else { return nil }
    guard text.wholeMatch(of: /[a-z][a-z-]*/) != nil else {
      throw FieldError(
        path: path(name), expected: "a kind of care such as crisis", found: "\"\(text)\"")
    }
    return CareKind(rawValue: text)
  }
}
