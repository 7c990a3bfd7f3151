import ContextQuality
import FoundationEssentials
import IncrementalJSON
public import Intake
public import SessionStore

/// The rows of a conversation: what was understood, and the profile. No message is among them, nothing
/// from health data, and nothing of a rehearsal or a minor.
public struct DiscoveryRows: Sendable {
  public static let intakeTable = "intakes"
  public static let profileTable = "coaching_profiles"

  private let session: SessionID
  private let events: [RecordedEvent]
  private let state: IntakeState

  public init(session: SessionID, events: [RecordedEvent], state: IntakeState) {
    self.session = session
    self.events = events
    self.state = state
  }

  public var rows: [OutboxRow] {
    guard let start, start.source != .rehearsal, !state.isMinor, !state.ledger.known.isEmpty else {
      return []
    }
    return [intake(start)] + [profile].compactMap(\.self)
  }

  private var start: SessionStart? {
    events.lazy.compactMap { recorded -> SessionStart? in
      if case .started(let start) = recorded.event { start } else { nil }
    }.first
  }

  private func intake(_ start: SessionStart) -> OutboxRow {
    let scores = state.components()
    var columns: JSONObject = [
      "pack": .string(start.pack), "rubric_version": JSONValue(start.rubricVersion),
      "is_complete": .bool(state.isCompleted),
      "overall": JSONValue(scores.overall) ?? .null,
      "facets": .object(JSONObject(facets)),
    ]
    if let first = events.first {
      columns["started_at"] = .string(
        first.at.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
    return OutboxRow(
      table: Self.intakeTable, id: session.rawValue, columns: columns, session: session)
  }

  /// The person's own words, where something is known from them.
  private var facets: [(String, JSONValue)] {
    state.rubric.facets.compactMap { definition in
      guard !state.withheld.contains(definition.facet),
        let stretch = state.ledger.latestStretch(of: definition.facet, isReading: false)
      else { return nil }
      return (definition.facet.description, ["quote": .string(stretch.evidence.text)])
    }
  }

  private var profile: OutboxRow? {
    guard let synthesis = state.synthesis, synthesis.system.source != .rehearsal else { return nil }
    return OutboxRow(
      table: Self.profileTable, id: session.rawValue, columns: ["system": synthesis.system.json],
      session: session)
  }
}
