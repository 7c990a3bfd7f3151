import ContextQuality
public import IncrementalJSON
import LanguageModels

/// Each output is one JSON object with its kind under `type`. `docs/json.md` documents the keys.
extension SessionOutput {
  public var json: JSONValue {
    switch self {
    case .delta(let text, let purpose):
      ["type": "delta", "purpose": .string(purpose.rawValue), "text": .string(text)]
    case .message(let message): message.json
    case .scored(let report): report.json
    case .understood(let understanding):
      ["type": "understood", "parts": understanding.json]
    case .waiting(let wait): wait.json
    case .notice(let notice):
      notice.json
    case .choices(let choices):
      ["type": "choices", "options": .array(choices.map(\.json))]
    case .profile(let system, let isMinimal):
      ["type": "profile", "minimal": .bool(isMinimal), "system": system.json]
    case .paywall(let paywall): paywall.json
    case .starters(let starters): starters.json
    case .resumed(let resumed):
      .members(["type": "resumed", "turn": resumed.turn, "lastMessage": resumed.lastMessage])
    case .done(let done): done.json
    }
  }
}

extension SessionOutput.Notice {
  fileprivate var json: JSONValue {
    .members([
      "type": "notice", "level": level.rawValue, "code": code, "text": text,
      "again": canBeAskedAgain, "detail": JSONValue.optional(detail), "about": about,
    ])
  }
}

extension SessionOutput.CoachMessage {
  fileprivate var json: JSONValue {
    [
      "type": "message", "role": "coach", "purpose": .string(purpose.rawValue),
      "text": .string(text), "complete": .bool(cut == nil), "cut": .optional(cut?.rawValue),
    ]
  }
}

extension SessionOutput.ScoreReport {
  fileprivate var json: JSONValue {
    [
      "type": "scored", "turn": JSONValue(turn), "overall": .double(components.overall),
      "ready": .bool(components.isReadyForCoaching),
      "components": .members(components.components.map { ($0.name, .double($0.score)) }),
      "weakest": .optional(weakest),
      "facets": .members(evidence.map { ($0.facet.description, $0.basisJSON) }),
      "new": .array(new.map { .string($0.description) }),
      "failure": .optional(failure?.detail),
      "dropped": .members(dropped.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) }),
      "snapped": .members(snapped.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) }),
      "acts": acts.map { .array($0.map(\.json)) } ?? .null,
    ]
  }
}

extension Act {
  var json: JSONValue {
    ["act": .string(name.rawValue), "turn": JSONValue(turn), "quote": .string(quote)]
  }
}

extension Evidence {
  package var json: JSONValue {
    var members: [(String, JSONValue)] = [("facet", .string(facet.description))]
    members += basisJSON.objectValue.map(Array.init) ?? []
    if !topics.isEmpty { members.append(("topics", .strings(topics.map(\.rawValue).sorted()))) }
    return .object(JSONObject(members))
  }

  /// What it rests on, without the facet.
  package var basisJSON: JSONValue {
    switch basis {
    case .quote(let quote, let turn): ["turn": JSONValue(turn), "quote": .string(quote)]
    case .reading(let reading, let source):
      ["reading": .string(reading), "source": .string(source)]
    case .answer(let answer):
      .members([
        "turn": answer.turn, "step": answer.step, "answer": answer.text, "wording": answer.wording,
      ])
    }
  }
}

extension SessionOutput.Wait {
  fileprivate var json: JSONValue {
    switch self {
    case .reading: ["type": "waiting", "for": "reading"]
    case .writing: ["type": "waiting", "for": "writing"]
    case .puttingTogether: ["type": "waiting", "for": "synthesis"]
    case .retry(let wait):
      [
        "type": "waiting", "for": "retry", "reason": .string(wait.reason.rawValue),
        "seconds": .double((wait.delay / .milliseconds(1)).rounded() / 1_000),
        "attempt": JSONValue(wait.nextAttempt),
      ]
    }
  }
}

extension SessionOutput.Choice {
  fileprivate var json: JSONValue { ["id": .string(id), "label": .string(label)] }
}

extension SessionOutput.Paywall {
  fileprivate var json: JSONValue {
    .members([
      "type": "paywall", "title": title, "insight": insight, "note": note,
      "options": options.map(\.json), "held": held, "stub": true,
    ])
  }
}

extension SessionOutput.Done {
  fileprivate var json: JSONValue {
    [
      "type": "done", "turn": JSONValue(turn), "phase": .string(phase.rawValue),
      "discovery_complete": .bool(discoveryComplete), "failed": .bool(failed),
    ]
  }
}

extension JSONValue {
  static func double(_ value: Double) -> JSONValue { JSONValue(value) ?? .null }
}
