internal import CHealthScan
internal import Glibc

/// One pass over an export, or two if it does not tell when it was made.
struct ExportReading {
  let name: String
  let options: HealthReadOptions
  let progress: HealthReadProgress

  /// Bytes passed to the scanner at a time: enough to fit a core's cache.
  static let blockSize = 256 << 10

  struct Result {
    var snapshot: HealthSnapshot
    var workouts: [HealthWorkout]
  }

  /// - Parameter again: The same bytes from the start; nil if they can be read only once.
  func read(
    _ source: any ByteSource, again: (() throws(HealthReadError) -> any ByteSource)? = nil
  ) throws(HealthReadError) -> Result {
    let collector = RecordCollector()
    let scanner = try Scanner(collector, name: name)
    try read(source, scanner, again: again)
    if collector.records == nil {
      collector.begin(in: try window(for: collector, again: nil))
    }
    noteDamage(scanner, collector)
    guard let records = collector.records.take() else { throw HealthReadError(name, .cancelled) }
    var builder = SnapshotBuilder(
      records, profile: profile(collector), counts: scanner.counts,
      exportedOn: exportDate(collector)?.day, checkpoint: checkpoint)
    let snapshot = try builder.snapshot()
    return Result(snapshot: snapshot, workouts: builder.workouts.map { HealthWorkout($0) })
  }

  private func checkpoint() throws(HealthReadError) {
    if progress.isCancelled { throw HealthReadError(name, .cancelled) }
  }

  /// Releases the source and its buffers at the end.
  private func read(
    _ source: any ByteSource, _ scanner: Scanner,
    again: (() throws(HealthReadError) -> any ByteSource)?
  ) throws(HealthReadError) {
    let feeder = Feeder(source: source, name: name, progress: progress)
    if try feeder.feed(scanner) == .windowWanted {
      let window = try window(for: scanner.collector, again: again)
      scanner.collector.begin(in: window)
      scanner.setWindow(window)
      _ = try feeder.feed(scanner)
    }
  }

  /// Nil if missing, unreadable or in the future.
  private func exportDate(_ collector: RecordCollector) -> ZonedTime? {
    collector.exportDate.flatMap { $0.instant <= options.now ? $0 : nil }
  }

  /// The person's age today, regardless of the window.
  private func profile(_ collector: RecordCollector) -> HealthProfile {
    let today = ZonedTime(instant: options.now, offset: 0).day
    return HealthProfile(
      birthDate: collector.birthDate, sex: collector.sex,
      on: max(today, exportDate(collector)?.day ?? today))
  }

  private func noteDamage(_ scanner: Scanner, _ collector: RecordCollector) {
    let kinds: [(hs_element, String)] = [
      (HS_RECORD, "record"), (HS_WORKOUT, "workout"), (HS_STATISTICS, "figure of a workout"),
      (HS_SUMMARY, "sums of a day"), (HS_ME, "profile"), (HS_EXPORT_DATE, "date of the export"),
    ]
    for (element, what) in kinds {
      collector.leaveOut(what, .malformed, count: hs_malformed(scanner.state, element))
    }
    if let written = collector.writtenExportDate, exportDate(collector) == nil {
      collector.leaveOut(
        "date of the export", collector.exportDate == nil ? .date : .future, count: 1,
        example: written)
    }
  }

  /// Days up to the export date. Without a plausible one, up to the latest record; if the file
  /// cannot be read twice for that, up to now.
  private func window(
    for collector: RecordCollector, again: (() throws(HealthReadError) -> any ByteSource)?
  ) throws(HealthReadError) -> HealthWindow {
    let now = ZonedTime(instant: options.now, offset: 0)
    var end = now
    if let date = exportDate(collector) {
      end = date
    } else if let again, let latest = try latestDay(again(), limit: now) {
      // The end of that day in any time zone.
      let instant = min((latest + 1).number * 86_400, options.now)
      end = ZonedTime(instant: instant, offset: latest.number * 86_400 - instant)
    }
    return HealthWindow(days: options.days, until: options.until, end: end)
  }

  private func latestDay(
    _ source: any ByteSource, limit: ZonedTime
  ) throws(HealthReadError) -> Day? {
    let scanner = try Scanner(RecordCollector(), name: name)
    scanner.findLatest(before: limit)
    _ = try Feeder(source: source, name: name, progress: progress).feed(scanner)
    return scanner.latestDay
  }
}

/// The C scanner, with its callbacks.
final class Scanner {
  let state: OpaquePointer
  let collector: RecordCollector
  let name: String

  init(_ collector: RecordCollector, name: String) throws(HealthReadError) {
    let consumer = hs_consumer(
      context: Unmanaged.passUnretained(collector).toOpaque(),
      begin: { context, tag in
        guard let context, let tag else { return 1 }
        let collector = Unmanaged<RecordCollector>.fromOpaque(context).takeUnretainedValue()
        return collector.begin(Tag(pointer: tag)) ? 0 : 1
      },
      end: { context, element in
        guard let context else { return 1 }
        let collector = Unmanaged<RecordCollector>.fromOpaque(context).takeUnretainedValue()
        return collector.end(element) ? 0 : 1
      })
    guard let state = hs_create(consumer) else { throw HealthReadError(name, .outOfMemory) }
    (self.state, self.collector, self.name) = (state, collector, name)
  }

  deinit { hs_free(state) }

  var counts: hs_counts { hs_get_counts(state) }
  var latestDay: Day? { Day(String(cString: hs_latest_day(state)).prefix(10)) }

  /// Adds a day at both ends of the window, where a night can start. If the caller chose the last
  /// day, later records are not wanted; otherwise they are read, in order to report them as in the
  /// future.
  func setWindow(_ window: HealthWindow) {
    let last = window.endsByWish ? (window.last + 1).description : "9999-99-99"
    hs_set_window(state, (window.first + -1).description, last)
  }

  func findLatest(before limit: ZonedTime) {
    hs_find_latest(state, (limit.day + 1).description + " 00:00:00")
  }
}

/// Passes bytes from a source to the scanner.
final class Feeder {
  enum Outcome { case finished, windowWanted }

  private let source: any ByteSource
  private let name: String
  private let progress: HealthReadProgress
  private let buffer: UnsafeMutableRawPointer
  private let capacity = ExportReading.blockSize + Int(HS_TAG_LIMIT) + ExportReading.blockSize
  /// Buffered bytes that the scanner has not consumed, and their start.
  private var (start, held) = (0, 0)
  private var hasEnded = false

  init(source: any ByteSource, name: String, progress: HealthReadProgress) {
    (self.source, self.name, self.progress) = (source, name, progress)
    buffer = .allocate(byteCount: capacity + Int(HS_PADDING), alignment: 64)
  }

  deinit { buffer.deallocate() }

  func feed(_ scanner: Scanner) throws(HealthReadError) -> Outcome {
    while true {
      var consumed = 0
      let status = hs_feed(
        scanner.state, (buffer + start).assumingMemoryBound(to: UInt8.self), held,
        hasEnded ? 1 : 0, &consumed)
      start += consumed
      held -= consumed
      switch status {
      case HS_FINE: if hasEnded { return .finished }
      case HS_WINDOW_WANTED: return .windowWanted
      default: throw failure(status, scanner)
      }
      try refill()
    }
  }

  private func refill() throws(HealthReadError) {
    if progress.isCancelled { throw HealthReadError(name, .cancelled) }
    buffer.copyMemory(from: buffer + start, byteCount: held)
    start = 0
    let count = try source.read(into: buffer + held, ExportReading.blockSize)
    progress.came(to: source.taken)
    held += count
    hasEnded = count == 0
  }

  private func failure(_ status: hs_status, _ scanner: Scanner) -> HealthReadError {
    let named = String(cString: hs_error_name(scanner.state))
    let reason: HealthReadError.Reason =
      switch status {
      case HS_EMPTY: .empty
      case HS_TRUNCATED: .endsEarly(records: scanner.counts.records)
      case HS_AFTER_ROOT: .afterTheEnd
      case HS_ENTITY: .entity
      case HS_DEPTH: .tooDeep
      case HS_TAG_TOO_LONG: .tooLong("an element of more than 1 MiB")
      case HS_VALUE_TOO_LONG: .tooLong("a value of more than 64 KiB")
      case HS_NAME_TOO_LONG: .tooLong("an element's name of more than 255 bytes")
      case HS_DTD_TOO_LONG: .tooLong("a document type declaration of more than 1 MiB")
      case HS_BAD_NAME: .badName
      case HS_MISMATCH: .mismatch
      case HS_NOT_XML: .notXML
      case HS_OTHER_ROOT:
        named == "ClinicalDocument" ? .clinicalDocument : .otherDocument(root: named)
      case HS_ENCODING: .encoding(named)
      case HS_STOPPED:
        scanner.collector.limitMet.map { .tooMany(limit: $0) } ?? .cancelled
      default: .syntax
      }
    let isPlaceless = [HS_EMPTY, HS_ENCODING, HS_OTHER_ROOT, HS_STOPPED].contains(status)
    return HealthReadError(
      name, reason, byte: isPlaceless ? nil : hs_error_offset(scanner.state) + 1)
  }
}
