import ContextQuality
import FoundationEssentials
public import IncrementalJSON
import Intake
import LanguageModels
public import WireFormats

extension Cassette {
  /// Reads a cassette's text.
  ///
  /// - Throws: `FieldError` with the field that is wrong; a version that is not read says which
  ///   one is.
  public init(parsing bytes: [UInt8]) throws(FieldError) {
    guard !bytes.isEmpty else { throw FieldError("the file is empty") }
    let root: JSONValue
    do { root = try JSONValue(parsing: bytes) } catch {
      throw FieldError("not valid JSON at \(error)")
    }
    try self.init(json: root)
  }

  public init(json: JSONValue) throws(FieldError) {
    try Self.checkVersion(json)
    let reader = try FieldReader(
      json, at: "",
      knows: [
        "$schema", "version", "title", "tags", "source", "wireFormat", "rubricVersion", "settings",
        "health", "otherEvents", "script", "transcript", "expect", "exchanges", "prompts",
      ])
    self.init(
      title: try reader.required("title", reader.text),
      tags: try reader.texts("tags") ?? [],
      wireFormat: try reader.choice("wireFormat", WireFormat.self) ?? .openAI,
      rubricVersion: try reader.requiredCount("rubricVersion"),
      settings: try Settings(reader.value("settings") ?? [:]),
      script: try reader.list("script", Step.init) ?? [],
      exchanges: try reader.list("exchanges", Exchange.init) ?? [])
    source = try Source(reader.value("source") ?? "written")
    health = try reader.object["health"].map(Health.init(json:))
    otherEvents = try reader.list("otherEvents", OtherEvent.init(json:at:)) ?? []
    expect = try reader.value("expect").map(Expectations.init(json:))
    transcript = try reader.list("transcript", Self.message) ?? []
    prompts = try reader.list("prompts", Prompt.init) ?? []
    try checkHealthComesIn()
    try checkOtherEventsComeIn()
  }

  private static func checkVersion(_ json: JSONValue) throws(FieldError) {
    guard json.objectValue != nil else {
      throw FieldError("expected a JSON object, found \(json.kind)")
    }
    guard json["version"]?.intValue != formatVersion else { return }
    let found =
      json["version"].map { $0.numberValue?.description ?? $0.kind } ?? "none"
    throw FieldError(
      path: "version",
      "I read version \(formatVersion), this has \(found); record it again with `rapport chat --record`"
    )
  }

  private static func message(
    _ json: JSONValue, _ path: String
  ) throws(FieldError) -> Transcript.Message {
    let reader = try FieldReader(json, at: path, knows: ["coach", "user"])
    try reader.checkOneOf(["coach", "user"])
    if let text = try reader.text("user") { return Transcript.Message(.user, text) }
    return Transcript.Message(.coach, try reader.required("coach", reader.text))
  }
}

extension Cassette.Source {
  fileprivate init(_ json: JSONValue) throws(FieldError) {
    if json.stringValue == "written" {
      self = .written
      return
    }
    let reader = try FieldReader(json, at: "source", knows: ["recorded", "model"])
    self = .recorded(
      date: try reader.required("recorded", reader.text), model: try reader.text("model") ?? "")
  }
}

extension Cassette.Settings {
  fileprivate init(_ json: JSONValue) throws(FieldError) {
    let reader = try FieldReader(
      json, at: "settings",
      knows: [
        "pack", "packVersion", "threshold", "maxTurns", "timeLimit", "followUp", "startsAt",
        "subscribed", "models",
      ])
    self.init()
    pack = try reader.text("pack") ?? pack
    packVersion = try reader.text("packVersion") ?? packVersion
    readyAbove = try reader.points("threshold")
    maxTurns = try reader.count("maxTurns", upTo: 10_000) ?? maxTurns
    timeLimit = try reader.count("timeLimit") ?? timeLimit
    followUp = try reader.choice("followUp", FollowUpPolicy.self)?.rawValue ?? followUp
    startsAt = try reader.date("startsAt") ?? startsAt
    isSubscribed = try reader.flag("subscribed") ?? isSubscribed
    if let names = reader.value("models") {
      let reader = try FieldReader(names, at: "settings.models", knows: ["fast", "coach", "deep"])
      models.fast = try reader.text("fast") ?? models.fast
      models.coach = try reader.text("coach") ?? models.coach
      models.deep = try reader.text("deep") ?? models.deep
    }
  }
}

extension Cassette.Prompt {
  fileprivate init(_ json: JSONValue, _ path: String) throws(FieldError) {
    let reader = try FieldReader(json, at: path, knows: ["purpose", "lines"])
    self.init(
      purpose: try reader.required("purpose", reader.text),
      lines: try reader.texts("lines") ?? [])
  }
}

extension Cassette.Step {
  fileprivate init(_ json: JSONValue, _ path: String) throws(FieldError) {
    let reader = try FieldReader(
      json, at: path, knows: ["open", "user", "again", "wait", "interrupt", "kill"])
    let said = try reader.text("user")
    let opens = try reader.flag("open") ?? false
    let again = try reader.flag("again") ?? false
    switch (said, opens, again) {
    case (let said?, false, false): self.init(.say(said))
    case (nil, true, false): self.init(.open)
    case (nil, false, true): self.init(.again)
    default:
      throw FieldError(
        path: path, expected: "one of user, open, again", found: "none or several of them")
    }
    wait = try reader.number("wait") ?? 0
    guard wait >= 0, wait <= 1e8 else {
      throw FieldError(
        path: reader.path("wait"), expected: "seconds from 0 to 100,000,000", found: "\(wait)")
    }
    interrupt = try reader.moment("interrupt")
    kill = try reader.moment("kill")
  }
}

extension Exchange {
  fileprivate init(_ json: JSONValue, _ path: String) throws(FieldError) {
    let reader = try FieldReader(
      json, at: path, knows: ["purpose", "request", "response", "fault"])
    self.init(
      purpose: try reader.choice("purpose", RequestPurpose.self),
      request: try reader.value("request").map { value throws(FieldError) in
        try RequestRecord(value, reader.path("request"))
      },
      response: try RecordedResponse(
        reader.value("response") ?? .null, reader.path("response")),
      fault: try reader.fault("fault"))
  }
}

extension RequestRecord {
  fileprivate init(_ json: JSONValue, _ path: String) throws(FieldError) {
    let reader = try FieldReader(
      json, at: path,
      knows: ["model", "structure", "messages", "words", "conversation", "prompt"])
    self.init(
      model: try reader.text("model") ?? "", structure: try reader.text("structure"),
      messages: try reader.count("messages") ?? 0,
      words: try reader.required("words", reader.text),
      conversation: try reader.required("conversation", reader.text),
      prompt: try reader.required("prompt", reader.text))
  }
}

extension FieldReader {
  fileprivate func moment(_ name: String) throws(FieldError) -> Cassette.Moment? {
    guard let value = value(name) else { return nil }
    let reader = try FieldReader(value, at: path(name), knows: ["afterText", "during"])
    try reader.checkOneOf(["afterText", "during"])
    if let text = try reader.text("afterText") { return .afterText(text) }
    return .during(
      try reader.required("during") { name throws(FieldError) in
        try reader.choice(name, RequestPurpose.self)
      })
  }

  /// A score from 0 to 1, in ten-thousandths.
  func points(_ name: String) throws(FieldError) -> Int? {
    try value(name).map { value throws(FieldError) in try Self.points(value, path(name)) }
  }

  static func points(_ value: JSONValue, _ path: String) throws(FieldError) -> Int {
    guard let score = value.doubleValue, score >= 0, score <= 1 else {
      throw FieldError(
        path: path, expected: "a score from 0 to 1",
        found: value.numberValue?.description ?? value.kind)
    }
    return Int((score * 10_000).rounded())
  }

  fileprivate func date(_ name: String) throws(FieldError) -> Int? {
    guard let text = try text(name) else { return nil }
    guard let date = try? Date(text, strategy: .iso8601),
      let seconds = Int(exactly: date.timeIntervalSince1970.rounded())
    else {
      throw FieldError(
        path: path(name), expected: "a time such as 2026-01-05T08:00:00Z", found: "\"\(text)\"")
    }
    return seconds
  }
}
