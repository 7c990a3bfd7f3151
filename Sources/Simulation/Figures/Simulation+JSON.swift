import ContextQuality
public import IncrementalJSON
import Signals

extension SimulatedRun {
  /// One line for programs.
  public func json(side: String, _ persona: Persona) -> JSONValue {
    .members([
      ("type", "conversation"), ("side", .string(side)), ("persona", .string(self.persona)),
      ("use", .string(persona.use.rawValue)), ("register", .string(persona.register.rawValue)),
      ("seed", JSONValue(seed)), ("ending", .string(ending.rawValue)),
      ("readyAt", readyAt.map { JSONValue($0) }), ("facts", JSONValue(persona.facts.count)),
      ("found", .names(found.sorted())), ("misheard", .names(misheard)),
      ("turns", .array(turns.map(\.json))), ("closing", .string(closing)),
    ])
  }
}

extension SimulatedRun.Turn {
  fileprivate var json: JSONValue {
    .members([
      ("coach", .string(coach)),
      ("asked", components.isEmpty ? nil : .strings(components)),
      ("repeated", isRepeated ? true : nil), ("user", .string(reply.text)),
      ("manner", .string(reply.manner.rawValue)),
      ("told", reply.told.isEmpty ? nil : .names(reply.told)),
      ("found", found.isEmpty ? nil : .names(found)),
      ("care", care.isEmpty ? nil : .strings(care.map(\.rawValue))),
      ("ruleInstead", isRuleInstead ? true : nil), ("points", JSONValue(points)),
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
    return .members([("value", number(value)), ("low", number(low)), ("high", number(high))])
  }
}

extension SimulationReport {
  /// The last line for programs: every figure of every side.
  public var json: JSONValue {
    .members([
      ("type", "figures"), ("personas", JSONValue(personas.count)),
      ("conversations", JSONValue(conversations)), ("failed", JSONValue(failures.count)),
      ("ruleInstead", JSONValue(worded.byRule)),
      ("sides", .array(sides.indices.map { side($0) })),
    ])
  }

  private func side(_ side: Int) -> JSONValue {
    let longest = sides.flatMap { $0.runs.joined() }.map(\.turns.count).max() ?? 0
    let figures = rows.map { row in
      (
        row.figure.rawValue,
        JSONValue.members([
          ("estimate", row.estimates[side].json), ("difference", row.differences[side]?.json),
          ("verdict", side == 0 ? nil : .string(row.verdict(side).rawValue)),
        ])
      )
    }
    return .members([
      ("name", .string(sides[side].name)), ("figures", .object(JSONObject(figures))),
      (
        "foundByTurn",
        .array(
          curve(side, turns: min(longest, 40)).compactMap {
            JSONValue(($0 * 10_000).rounded() / 10_000)
          })
      ),
    ])
  }
}
