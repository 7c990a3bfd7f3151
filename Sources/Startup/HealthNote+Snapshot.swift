public import ContextQuality
import FoundationEssentials
public import HealthRecords
public import Intake

extension HealthNote {
  /// What a conversation needs of a snapshot. Nothing else of it reaches a prompt.
  public init(_ snapshot: HealthSnapshot, rubric: Rubric, today: Day) {
    let forDoctor = snapshot.findings.filter(\.isForDoctor)
    // A stable sort: of two equally telling findings, the one about movement comes first.
    let telling = snapshot.findings.filter { !$0.isForDoctor }.enumerated().sorted {
      ($1.element.kind.salience, $0.offset) < ($0.element.kind.salience, $1.offset)
    }.map(\.element)
    self.init(
      source: HealthEvidence.source, through: snapshot.lastDay.description,
      evidence: HealthEvidence.evidence(in: snapshot, for: rubric),
      findings: telling.map {
        Item(about: $0.kind.rawValue, text: $0.text, isSensitive: $0.isSensitive)
      },
      figures: snapshot.figures(on: today).map {
        Item(about: $0.about, text: $0.text, isSensitive: $0.isSensitive)
      },
      forDoctor: forDoctor.map {
        DoctorReading(kind: $0.kind.rawValue, isUrgent: $0.isUrgent, text: $0.text)
      },
      isMinor: snapshot.profile.isMinor, yearsOld: snapshot.profile.age)
  }
}

extension HealthSnapshot {
  /// The snapshot as compact JSON, which ``HealthRecords/HealthSnapshot/reading(_:name:today:)`` reads
  /// back.
  public func jsonText() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  /// The last day with any data; the last whole day if that is unknown.
  package var lastDay: Day { max(through, exportedOn.map { min($0, through + 1) } ?? through) }
}
