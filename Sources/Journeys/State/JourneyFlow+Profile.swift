import ContextQuality
public import IncrementalJSON
import Intake
import Plans

// What leaves the journey: a row of its projection, and items for sync.
extension JourneyFlow {
  /// Nil if the journey declares no projection.
  func profile(isComplete: Bool) -> ProfileRow? {
    journey.projection.map { projection in
      ProfileRow(
        table: projection.table,
        cells: projection.columns.map { column in
          .init(
            column: column,
            value: column.field == nil ? .boolean(isComplete) : cell(column))
        })
    }
  }

  private func cell(_ column: Projection.Column) -> ProfileRow.Cell.Value {
    guard let value = column.field.flatMap({ state.answers[$0]?.value }) else { return .null }
    switch (value, column.kind) {
    case (.number(let number), .integer): return .integer(Int(number.rounded()))
    case (.number(let number), .real): return .real(number)
    case (.number(let number), _): return .text(Measure.number(number))
    case (.range(let range), _):
      return .text(ClockRange.text(column.part == .end ? range.end : range.start))
    case (.text(let text), _): return .text(text)
    }
  }

  /// Nil if there is nothing to sync.
  func syncItem(_ kind: SyncItem.Kind) -> SyncItem? {
    switch kind {
    case .goal: document(.goal, as: kind)
    case .program: document(.program, as: kind)
    case .profile:
      profile(isComplete: true).map { row in
        SyncItem(
          kind: kind, key: journey.name, table: row.table, json: row.json.serialized())
      }
    case .intake:
      SyncItem(kind: kind, key: journey.name, json: intakeJSON.serialized())
    }
  }

  private func document(_ kind: DocumentKind, as item: SyncItem.Kind) -> SyncItem? {
    state.documents[kind].map { SyncItem(kind: item, key: journey.name, json: $0.document.json) }
  }

  /// The answers by field, in metric units, and what the ledger knows.
  private var intakeJSON: JSONValue {
    let answers = state.answers.sorted { $0.key < $1.key }.map { ($0.key, $0.value.value.json) }
    let known = intake.rubric.facets.compactMap { definition in
      intake.ledger.evidence(for: definition.facet).map {
        (definition.facet.description, JSONValue.string($0.text))
      }
    }
    return [
      "journey": .string(journey.name), "version": JSONValue(journey.version),
      "answers": .object(JSONObject(answers)), "known": .object(JSONObject(known)),
      "score": JSONValue(Double(intake.components(settings).points) / 10_000) ?? 0,
    ]
  }
}

extension ProfileRow {
  /// The row as a JSON object, by column.
  public var json: JSONValue {
    .object(
      JSONObject(
        cells.map { cell in
          let value: JSONValue =
            switch cell.value {
            case .null: .null
            case .text(let text): .string(text)
            case .integer(let number): JSONValue(number)
            case .real(let number): JSONValue(number) ?? .null
            case .boolean(let flag): .bool(flag)
            }
          return (cell.column.name, value)
        }))
  }
}

extension AnswerValue {
  /// A text, a number in metric units, or an object with `start` and `end`.
  public var json: JSONValue {
    switch self {
    case .text(let text): .string(text)
    case .number(let number): JSONValue(number) ?? .null
    case .range(let range): range.json
    }
  }
}
