import Foundation
import Glibc

@testable import HealthRecords

/// 22 November 2026: later than everything in these tests.
let testNow = 1_795_305_600

func options(days: Int = 90, until: String? = nil, now: Int = testNow) -> HealthReadOptions {
  var options = HealthReadOptions(now: now)
  options.days = days
  options.until = until.flatMap { Day($0) }
  return options
}

/// What the bytes of an export come to, without a file.
func snapshot(
  _ bytes: [UInt8], _ options: HealthReadOptions = options(), pieces: [Int] = []
) throws(HealthReadError) -> HealthSnapshot {
  let reading = ExportReading(name: "export.xml", options: options, progress: HealthReadProgress())
  let again = { () throws(HealthReadError) -> any ByteSource in MemorySource(bytes) }
  let source: any ByteSource =
    pieces.isEmpty ? MemorySource(bytes) : PiecewiseSource(MemorySource(bytes), sizes: pieces)
  return try reading.read(source, again: again).snapshot
}

func snapshot(
  of elements: String, _ chosen: HealthReadOptions = options(),
  date: String = "2026-02-01 10:00:00 +0000"
) throws(HealthReadError) -> HealthSnapshot {
  try snapshot(Array(export(elements, date: date).utf8), chosen)
}

/// The same, or the error in words: what two ways of reading have to agree on.
func outcome(
  _ bytes: [UInt8], _ options: HealthReadOptions = options(), pieces: [Int] = []
) -> String {
  do {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    let json = try encoder.encode(snapshot(bytes, options, pieces: pieces))
    return String(decoding: json, as: UTF8.self)
  } catch {
    return "\(error)"
  }
}

/// Made on 1 February 2026 at ten.
func export(_ elements: String, date: String = "2026-02-01 10:00:00 +0000") -> String {
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<HealthData locale=\"en_GB\">\n"
    + " <ExportDate value=\"\(date)\"/>\n" + elements + "</HealthData>\n"
}

func record(
  _ type: String, _ value: String, unit: String = "count", source: String = "iPhone",
  start: String, end: String? = nil, device: String? = nil, inner: String = ""
) -> String {
  let name = type.hasPrefix("HK") ? type : "HKQuantityTypeIdentifier" + type
  let made = device.map { " device=\"\($0)\"" } ?? ""
  let tag =
    " <Record type=\"\(name)\" sourceName=\"\(source)\"\(made) unit=\"\(unit)\" "
    + "startDate=\"\(start)\" endDate=\"\(end ?? start)\" value=\"\(value)\""
  return tag + (inner.isEmpty ? "/>\n" : ">\n\(inner)</Record>\n")
}

func sleep(_ state: String, _ start: String, _ end: String, source: String = "Watch") -> String {
  " <Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"\(source)\" "
    + "startDate=\"\(start)\" endDate=\"\(end)\" value=\"HKCategoryValueSleepAnalysis\(state)\"/>\n"
}

func workout(
  _ type: String, _ start: String, _ end: String, source: String = "Watch",
  attributes: String = "", inner: String = ""
) -> String {
  " <Workout workoutActivityType=\"HKWorkoutActivityType\(type)\" sourceName=\"\(source)\" "
    + "\(attributes) startDate=\"\(start)\" endDate=\"\(end)\">\n\(inner)</Workout>\n"
}

/// A day in the ninety before 1 February 2026, counted from 0 (3 November 2025).
func day(_ index: Int) -> String { (Day("2025-11-03").map { $0 + index })?.description ?? "" }

/// A file of its own, gone with the last reference to it.
final class TemporaryFile {
  let path: String

  init(_ bytes: [UInt8], name: String = "export") throws {
    let folder = FileManager.default.temporaryDirectory.path
    path = "\(folder)/rapport-\(name)-\(UInt64.random(in: .min ... .max))"
    try Data(bytes).write(to: URL(filePath: path))
  }

  deinit { unlink(path) }
}
