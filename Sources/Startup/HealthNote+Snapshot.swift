import ContextQuality
import HealthRecords
import Intake

extension HealthNote {
  /// What a conversation needs of a snapshot. Nothing else of it reaches a prompt.
  init(_ snapshot: HealthSnapshot, rubric: Rubric, today: Day = .today) {
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
  /// The last day with any data; the last whole day if that is unknown.
  var lastDay: Day { max(through, exportedOn.map { min($0, through + 1) } ?? through) }
}
