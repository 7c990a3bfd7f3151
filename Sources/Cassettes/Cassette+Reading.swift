import ContextQuality
import FoundationEssentials
public import IncrementalJSON
import Intake
import LanguageModels

extension Cassette {
  /// Longer texts of a step than this are no message.
  static let longestDelay = 3_600_000

  /// Reads a cassette's text.
  ///
  /// - Throws: ``CassetteError`` with the field that is wrong; a version that is not read says which
  ///   one is.
  public init(parsing bytes: [UInt8]) throws(CassetteError) {
    guard !bytes.isEmpty else { throw CassetteError("the file is empty") }
    let root: JSONValue
    do { root = try JSONValue(parsing: bytes) } catch {
      throw CassetteError("this is no JSON: \(error)")
    }
    try self.init(json: root)
  }

  public init(json: JSONValue) throws(CassetteError) {
    try Self.checkVersion(json)
    let reader = try FieldReader(
      json, at: "",
      knows: [
        "$schema", "version", "title", "tags", "source", "wireFormat", "rubricVersion", "settings",
        "health", "script", "transcript", "expect", "exchanges", "prompts",
      ])
    self.init(
      title: try reader.required("title", reader.text),
      tags: try reader.texts("tags") ?? [],
      source: try Source(reader.value("source") ?? "written"),
      wireFormat: try reader.choice("wireFormat", WireFormat.self) ?? .openAI,
      rubricVersion: try reader.required("rubricVersion") { name throws(CassetteError) in
        try reader.count(name)
      },
      settings: try Settings(reader.value("settings") ?? [:]),
      health: try reader.object["health"].map(Health.init(json:)),
      script: try reader.list("script", Step.init) ?? [],
      exchanges: try reader.list("exchanges", Exchange.init) ?? [],
      expect: try reader.value("expect").map(Expectations.init(json:)),
      transcript: try reader.list("transcript", Self.message) ?? [],
      prompts: try reader.list("prompts", Prompt.init) ?? [])
    try checkHealthComesIn()
  }

  private static func checkVersion(_ json: JSONValue) throws(CassetteError) {
    guard json.objectValue != nil else {
      throw CassetteError("expected a JSON object, found \(json.kind)")
    }
    guard json["version"]?.intValue != formatVersion else { return }
    let found =
      json["version"].map { $0.numberValue?.description ?? $0.kind } ?? "none"
    throw CassetteError(
      path: "version",
      "I read version \(formatVersion), this has \(found); record it again with `rapport chat --record`"
    )
  }

  private static func message(
    _ json: JSONValue, _ path: String
  ) throws(CassetteError) -> Transcript.Message {
    let reader = try FieldReader(json, at: path, knows: ["coach", "user"])
    try reader.checkOneOf(["coach", "user"])
    if let text = try reader.text("user") { return Transcript.Message(.user, text) }
    return Transcript.Message(.coach, try reader.required("coach", reader.text))
  }
}

extension Cassette.Source {
  fileprivate init(_ json: JSONValue) throws(CassetteError) {
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
  fileprivate init(_ json: JSONValue) throws(CassetteError) {
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
  fileprivate init(_ json: JSONValue, _ path: String) throws(CassetteError) {
    let reader = try FieldReader(json, at: path, knows: ["purpose", "lines"])
    self.init(
      purpose: try reader.required("purpose", reader.text),
      lines: try reader.texts("lines") ?? [])
  }
}

extension Cassette.Step {
  fileprivate init(_ json: JSONValue, _ path: String) throws(CassetteError) {
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
      throw CassetteError(
        path: path, expected: "one of user, open, again", found: "none or several of them")
    }
    wait = try reader.number("wait") ?? 0
    guard wait >= 0, wait <= 1e7 else {
      throw CassetteError(
        path: reader.path("wait"), expected: "seconds from 0 to 10,000,000", found: "\(wait)")
    }
    interrupt = try reader.moment("interrupt")
    kill = try reader.moment("kill")
  }
}

extension Exchange {
  fileprivate init(_ json: JSONValue, _ path: String) throws(CassetteError) {
    let reader = try FieldReader(
      json, at: path, knows: ["purpose", "request", "response", "fault"])
    self.init(
      purpose: try reader.choice("purpose", RequestPurpose.self),
      request: try reader.value("request").map { value throws(CassetteError) in
        try RequestRecord(value, reader.path("request"))
      },
      response: try RecordedResponse(
        reader.value("response") ?? .null, reader.path("response")),
      fault: try reader.fault("fault"))
  }
}

extension RequestRecord {
  fileprivate init(_ json: JSONValue, _ path: String) throws(CassetteError) {
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

extension RecordedResponse {
  init(_ json: JSONValue, _ path: String) throws(CassetteError) {
    let reader = try FieldReader(
      json, at: path,
      knows: [
        "status", "headers", "text", "json", "usage", "finish", "frames", "body", "ending",
      ])
    let status = try reader.count("status", upTo: 599) ?? 200
    guard status >= 200 else {
      throw CassetteError(
        path: reader.path("status"), expected: "a status from 200 to 599", found: "\(status)")
    }
    self.init(
      status: status, headers: try reader.headers(), content: try reader.content(),
      ending: try reader.choice("ending", Ending.self) ?? .whole)
  }
}

extension FieldReader {
  func fault(_ name: String) throws(CassetteError) -> Fault? {
    guard let text = try text(name) else { return nil }
    do throws(Fault.Unreadable) { return try Fault(text) } catch {
      throw CassetteError(path: path(name), error.reason)
    }
  }

  fileprivate func headers() throws(CassetteError) -> [RecordedResponse.Header] {
    guard let value = value("headers") else { return [] }
    guard let members = value.objectValue else {
      throw CassetteError(path: path("headers"), expected: "an object", found: value.kind)
    }
    var headers: [RecordedResponse.Header] = []
    for (name, value) in members {
      guard let text = value.stringValue, Self.isSendable(name + text) else {
        throw CassetteError(
          path: path("headers") + "." + name, expected: "a string without control characters",
          found: value.stringValue == nil ? value.kind : "a control character")
      }
      headers.append(RecordedResponse.Header(name, text))
    }
    return headers
  }

  private static func isSendable(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  fileprivate func content() throws(CassetteError) -> RecordedResponse.Content {
    try checkOneOf(["text", "json", "frames", "body"])
    if let frames = try list("frames", RecordedResponse.Frame.init) {
      try Self.checkOrder(of: frames, path("frames"))
      return .frames(frames)
    }
    if let body = try text("body") { return .body(body) }
    let answer: ModelAnswer.Body =
      if let text = try text("text") { .text(text) } else { .json(object["json"] ?? .null) }
    return .answer(ModelAnswer(answer, usage: try usage("usage"), finish: try text("finish")))
  }

  private static func checkOrder(
    of frames: [RecordedResponse.Frame], _ path: String
  ) throws(CassetteError) {
    for (index, frame) in frames.enumerated().dropFirst() where frame.at < frames[index - 1].at {
      throw CassetteError(
        path: "\(path)[\(index)].at", expected: "at least \(frames[index - 1].at)",
        found: "\(frame.at)")
    }
  }

  func usage(_ name: String) throws(CassetteError) -> TokenUsage? {
    guard let value = value(name) else { return nil }
    let reader = try FieldReader(value, at: path(name), knows: ["input", "output"])
    return TokenUsage(
      input: try reader.count("input") ?? 0, output: try reader.count("output") ?? 0)
  }

  fileprivate func moment(_ name: String) throws(CassetteError) -> Cassette.Moment? {
    guard let value = value(name) else { return nil }
    let reader = try FieldReader(value, at: path(name), knows: ["afterText", "during"])
    try reader.checkOneOf(["afterText", "during"])
    if let text = try reader.text("afterText") { return .afterText(text) }
    return .during(
      try reader.required("during") { name throws(CassetteError) in
        try reader.choice(name, RequestPurpose.self)
      })
  }

  /// A score from 0 to 1, in ten-thousandths.
  func points(_ name: String) throws(CassetteError) -> Int? {
    try value(name).map { value throws(CassetteError) in try Self.points(value, path(name)) }
  }

  static func points(_ value: JSONValue, _ path: String) throws(CassetteError) -> Int {
    guard let score = value.doubleValue, score >= 0, score <= 1 else {
      throw CassetteError(
        path: path, expected: "a score from 0 to 1",
        found: value.numberValue?.description ?? value.kind)
    }
    return Int((score * 10_000).rounded())
  }

  fileprivate func date(_ name: String) throws(CassetteError) -> Int? {
    guard let text = try text(name) else { return nil }
    guard let date = try? Date(text, strategy: .iso8601),
      let seconds = Int(exactly: date.timeIntervalSince1970.rounded())
    else {
      throw CassetteError(
        path: path(name), expected: "a time such as 2026-01-05T08:00:00Z", found: "\"\(text)\"")
    }
    return seconds
  }
}

extension RecordedResponse.Frame {
  fileprivate init(_ json: JSONValue, _ path: String) throws(CassetteError) {
    let reader = try FieldReader(json, at: path, knows: ["at", "event", "data", "raw", "base64"])
    try reader.checkOneOf(["data", "raw", "base64"])
    let at = try reader.count("at", upTo: Cassette.longestDelay) ?? 0
    if let raw = try reader.text("raw") {
      self.init(at: at, .raw(raw))
    } else if let coded = try reader.text("base64") {
      guard let data = Data(base64Encoded: coded) else {
        throw CassetteError(path: reader.path("base64"), "this is no base64")
      }
      self.init(at: at, .bytes(Array(data)))
    } else {
      self.init(at: at, .event(try reader.text("event"), reader.object["data"] ?? .null))
    }
  }
}
