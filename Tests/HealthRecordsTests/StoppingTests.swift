import Foundation
import Glibc
import Testing

@testable import HealthRecords

/// A reading ends when it is told to, whatever it waits for or works at.
struct StoppingTests {
  private static let bytes = Array(
    export(record("BodyMass", "80", unit: "kg", start: "2026-01-10 07:00:00 +0100")).utf8)

  /// A named pipe of its own.
  private final class NamedPipe {
    let path: String

    init() throws {
      path =
        FileManager.default.temporaryDirectory.path
        + "/rapport-pipe-\(UInt64.random(in: 0 ... .max))"
      try #require(mkfifo(path, 0o600) == 0)
    }

    deinit { unlink(path) }
  }

  private func reason(
    _ path: String, _ progress: HealthReadProgress
  ) throws -> HealthReadError.Reason {
    try #require(throws: HealthReadError.self) {
      try HealthExport(path).snapshot(options(), progress: progress)
    }.reason
  }

  @Test func aPipeThatNobodyWritesToIsLeft() throws {
    let pipe = try NamedPipe()
    let progress = HealthReadProgress()
    try HealthExport(pipe.path).check()
    Thread.detachNewThread { progress.cancel() }
    #expect(try reason(pipe.path, progress) == .cancelled)
  }

  @Test func aPipeThatStandsStillIsLeft() throws {
    let pipe = try NamedPipe()
    // For both, so that it never comes to its end.
    let other = open(pipe.path, O_RDWR)
    defer { close(other) }
    let head = Array("<HealthData>".utf8)
    #expect(write(other, head, head.count) == head.count)
    let progress = HealthReadProgress()
    Thread.detachNewThread {
      while progress.bytesRead == 0 { sched_yield() }
      progress.cancel()
    }
    #expect(try reason(pipe.path, progress) == .cancelled)
    #expect(progress.bytesRead == head.count)
  }

  @Test func aPipeIsReadToItsEndWheneverItsWriterComes() throws {
    for _ in 0..<20 {
      let pipe = try NamedPipe()
      let path = pipe.path
      Thread.detachNewThread {
        let descriptor = open(path, O_WRONLY)
        for byte in Self.bytes {
          _ = withUnsafeBytes(of: byte) { write(descriptor, $0.baseAddress, 1) }
        }
        close(descriptor)
      }
      let found = try HealthExport(path).snapshot(options())
      #expect(found.series[.bodyMass]?.latest == 80)
    }
  }

  @Test func nothingIsPutTogetherOnceItIsCancelled() throws {
    /// Cancels with its last byte.
    final class LastByte: ByteSource {
      let inner = MemorySource(StoppingTests.bytes)
      let progress: HealthReadProgress
      var taken: Int { inner.taken }
      init(_ progress: HealthReadProgress) { self.progress = progress }
      func read(into target: UnsafeMutableRawPointer, _ capacity: Int) -> Int {
        let count = inner.read(into: target, capacity)
        if count == 0 { progress.cancel() }
        return count
      }
    }
    let progress = HealthReadProgress()
    let reading = ExportReading(name: "export.xml", options: options(), progress: progress)
    let error = #expect(throws: HealthReadError.self) {
      try reading.read(LastByte(progress))
    }
    #expect(error?.reason == .cancelled)
  }

  @Test func onlyWhatIsKeptOneByOneTakesRoom() throws {
    let time = "2026-01-10 07:00:00 +0100"
    let elements =
      (50..<90).map { record("HeartRate", "\($0)", unit: "count/min", start: time) }.joined()
      + record("RestingHeartRate", "55", unit: "count/min", start: time)
      + record("HeartRateVariabilitySDNN", "45", unit: "ms", start: time)
      + record("StepCount", "5", start: time) + record("BodyMass", "80", unit: "kg", start: time)
      + sleep("AsleepCore", "2026-01-10 23:00:00 +0100", "2026-01-11 06:00:00 +0100")
    let collector = RecordCollector()
    collector.begin(
      in: HealthWindow(days: 90, until: nil, end: ZonedTime(instant: 1_769_940_000, offset: 0)))
    let scanner = try Scanner(collector, name: "export.xml")
    scanner.setWindow(try #require(collector.records?.window))
    let feeder = Feeder(
      source: MemorySource(Array(export(elements).utf8)), name: "export.xml",
      progress: HealthReadProgress())
    #expect(try feeder.feed(scanner) == .finished)
    #expect(collector.records?.kept == 3)
  }
}
