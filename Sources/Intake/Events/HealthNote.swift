public import ContextQuality

/// The parts of the user's health data that a conversation needs: readings that fill in facets,
/// findings in sentences, and figures for answering questions. It never holds the data itself.
public struct HealthNote: Hashable, Sendable {
  /// A sentence or a figure, with its topic.
  public struct Item: Hashable, Sendable, Codable {
    /// A name such as `sleep`.
    public var about: String
    public var text: String
    /// Not for minors, nor after care that hides such things, such as a weight.
    public var isSensitive: Bool

    public init(about: String, text: String, isSensitive: Bool = false) {
      (self.about, self.text, self.isSensitive) = (about, text, isSensitive)
    }

    /// As named in logs.
    private enum CodingKeys: String, CodingKey {
      case about, text
      case isSensitive = "isWeight"
    }
  }

  /// A reading that a doctor should see.
  public struct DoctorReading: Hashable, Sendable {
    /// What it is about, such as `bloodPressureHigh`.
    public var kind: String
    /// Tell the user even if they have heard about a reading of the same kind that was not urgent.
    public var isUrgent: Bool
    /// A sentence for the user.
    public var text: String

    public init(kind: String, isUrgent: Bool = false, text: String) {
      (self.kind, self.isUrgent, self.text) = (kind, isUrgent, text)
    }

    struct Topic: Hashable, Sendable {
      var kind: String
      var isUrgent: Bool
    }

    var topic: Topic { Topic(kind: kind, isUrgent: isUrgent) }

    /// Topics covered; urgent ones include the non-urgent one.
    var tells: [Topic] { isUrgent ? [topic, Topic(kind: kind, isUrgent: false)] : [topic] }
  }

  /// Where the data comes from, such as `Apple Health`.
  public var source: String
  /// The last day the data covers, `yyyy-MM-dd`.
  public var through: String
  /// The readings that make facets known.
  public var evidence: [Evidence]
  /// The coach's findings as sentences to the user, most informative first.
  public var findings: [Item]
  /// Figures for answering questions.
  public var figures: [Item]
  /// Readings that a doctor should see. Code reports them, not a model.
  public var forDoctor: [DoctorReading]
  /// A minor by birth date.
  public var isMinor: Bool
  /// The age by birth date.
  public var yearsOld: Int?

  public init(
    source: String, through: String, evidence: [Evidence] = [], findings: [Item] = [],
    figures: [Item] = [], forDoctor: [DoctorReading] = [],
    isMinor: Bool = false, yearsOld: Int? = nil
  ) {
    self.source = source
    self.through = through
    self.evidence = evidence
    self.findings = findings
    self.figures = figures
    self.forDoctor = forDoctor
    self.isMinor = isMinor
    self.yearsOld = yearsOld
  }

  /// The texts of the readings that make facets known.
  public var readings: [String] {
    evidence.filter(\.isReading).map { PlainText.line($0.text) }
  }

  /// Data older than this many days is described as old.
  public static let freshDays = 7

  /// Data older than this many days does not describe the user's current state. The rubric's
  /// readings cover the last 90 days.
  public static let currentDays = 90

  /// What counts on a day. Data that is too old keeps only readings about the past.
  func asOf(_ today: String, _ rules: ReadingRules) -> HealthNote {
    guard (age(on: today) ?? 0) > Self.currentDays else { return self }
    var note = self
    note.evidence = evidence.filter { rules.ofThePast.contains($0.facet.component) }
    return note
  }

  package func isOld(on today: String) -> Bool { (age(on: today) ?? 0) > Self.freshDays }

  /// Days since the last day the data covers; nil if a day cannot be parsed.
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

  /// What ``ageInWords(on:)`` says, for a template.
  package func ageValues(on today: String) -> [String: String] {
    var values = ["day": through]
    switch age(on: today) {
    case 0: values["isToday"] = "yes"
    case 1: values["isYesterday"] = "yes"
    case let days?: values["days"] = "\(days)"
    case nil: break
    }
    return values
  }

  /// The items' texts, each on one line.
  func items(
    _ path: KeyPath<HealthNote, [Item]>, withoutSensitive: Bool
  ) -> [String] {
    self[keyPath: path].filter { !(withoutSensitive && $0.isSensitive) }.map {
      PlainText.line($0.text)
    }
  }
}

extension HealthNote: Codable {
  /// Stored next to the sentences for the doctor in rapport 0.1 notes.
  private enum EarlierKey: String, CodingKey { case forDoctorKinds }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    source = try container.decode(String.self, forKey: .source)
    through = try container.decode(String.self, forKey: .through)
    evidence = try container.decode([Evidence].self, forKey: .evidence)
    findings = try container.decode([Item].self, forKey: .findings)
    figures = try container.decode([Item].self, forKey: .figures)
    isMinor = try container.decode(Bool.self, forKey: .isMinor)
    yearsOld = try container.decodeIfPresent(Int.self, forKey: .yearsOld)
    forDoctor = try container.decode([DoctorReading].self, forKey: .forDoctor)
    let earlier = try decoder.container(keyedBy: EarlierKey.self)
    guard let kinds = try earlier.decodeIfPresent([String].self, forKey: .forDoctorKinds) else {
      return
    }
    // Such notes don't say which readings are sensitive, so each may be.
    for place in evidence.indices { evidence[place].topics.insert(.unknown) }
    for (place, kind) in kinds.enumerated() where forDoctor.indices.contains(place) {
      forDoctor[place].name(kind)
    }
  }
}

extension HealthNote.DoctorReading: Codable {
  /// Notes from rapport 0.1 store sentences and kinds separately.
  public init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      self.init(kind: text, text: text)
      return
    }
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      kind: try container.decode(String.self, forKey: .kind),
      isUrgent: try container.decodeIfPresent(Bool.self, forKey: .isUrgent) ?? false,
      text: try container.decode(String.self, forKey: .text))
  }

  /// - Parameter written: A kind as rapport 0.1 wrote it, with `/urgent` at the end if it was.
  package mutating func name(_ written: String) {
    isUrgent = written.hasSuffix("/urgent")
    kind = isUrgent ? String(written.dropLast("/urgent".count)) : written
  }
}
