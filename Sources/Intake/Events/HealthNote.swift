public import ContextQuality
import IncrementalJSON

/// What the user's health data say, as far as a conversation needs it: readings that make facets
/// known, findings in sentences, and figures to answer questions from. Never the data themselves.
public struct HealthNote: Hashable, Sendable, Codable {
  /// A sentence or a figure, with what it is about.
  public struct Item: Hashable, Sendable, Codable {
    /// A name such as `sleep`.
    public var about: String
    public var text: String
    /// It speaks of weight or of calories: not for somebody who struggles with eating.
    public var isWeight: Bool

    public init(about: String, text: String, isWeight: Bool = false) {
      (self.about, self.text, self.isWeight) = (about, text, isWeight)
    }
  }

  /// Where they come from, such as `Apple Health`.
  public var source: String
  /// The last day that they are about, `yyyy-MM-dd`.
  public var through: String
  /// Each with a reading.
  public var evidence: [Evidence]
  /// What the coach sees in them, in sentences to the user; what tells most comes first.
  public var findings: [Item]
  /// What questions are answered from.
  public var figures: [Item]
  /// Sentences about readings that a doctor should see; they are said by code, not by a model.
  public var forDoctor: [String]
  /// What each of them is about, in their order, such as `bloodPressureHigh`; with `/urgent` behind
  /// it where it is to be told even if the same was told before. Nil where that is not known.
  public var forDoctorKinds: [String]?
  /// Under age by the birth date.
  public var isMinor: Bool
  /// The age by the birth date.
  public var yearsOld: Int?

  public init(
    source: String, through: String, evidence: [Evidence] = [], findings: [Item] = [],
    figures: [Item] = [], forDoctor: [String] = [], forDoctorKinds: [String]? = nil,
    isMinor: Bool = false, yearsOld: Int? = nil
  ) {
    self.source = source
    self.through = through
    self.evidence = evidence
    self.findings = findings
    self.figures = figures
    self.forDoctor = forDoctor
    self.forDoctorKinds = forDoctorKinds
    self.isMinor = isMinor
    self.yearsOld = yearsOld
  }

  /// What counts as known, as it is written down.
  public var readings: [String] {
    evidence.filter(\.isReading).map { PlainText.line($0.text) }
  }

  /// Beyond this many days the data are said to be old.
  public static let freshDays = 7

  /// Beyond this many days they say nothing of how somebody is now: the rubric's readings are of
  /// the last 90 days.
  public static let currentDays = 90

  /// What counts on a day: of old data nothing that is about now.
  func asOf(_ today: String, _ rules: ReadingRules) -> HealthNote {
    guard (age(on: today) ?? 0) > Self.currentDays else { return self }
    var note = self
    note.evidence = evidence.filter { rules.ofThePast.contains($0.facet.component) }
    return note
  }

  package func isOld(on today: String) -> Bool { (age(on: today) ?? 0) > Self.freshDays }

  /// A reading that a doctor should see.
  struct Reading {
    var text: String
    var kind: String
    /// The kinds that are told with it: the urgent one includes the other.
    var tells: [String] {
      kind.hasSuffix(Self.urgent) ? [kind, String(kind.dropLast(Self.urgent.count))] : [kind]
    }

    static let urgent = "/urgent"
  }

  var readingsForDoctor: [Reading] {
    forDoctor.enumerated().map { place, text in
      let kinds = forDoctorKinds ?? []
      return Reading(text: text, kind: kinds.indices.contains(place) ? kinds[place] : text)
    }
  }

  /// Days since the last one that the data are about; nil where a day cannot be read.
  public func age(on today: String) -> Int? {
    guard let last = CalendarDay(through), let now = CalendarDay(today) else { return nil }
    return max(0, now.number - last.number)
  }

  /// `up to 2026-01-30, 2 days ago`.
  public func ageInWords(on today: String) -> String {
    guard let age = age(on: today) else { return "up to \(through)" }
    let ago = age == 0 ? "today" : age == 1 ? "yesterday" : "\(age) days ago"
    return "up to \(through), \(ago)"
  }

  /// What may be sent in this conversation.
  func items(
    _ path: KeyPath<HealthNote, [Item]>, withoutWeight: Bool
  ) -> [String] {
    self[keyPath: path].filter { !(withoutWeight && $0.isWeight) }.map { PlainText.line($0.text) }
  }
}
