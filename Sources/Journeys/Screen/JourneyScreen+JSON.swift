public import IncrementalJSON
import Plans

extension JourneyScreen {
  /// The screen as one JSON object, for programs.
  public var json: JSONValue {
    .members([
      "type": "screen", "journey": journey, "step": step.isEmpty ? nil : step,
      "kind": kind.rawValue, "section": section,
      "segments": segments.isEmpty ? nil : segments.map(\.json),
      "place": place.map { JSONValue.members(["number": $0.number, "of": $0.total]) },
      "title": title,
      "body": body.isEmpty ? nil : body, "bullets": bullets.isEmpty ? nil : bullets,
      "diagram": diagram.isEmpty ? nil : diagram.map(\.json),
      "rows": rows.isEmpty ? nil : rows.map(\.json),
      "tips": tips.isEmpty ? nil : tips.map(\.json),
      "document": document?.members,
      "diff": diff.isEmpty ? nil : diff.map(\.json), "refusal": refusal,
      "consents": consents.isEmpty ? nil : consents.map(\.json),
      "input": input?.json,
      "options": options.isEmpty ? nil : options.map(\.json),
      "button": button.map { JSONValue.members(["label": $0.label, "enabled": $0.isEnabled]) },
      "back": back.name, "hasInfo": hasInfo ? true : nil, "info": info, "problem": problem,
      "waiting": waiting, "busy": isBusy ? true : nil, "wordByWord": isWordByWord ? true : nil,
      "tap": isTap ? true : nil, "figure": figure, "confetti": hasConfetti ? true : nil,
      "orb": orb?.json, "units": hasUnits ? units.rawValue : nil,
    ])
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
      "id": id, "title": title, "fill": (fill * 1_000).rounded() / 1_000,
      "current": isCurrent ? true : nil,
    ])
  }
}

extension JourneyScreen.Row {
  fileprivate var json: JSONValue {
    .members(["label": label, "value": value, "heading": isHeading])
  }
}

extension JourneyScreen.Document {
  fileprivate var members: JSONValue {
    .members([
      "kind": kind.rawValue, "state": state.rawValue, "source": source, "note": note,
      "request": request, "body": try? JSONValue(parsing: json),
    ])
  }
}

extension JourneyScreen.DiagramPart {
  fileprivate var json: JSONValue {
    .members(["label": label, "days": days, "color": color])
  }
}

extension DocumentEdit.Line {
  fileprivate var json: JSONValue { ["change": .string(change.rawValue), "text": .string(text)] }
}

extension JourneyScreen.Consent {
  fileprivate var json: JSONValue {
    .members(["id": id, "label": label, "url": url, "note": note, "given": isGiven])
  }
}

extension JourneyScreen.Option {
  fileprivate var json: JSONValue {
    .members(["id": id, "label": label, "detail": detail, "icon": icon])
  }
}

extension JourneyScreen.Input {
  fileprivate var json: JSONValue {
    switch self {
    case .text(let placeholder, let maxLength, let value):
      .members(["kind": "text", "placeholder": placeholder, "maxLength": maxLength, "value": value])
    case .stepper(let input):
      .members([
        "kind": "stepper", "min": input.min, "max": input.max, "value": input.value,
        "text": input.text(input.value), "quantity": input.quantity.rawValue,
        "less": input.value(input.value, steppedBy: -1),
        "more": input.value(input.value, steppedBy: 1), "by": input.step, "scale": input.scale,
        "unit": input.unit,
      ])
    case .select(let value):
      .members(["kind": "select", "value": value])
    case .number(let min, let max, let isWhole, let unit, let value):
      .members([
        "kind": "number", "min": min, "max": max, "whole": isWhole, "unit": unit, "value": value,
      ])
    case .timeRange(let range, let length):
      [
        "kind": "timeRange", "start": .string(ClockRange.text(range.start)),
        "end": .string(ClockRange.text(range.end)), "length": .string(length),
        "minutes": JSONValue(range.length),
      ]
    case .open(let placeholder, let pills, let hasVoice, let value):
      .members([
        "kind": "open", "placeholder": placeholder, "pills": pills.isEmpty ? nil : pills,
        "voice": hasVoice ? true : nil, "value": value,
      ])
    case .email(let placeholder, let value):
      .members(["kind": "email", "placeholder": placeholder, "value": value])
    case .code(let digits, let resendIn):
      ["kind": "code", "digits": JSONValue(digits), "resendIn": JSONValue(resendIn)]
    case .message: ["kind": "message"]
    case .edit(let placeholder):
      .members(["kind": "edit", "placeholder": placeholder])
    }
  }
}

extension Step.Orb {
  fileprivate var json: JSONValue {
    .members(["size": size, "place": place, "motion": motion])
  }
}
