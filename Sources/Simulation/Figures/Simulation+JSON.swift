import ContextQuality
public import IncrementalJSON
import Signals

extension SimulatedRun {
  /// One line for programs.
  public func json(side: String, _ persona: Persona) -> JSONValue {
    .members([
      "type": "conversation", "side": side, "persona": self.persona, "use": persona.use.rawValue,
      "register": persona.register.rawValue, "seed": seed, "ending": ending.rawValue,
      "readyAt": readyAt, "facts": persona.facts.count, "found": JSONValue.names(found.sorted()),
      "misheard": JSONValue.names(misheard), "turns": turns.map(\.json),
      "closing": closing, "unsupported": unsupported.map(JSONValue.strings), "leftOut": leftOut,
      "tokens": tokens,
    ])
  }
}

extension SimulatedRun.Turn {
  fileprivate var json: JSONValue {
    .members([
      "coach": coach, "asked": components.isEmpty ? nil : components,
      "repeated": isRepeated ? true : nil, "user": reply.text, "manner": reply.manner.rawValue,
      "told": reply.told.isEmpty ? nil : JSONValue.names(reply.told),
      "found": found.isEmpty ? nil : JSONValue.names(found),
      "care": care.isEmpty ? nil : care.map(\.rawValue),
      "ruleInstead": isRuleInstead ? true : nil, "points": points,
    ])
  }
}

extension JSONValue {
  fileprivate static func names(_ facets: [Facet]) -> JSONValue {
    .strings(facets.map(\.description))
  }
}

extension Estimate {
  fileprivate var json: JSONValue {
    func number(_ value: Double?) -> JSONValue? {
      value.flatMap { JSONValue(($0 * 10_000).rounded() / 10_000) }
    }
    return .members(["value": number(value), "low": number(low), "high": number(high)])
  }
}

extension SimulationReport {
  /// The last line for programs: every figure of every side.
  public var json: JSONValue {
    .members([
      "type": "figures", "personas": personas.count, "conversations": conversations,
      "failed": failures.count, "ruleInstead": worded.byRule,
      "sides": sides.indices.map { side($0) },
    ])
  }

  private func side(_ side: Int) -> JSONValue {
    let longest = sides.flatMap { $0.runs.joined() }.map(\.turns.count).max() ?? 0
    let figures = rows.map { row in
      (
        row.figure.rawValue,
        JSONValue.members([
          "estimate": row.estimates[side].json, "difference": row.differences[side]?.json,
          "verdict": side == 0 ? nil : row.verdict(side).rawValue,
        ])
      )
    }
    return .members([
      "name": sides[side].name, "figures": JSONValue.object(JSONObject(figures)),
      "foundByTurn": curve(side, turns: min(longest, 40)).compactMap {
        JSONValue(($0 * 10_000).rounded() / 10_000)
      },
    ])
  }
}
