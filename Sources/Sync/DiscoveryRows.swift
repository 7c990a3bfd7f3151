import Coaching
import ContextQuality
import FoundationEssentials
import IncrementalJSON
public import Intake
public import Journeys
import Plans
public import SessionStore

/// The rows of a conversation or journey: what was understood and answered, the profile, and the goal and
/// program that were approved. No message is among them, nothing from health data, and nothing of a
/// rehearsal, a minor, or somebody who keeps it on their machine.
public struct DiscoveryRows: Sendable {
  public static let intakeTable = "intakes"
  public static let profileTable = "coaching_profiles"
  public static let goalTable = "goals"
  public static let programTable = "programs"

  /// The tables that an item's rows go to. A projection names its own.
  public static func tables(of kind: SyncItem.Kind) -> [String] {
    switch kind {
    case .intake: [intakeTable, profileTable]
    case .goal: [goalTable]
    case .program: [programTable]
    case .profile: []
    }
  }

  private let session: SessionID
  private let events: [RecordedEvent]
  private let state: IntakeState
  private let journey: JourneyState?

  public init(session: SessionID, events: [RecordedEvent], state: IntakeState) {
    self.session = session
    self.events = events
    self.state = state
    // A journey of a later version stays here until this program knows it.
    journey = (try? JourneyState(events: events)).flatMap { $0.start == nil ? nil : $0 }
  }

  /// The rows' id: the session's own, or that of the row it was brought over from.
  private var id: String { journey?.row ?? session.rawValue }

  /// Whether it is a journey that was begun offline, or whose person chose to keep it on their machine.
  public var isKeptLocal: Bool { journey?.account.isLocal == true }

  public var rows: [OutboxRow] {
    guard start?.source != .rehearsal, !state.isMinor, !isKeptLocal else { return [] }
    return [
      intake, profile, document(.goal, Self.goalTable), document(.program, Self.programTable),
    ]
    .compactMap(\.self)
  }

  private var start: SessionStart? {
    events.lazy.compactMap { recorded -> SessionStart? in
      if case .started(let start) = recorded.event { start } else { nil }
    }.first
  }

  /// Nil if nothing is known and nothing was answered.
  private var intake: OutboxRow? {
    guard let pack = start?.pack ?? journey?.start?.pack,
      !state.ledger.known.isEmpty || journey?.answers.isEmpty == false
    else { return nil }
    let scores = state.components()
    var columns: JSONObject = [
      "pack": .string(pack),
      "rubric_version": JSONValue(start?.rubricVersion ?? state.rubric.version),
      "is_complete": .bool(state.isCompleted || journey?.isCompleted == true),
      "overall": JSONValue(scores.overall) ?? .null,
      "facets": .object(JSONObject(facets)),
    ]
    if let journey, let start = journey.start {
      columns["journey"] = .string(start.journey)
      columns["answers"] = .object(
        JSONObject(
          journey.answers.sorted { $0.key < $1.key }.map { ($0.key, $0.value.value.json) }))
      columns["progress"] = JourneyProgress(journey, state).json
    }
    if let first = events.first {
      columns["started_at"] = .string(
        first.at.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
    return OutboxRow(
      table: Self.intakeTable, id: id, columns: columns, session: session)
  }

  /// The person's own words, where something is known from them, with the question of a form that they answer.
  private var facets: [(String, JSONValue)] {
    state.rubric.facets.compactMap { definition in
      // Medical history stays on this machine.
      let pieces = state.ledger.pieces(for: definition.facet).map(\.evidence)
        .filter { $0.mark != .background }
      guard !state.withheld.contains(definition.facet), let current = pieces.last,
        let evidence = current.isReading
          ? state.ledger.latestStretch(of: definition.facet, isReading: false)?.evidence : current
      else { return nil }
      var known: JSONObject = ["quote": .string(evidence.text)]
      if let answer = evidence.answer {
        (known["step"], known["wording"]) = (.string(answer.step), .string(answer.wording))
      }
      return (definition.facet.description, .object(known))
    }
  }

  private var profile: OutboxRow? {
    guard let synthesis = state.synthesis, synthesis.system.source != .rehearsal else { return nil }
    // Medical facts, notes and the person's other words stay on this machine.
    var system =
      (try? CoachingState(events: events))?.updating(synthesis.system) ?? synthesis.system
    system.about = nil
    for (name, path) in Constraints.lists {
      let limits = system.constraints[keyPath: path]
      let kept = limits.indices.filter { index in
        !isBackground(limits[index], system.restsOn["/constraints/\(name)/\(index)"] ?? [])
      }
      system.constraints[keyPath: path] = kept.map { system.constraints[keyPath: path][$0] }
      for index in system.constraints[keyPath: path].indices {
        let (from, to) = ("/constraints/\(name)/\(kept[index])", "/constraints/\(name)/\(index)")
        system.restsOn[to] = system.restsOn[from]
      }
    }
    return OutboxRow(
      table: Self.profileTable, id: id, columns: ["system": system.json],
      session: session)
  }

  /// Whether a limit holds medical history: a word that only the history of its turns has, or none that anything else
  /// there has. Better to leave out a limit than to send medical history.
  private func isBackground(_ limit: Constraint, _ turns: [Int]) -> Bool {
    func words(_ text: String) -> Set<String> {
      Set(text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init))
        .filter { $0.count >= Self.tellingLength }
    }
    let known = state.rubric.facets.flatMap { state.ledger.pieces(for: $0.facet) }.map(\.evidence)
    func words(of pieces: [Evidence]) -> Set<String> {
      pieces.reduce(into: []) { $0.formUnion(words($1.text)) }
    }
    let history = known.filter { $0.mark == .background && turns.contains($0.turn) }
    guard !history.isEmpty else { return false }
    let others = known.filter { $0.mark != .background }
    let own = words(limit.detail)
    return own.isDisjoint(with: words(of: others.filter { turns.contains($0.turn) }))
      || !own.isDisjoint(with: words(of: history).subtracting(words(of: others)))
  }

  /// Shorter words stand in any sentence.
  private static let tellingLength = 5

  /// Nil unless it was approved. A template is not anybody's goal or program.
  private func document(_ kind: DocumentKind, _ table: String) -> OutboxRow? {
    guard let document = journey?.documents[kind], document.isApproved,
      document.document.source != DraftedDocument.template,
      let body = try? JSONValue(parsing: document.document.json)
    else { return nil }
    return OutboxRow(
      table: table, id: id, columns: ["body": body], session: session)
  }
}
