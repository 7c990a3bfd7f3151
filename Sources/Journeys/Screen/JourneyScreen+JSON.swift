public import IncrementalJSON

extension JourneyScreen {
  /// The screen as one JSON object, for programs.
  public var json: JSONValue {
    .members([
      ("type", "screen"), ("journey", .string(journey)),
      ("step", step.isEmpty ? nil : .string(step)), ("kind", .string(kind.rawValue)),
      ("section", section.map { .string($0) }),
      ("segments", segments.isEmpty ? nil : .array(segments.map(\.json))),
      ("place", place.map { ["number": JSONValue($0.0), "of": JSONValue($0.of)] }),
      ("title", .string(title)), ("body", Self.list(body)), ("bullets", Self.list(bullets)),
      ("diagram", diagram.isEmpty ? nil : .array(diagram.map(\.json))),
      ("rows", rows.isEmpty ? nil : .array(rows.map(\.json))),
      ("tips", tips.isEmpty ? nil : .array(tips.map(\.json))),
      ("document", document?.members),
      ("diff", diff.isEmpty ? nil : .array(diff.map(\.json))),
      ("refusal", refusal.map { .string($0) }),
      ("consents", consents.isEmpty ? nil : .array(consents.map(\.json))),
      ("input", input?.json),
      ("options", options.isEmpty ? nil : .array(options.map(\.json))),
      (
        "button",
        button.map { ["label": .string($0.label), "enabled": .bool($0.isEnabled)] }
      ),
      ("back", .string(back.name)), ("hasInfo", hasInfo ? true : nil),
      ("info", info.map { .string($0) }), ("problem", problem.map { .string($0) }),
      ("waiting", waiting.map { .string($0) }), ("busy", isBusy ? true : nil),
      ("wordByWord", isWordByWord ? true : nil),
      ("tap", isTap ? true : nil), ("figure", figure.map { .string($0) }),
      ("confetti", hasConfetti ? true : nil), ("orb", orb?.json),
      ("units", hasUnits ? .string(units.rawValue) : nil),
    ])
  }

  private static func list(_ texts: [String]) -> JSONValue? {
    texts.isEmpty ? nil : .strings(texts)
  }
}

extension JourneyScreen.Back {
  fileprivate var name: String {
    switch self {
    case .none: "none"
    case .free: "free"
    case .asks: "asks"
    }
  }
}

extension JourneyScreen.Segment {
  fileprivate var json: JSONValue {
    .members([
      ("id", .string(id)), ("title", .string(title)),
      ("fill", JSONValue((fill * 1_000).rounded() / 1_000)), ("current", isCurrent ? true : nil),
    ])
  }
}

extension JourneyScreen.Row {
  fileprivate var json: JSONValue {
    .members([
      ("label", .string(label)), ("value", .string(value)),
      ("heading", isHeading.map { .bool($0) }),
    ])
  }
}

extension JourneyScreen.Document {
  fileprivate var members: JSONValue {
    .members([
      ("kind", .string(kind.rawValue)), ("state", .string(state.rawValue)),
      ("source", .string(source)), ("note", note.map { .string($0) }),
      ("request", request.map { .string($0) }), ("body", try? JSONValue(parsing: json)),
    ])
  }
}

extension JourneyScreen.DiagramPart {
  fileprivate var json: JSONValue {
    .members([
      ("label", .string(label)), ("days", JSONValue(days)), ("color", color.map { .string($0) }),
    ])
  }
}

extension DocumentEdit.Line {
  fileprivate var json: JSONValue { ["change": .string(change.rawValue), "text": .string(text)] }
}

extension JourneyScreen.Consent {
  fileprivate var json: JSONValue {
    .members([
      ("id", .string(id)), ("label", .string(label)), ("url", url.map { .string($0) }),
      ("note", note.map { .string($0) }), ("given", .bool(isGiven)),
    ])
  }
}

extension JourneyScreen.Option {
  fileprivate var json: JSONValue {
    .members([
      ("id", .string(id)), ("label", .string(label)), ("detail", detail.map { .string($0) }),
      ("icon", icon.map { .string($0) }),
    ])
  }
}

extension JourneyScreen.Input {
  fileprivate var json: JSONValue {
    switch self {
    case .text(let placeholder, let maxLength, let value):
      .members([
        ("kind", "text"), ("placeholder", placeholder.map { .string($0) }),
        ("maxLength", JSONValue(maxLength)), ("value", value.map { .string($0) }),
      ])
    case .stepper(let input):
      .members([
        ("kind", "stepper"), ("min", JSONValue(input.min)), ("max", JSONValue(input.max)),
        ("value", JSONValue(input.value)), ("text", .string(input.text(input.value))),
        ("quantity", .string(input.quantity.rawValue)),
        ("less", JSONValue(input.value(input.value, steppedBy: -1))),
        ("more", JSONValue(input.value(input.value, steppedBy: 1))),
        ("by", JSONValue(input.step)), ("scale", JSONValue(input.scale)),
        ("unit", input.unit.map { .string($0) }),
      ])
    case .select(let value):
      .members([("kind", "select"), ("value", value.map { .string($0) })])
    case .number(let min, let max, let isWhole, let unit, let value):
      .members([
        ("kind", "number"), ("min", JSONValue(min)), ("max", JSONValue(max)),
        ("whole", .bool(isWhole)), ("unit", unit.map { .string($0) }),
        ("value", value.flatMap { JSONValue($0) }),
      ])
    case .timeRange(let range, let length):
      [
        "kind": "timeRange", "start": .string(ClockRange.text(range.start)),
        "end": .string(ClockRange.text(range.end)), "length": .string(length),
        "minutes": JSONValue(range.length),
      ]
    case .open(let placeholder, let pills, let hasVoice, let value):
      .members([
        ("kind", "open"), ("placeholder", placeholder.map { .string($0) }),
        ("pills", pills.isEmpty ? nil : .strings(pills)), ("voice", hasVoice ? true : nil),
        ("value", value.map { .string($0) }),
      ])
    case .email(let placeholder, let value):
      .members([
        ("kind", "email"), ("placeholder", placeholder.map { .string($0) }),
        ("value", value.map { .string($0) }),
      ])
    case .code(let digits, let resendIn):
      ["kind": "code", "digits": JSONValue(digits), "resendIn": JSONValue(resendIn)]
    case .message: ["kind": "message"]
    case .edit(let placeholder):
      .members([("kind", "edit"), ("placeholder", placeholder.map { .string($0) })])
    }
  }
}

extension Step.Orb {
  fileprivate var json: JSONValue {
    .members([
      ("size", size.map { .string($0) }), ("place", place.map { .string($0) }),
      ("motion", motion.map { .string($0) }),
    ])
  }
}
