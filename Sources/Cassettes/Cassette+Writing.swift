import ContextQuality
import FoundationEssentials
import HTTPStreaming
public import IncrementalJSON
import LanguageModels
import WireFormats

extension Cassette {
  /// The file's text: members come in reading order, and whatever fits on one line stays there.
  public var text: String { json.serialized(lineWidth: 100) + "\n" }

  public var json: JSONValue {
    var members: [(String, JSONValue?)] = [
      ("version", JSONValue(Self.formatVersion)), ("title", .string(title)),
      ("tags", .strings(tags)), ("source", source.json),
      ("wireFormat", .string(wireFormat.rawValue)), ("rubricVersion", JSONValue(rubricVersion)),
      ("settings", settings.json), ("health", health?.json),
      ("otherEvents", .some(otherEvents.map(\.json))),
      ("script", .array(script.map(\.json))),
    ]
    if !transcript.isEmpty {
      members.append(
        ("transcript", .array(transcript.map { [$0.speaker.rawValue: .string($0.text)] })))
    }
    members.append(("expect", expect?.json))
    members.append(("exchanges", .array(exchanges.map(\.json))))
    if !prompts.isEmpty { members.append(("prompts", .array(prompts.map(\.json)))) }
    return .members(members)
  }
}

extension JSONValue {
  /// Nil if the list is empty.
  static func some(_ texts: [String]) -> JSONValue? { texts.isEmpty ? nil : .strings(texts) }

  static func some(_ values: [JSONValue]) -> JSONValue? { values.isEmpty ? nil : .array(values) }

  /// Ten-thousandths as a score.
  package static func score(_ points: Int) -> JSONValue {
    JSONValue(Double(points) / 10_000) ?? .null
  }
}

extension Cassette.Source {
  fileprivate var json: JSONValue {
    switch self {
    case .written: "written"
    case .recorded(let date, let model): ["recorded": .string(date), "model": .string(model)]
    }
  }
}

extension Cassette.Settings {
  fileprivate var json: JSONValue {
    let start = Date(timeIntervalSince1970: Double(startsAt)).formatted(.iso8601)
    return .members([
      "pack": pack, "packVersion": packVersion,
      "threshold": readyAbove.map { JSONValue.score($0) }, "maxTurns": maxTurns,
      "timeLimit": timeLimit, "followUp": followUp, "startsAt": start,
      "subscribed": isSubscribed ? true : nil,
      "models": JSONValue.members([
        "fast": models.fast, "coach": models.coach, "deep": models.deep,
      ]),
    ])
  }
}

extension Cassette.Prompt {
  fileprivate var json: JSONValue { ["purpose": .string(purpose), "lines": .strings(lines)] }
}

extension Cassette.Step {
  fileprivate var json: JSONValue {
    let act: (String, JSONValue) =
      switch self.act {
      case .open: ("open", true)
      case .say(let text): ("user", .string(text))
      case .again: ("again", true)
      }
    return .members([
      act, ("wait", wait == 0 ? nil : JSONValue(wait)), ("interrupt", interrupt?.json),
      ("kill", kill?.json),
    ])
  }
}

extension Cassette.Moment {
  fileprivate var json: JSONValue {
    switch self {
    case .afterText(let text): ["afterText": .string(text)]
    case .during(let purpose): ["during": .string(purpose.rawValue)]
    }
  }
}

extension Exchange {
  fileprivate var json: JSONValue {
    .members([
      "purpose": purpose?.rawValue, "request": request?.json, "response": response.json,
      "fault": fault?.description,
    ])
  }
}

extension RequestRecord {
  fileprivate var json: JSONValue {
    .members([
      "model": model, "structure": structure, "messages": messages, "words": words,
      "conversation": conversation, "prompt": prompt,
    ])
  }
}

extension RecordedResponse {
  fileprivate var json: JSONValue {
    var members: [(String, JSONValue?)] = [
      ("status", status == 200 ? nil : JSONValue(status))
    ]
    let named = headers.fields.map { ($0.name, JSONValue.string($0.value)) }
    if !named.isEmpty { members.append(("headers", .object(JSONObject(named)))) }
    switch content {
    case .answer(let answer):
      switch answer.body {
      case .text(let text): members.append(("text", .string(text)))
      case .json(let value): members.append(("json", value))
      }
      members.append(("usage", answer.usage?.json))
      members.append(("finish", answer.finish.map { .string($0) }))
    case .frames(let frames): members.append(("frames", .array(frames.map(\.json))))
    case .body(let body): members.append(("body", .string(body)))
    }
    members.append(("ending", ending == .whole ? nil : .string(ending.rawValue)))
    return .members(members)
  }
}

extension TokenUsage {
  var json: JSONValue { ["input": JSONValue(input), "output": JSONValue(output)] }
}

extension RecordedResponse.Frame {
  fileprivate var json: JSONValue {
    var members: [(String, JSONValue?)] = [("at", JSONValue(at))]
    switch content {
    case .event(let name, let data):
      members.append(("event", name.map { .string($0) }))
      members.append(("data", data))
    case .raw(let text): members.append(("raw", .string(text)))
    case .bytes(let bytes):
      members.append(("base64", .string(Data(bytes).base64EncodedString())))
    }
    return .members(members)
  }
}
