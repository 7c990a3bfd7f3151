import FoundationEssentials

extension HealthSnapshot {
  /// The largest accepted snapshot, in bytes.
  public static let longestText = 4 << 20

  /// Reads a snapshot made by another program or by `rapport health --json`.
  ///
  /// ``HealthSnapshot`` says what may be omitted. Findings for a doctor are made from the figures
  /// and never taken from the file.
  ///
  /// - Parameter today: Dates after tomorrow are rejected, which allows for clocks that are ahead.
  /// - Throws: ``HealthReadError`` with the place and what was expected.
  public static func reading(
    _ bytes: [UInt8], name: String, today: Day
  ) throws(HealthReadError) -> HealthSnapshot {
    func refusal(_ what: String) -> HealthReadError { HealthReadError(name, .snapshot(what)) }
    guard bytes.count <= longestText else { throw refusal("it is longer than 4 MiB") }
    var snapshot: HealthSnapshot
    do {
      let text = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(3) : bytes[...]
      snapshot = try JSONDecoder().decode(HealthSnapshot.self, from: Data(text))
    } catch let error as DecodingError {
      throw refusal(error.inWords)
    } catch {
      throw refusal("it is not valid JSON")
    }
    snapshot.nameWorkouts()
    if let problem = SnapshotCheck(snapshot: snapshot, today: today).problem {
      throw refusal(problem)
    }
    snapshot.completeFindings()
    return snapshot
  }

  /// The bytes of a file that starts like JSON; nil for anything else, such as an export.
  public static func text(at path: String) throws(HealthReadError) -> [UInt8]? {
    // A pipe can be opened and read only once, by the caller.
    guard OpenFile.isRegular(path) ?? true else { return nil }
    let file = try OpenFile(path)
    guard file.isRegular else { return nil }
    let head = try file.bytes(at: 0, 64)
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    let first = head.first { !blanks.contains($0) && !byteOrderMark.contains($0) }
    guard first == UInt8(ascii: "{") else { return nil }
    return Array(try file.bytes(at: 0, min(file.size, longestText + 1)))
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Cuts the types of workouts that are too long, and leaves out those that are not names.
  private mutating func nameWorkouts() {
    guard let given = workouts?.types else { return }
    var types: [WorkoutSummary.Kind] = []
    for var kind in given {
      kind.type = WorkoutType.fitting(kind.type)
      if WorkoutType.isName(kind.type) {
        types.append(kind)
      } else {
        leftOut.append(LeftOut(what: "workout", reason: .malformed, count: kind.count))
      }
    }
    workouts?.types = types
  }

  /// Never takes doctor's findings from the file, whatever it claims.
  private mutating func completeFindings() {
    let made = FindingsWriter(snapshot: self, daily: [:]).findings()
    let others = findings.filter { !$0.isForDoctor && !$0.kind.isForDoctor }
    findings = others.isEmpty ? made : made.filter(\.isForDoctor) + others
    if profile.isMinor { findings.removeAll { HealthFinding.Kind.forAdults.contains($0.kind) } }
  }
}

extension HealthFinding {
  /// Mentions weight or calories, which is not for everyone.
  public var isSensitive: Bool { kind.isSensitive || text.contains(HealthWords.calories) }
}

extension HealthFinding.Kind {
  /// Not mentioned to someone who is growing.
  static let forAdults: Set<Self> = [
    .weightLevel, .weightFell, .weightRose, .weightFellFast, .sleepLength, .sleepShort,
    .sleepIrregular, .timeInBed, .strain,
  ]

  /// A doctor should see it.
  var isForDoctor: Bool {
    [.bloodPressureHigh, .restingHeartRateHigh, .weightFellFast].contains(self)
  }

  /// It mentions weight.
  public var isSensitive: Bool {
    [.weightLevel, .weightFell, .weightRose, .weightFellFast].contains(self)
  }
}

extension DecodingError {
  fileprivate var inWords: String {
    switch self {
    case .keyNotFound(let key, let context):
      "\(place(context.codingPath + [key])) is missing"
    case .typeMismatch(let type, let context):
      "\(place(context.codingPath)) should be \(Self.noun(type))"
    case .valueNotFound(let type, let context):
      "\(place(context.codingPath)) should be \(Self.noun(type)), but is null"
    case .dataCorrupted(let context):
      context.codingPath.isEmpty
        ? "it is not a complete JSON object"
        : "\(place(context.codingPath)): \(Self.words(of: context))"
    @unknown default: "it has an unexpected form"
    }
  }

  /// The library's own words for a name that is not known repeat it.
  private static func words(of context: Context) -> String {
    context.debugDescription.hasPrefix("Cannot initialize")
      ? "unknown value" : context.debugDescription
  }

  private func place(_ path: [any CodingKey]) -> String {
    path.map { "/" + ($0.intValue.map(String.init) ?? String($0.stringValue.prefix(40))) }.joined()
  }

  private static func noun(_ type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Int.Type: "a whole number"
    case is Double.Type: "a number"
    case is Bool.Type: "true or false"
    case is [Int].Type: "a list of whole numbers"
    case is [Any].Type: "a list"
    default: "\(type)".hasPrefix("Array") ? "a list" : "an object"
    }
  }
}
