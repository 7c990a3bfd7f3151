internal import Synchronization

/// How to read an export.
public struct HealthReadOptions: Sendable {
  /// Whole days to look back.
  public var days = 90
  /// The last day; if nil, the day before the export was made.
  public var until: Day?
  /// Seconds since 1970 by the caller's clock: an export date in the future is rejected.
  public var now: Int

  public static let allowedDays = HealthWindow.days

  public init(now: Int) { self.now = now }
}

/// A reading's progress, and whether to continue. Shared with an observer.
public final class HealthReadProgress: Sendable {
  private let bytes = Atomic(0)
  private let all = Atomic(0)
  private let isStopped = Atomic(false)
  private let report: (@Sendable (_ bytesRead: Int, _ share: Double?) -> Void)?

  /// - Parameter report: Called on the reading thread for each further block of the file, with
  ///   ``bytesRead`` and ``share``.
  public init(report: (@Sendable (_ bytesRead: Int, _ share: Double?) -> Void)? = nil) {
    self.report = report
  }

  /// The share of the file that was read; nil if its size is unknown.
  public var share: Double? {
    let all = all.load(ordering: .relaxed)
    guard all > 0 else { return nil }
    return min(1, Double(bytes.load(ordering: .relaxed)) / Double(all))
  }

  /// Bytes of the file, before unpacking.
  public var bytesRead: Int { bytes.load(ordering: .relaxed) }

  /// Stops the reading soon, with ``HealthReadError/Reason/cancelled``.
  public func cancel() { isStopped.store(true, ordering: .relaxed) }

  var isCancelled: Bool { isStopped.load(ordering: .relaxed) }

  func begin(all: Int?) {
    self.all.store(all ?? 0, ordering: .relaxed)
    bytes.store(0, ordering: .relaxed)
  }

  func came(to count: Int) {
    bytes.store(count, ordering: .relaxed)
    report?(count, share)
  }
}

/// An Apple Health export: `export.zip`, `export.xml`, or its folder.
///
/// Reads it once from start to end, in constant memory. Nothing is unpacked to disk, and nothing
/// that the file names is opened or fetched.
public struct HealthExport: Sendable {
  public let path: String

  public init(_ path: String) { self.path = path }

  /// Opens it and checks its start, so that a wrong file is reported at once.
  ///
  /// - Throws: ``HealthReadError``.
  public func check() throws(HealthReadError) {
    if !OpenFile.isNamedPipe(path) { _ = try HealthInput(path) }
  }

  /// Reads everything and returns the snapshot.
  ///
  /// Invalid records are counted in ``HealthSnapshot/leftOut`` and are not errors; nor is an export
  /// without records.
  /// - Throws: ``HealthReadError``.
  public func snapshot(
    _ options: HealthReadOptions, progress: HealthReadProgress = HealthReadProgress()
  ) throws(HealthReadError) -> HealthSnapshot {
    try read(options, progress: progress).snapshot
  }

  /// Reads the window's workouts, by time. Those that two devices recorded are there once.
  ///
  /// - Throws: ``HealthReadError``.
  public func workouts(
    _ options: HealthReadOptions, progress: HealthReadProgress = HealthReadProgress()
  ) throws(HealthReadError) -> [HealthWorkout] {
    try read(options, progress: progress).workouts
  }

  private func read(
    _ options: HealthReadOptions, progress: HealthReadProgress
  ) throws(HealthReadError) -> ExportReading.Result {
    let input = try HealthInput(path)
    let reading = ExportReading(name: path, options: options, progress: progress)
    progress.begin(all: input.size)
    let again = { () throws(HealthReadError) -> any ByteSource in try input.source(progress) }
    do throws(HealthReadError) {
      return try reading.read(again(), again: input.canBeReadAgain ? again : nil)
    } catch {
      throw input.canBeReadAgain ? error.located(in: try? again(), progress) : error
    }
  }
}

/// One workout.
public struct HealthWorkout: Hashable, Sendable {
  /// Such as `running`.
  public var type: String
  /// Where it was recorded.
  public var day: Day
  /// Seconds since 1970.
  public var begins: Int
  public var ends: Int
  public var minutes: Double
  public var kilometers: Double?

  public init(
    type: String, day: Day, begins: Int, ends: Int, minutes: Double, kilometers: Double? = nil
  ) {
    (self.type, self.day, self.begins, self.ends) = (type, day, begins, ends)
    (self.minutes, self.kilometers) = (minutes, kilometers)
  }

  init(_ record: WorkoutRecord) {
    self.init(
      type: record.type, day: record.start.day, begins: record.start.instant, ends: record.end,
      minutes: record.minutes, kilometers: record.kilometres.flatMap { $0 > 0 ? $0 : nil })
  }
}

extension HealthReadError {
  /// Adds the line to the error, counted only now.
  fileprivate func located(
    in source: (any ByteSource)?, _ progress: HealthReadProgress
  ) -> HealthReadError {
    guard let byte, let source else { return self }
    let capacity = 256 << 10
    let place = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    defer { place.deallocate() }
    var (line, left) = (1, byte - 1)
    while left > 0, !progress.isCancelled,
      let count = try? source.read(into: place, min(capacity, left)), count > 0
    {
      line += UnsafeRawBufferPointer(start: place, count: count).reduce(0) {
        $0 + ($1 == 0x0A ? 1 : 0)
      }
      left -= count
    }
    var located = self
    located.line = left == 0 ? line : nil
    return located
  }
}
