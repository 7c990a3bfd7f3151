import CHealthScan
import Foundation
import TestSupport
import Testing

@testable import HealthRecords

/// What holds for all input, not for some.
@Suite(.serialized, .slow)
struct ReadingPropertyTests {
  /// Small exports with everything in them that the reading knows.
  static func samples() throws -> [[UInt8]] {
    let cases = try CaseFile("hostile-cases").cases.filter {
      $0["surface"]?.string == "health-export"
    }
    return cases.compactMap(\.input).filter { $0.count < 20_000 } + [Array(rich.utf8)]
      + heads.map { Array($0.utf8) }
  }

  /// Beginnings and ends, whole and broken: what is decided on few bytes.
  private static let heads: [String] = {
    let rest = "<HealthData><ExportDate value=\"2026-02-01 10:00:00 +0000\"/></HealthData>"
    let declarations = [
      "SYSTEM \"a>b\">", "SYSTEM 'a>b' [<!ELEMENT a (b)> <!-- ' ]> --> ]>",
      "[\n<!ELEMENT Sam's (a)\n<!ATTLIST a b CDATA \"c]>d\">\n<?p ' ?>\n]  >", "[ \"]>",
      "[<!ATTLIST a b '<!ENTITY'> ]>", "SYSTEM \"a", "[<!ENTITY x 'y'>]>", "[]]]>",
    ]
    let starts = [
      "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>", "<?xml version='1.0' encoding='utf-8' ?>",
      "\u{FEFF}<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>", "\u{FEFF}", "\u{FEFF}<?xm ?>",
      "<?xml-stylesheet encoding=\"ISO-8859-1\"?>", "\n<?xml encoding=\"ISO-8859-1\"?>", "<?xml",
      "<?xml version", "<", "<\"", "<\"abc", "<a b=\"", "<!", "<!-", "<!D", "<!-- a --", "</",
      "\u{0}\u{0}<", "<\u{0}H",
    ]
    return starts.flatMap { [$0, $0 + rest, rest + $0] }
      + declarations.flatMap { ["<!DOCTYPE HealthData " + $0 + rest, "<!DOCTYPE x " + $0] }
  }()

  static let rich = export(
    """
     <Me HKCharacteristicTypeIdentifierDateOfBirth='1987-03-14' HKCharacteristicTypeIdentifierBiologicalSex = "HKBiologicalSexFemale"/>
     <!-- a comment > with <tags> & "quotes" -->
     <?target some data ?>
     <![CDATA[ <Record> ]]>

    """
      + record(
        "StepCount", "120", start: "2026-01-10 08:00:00 +0100", end: "2026-01-10 08:10:00 +0100")
      + record(
        "StepCount", "1&#48;0", source: "Tom&apos;s &lt;Watch&gt;",
        start: "2026-01-10 08:05:00 +0100",
        end: "2026-01-10 08:20:00 +0100", inner: "  <MetadataEntry key=\"k\" value=\"a > b\"/>\n")
      + record(
        "BodyMass", "81.5", unit: "kg", start: "2026-01-10 07:00:00 +0545",
        inner: "<MetadataEntry key=\"HKWasUserEntered\" value=\"1\"/>")
      + sleep("AsleepCore", "2026-01-10 23:00:00 +0100", "2026-01-11 06:00:00 +0100")
      + workout(
        "Running", "2026-01-12 07:00:00 +0100", "2026-01-12 07:40:00 +0100",
        attributes: "duration=\"40\" durationUnit=\"min\"",
        inner: "<WorkoutStatistics type=\"HKQuantityTypeIdentifierDistanceWalkingRunning\" "
          + "sum=\"8.1\" unit=\"km\"/>"))

  @Test func everyCutGivesTheSame() throws {
    for bytes in try Self.samples() {
      let whole = outcome(bytes)
      for size in [1, 2, 3, 7, 16, 63, 64, 65, 1000] {
        #expect(outcome(bytes, pieces: [size]) == whole, "pieces of \(size)")
      }
    }
  }

  @Test func howMuchComesFirstChangesNothing() throws {
    for bytes in try Self.samples() {
      let whole = outcome(bytes)
      for size in 1...8 {
        // The first piece is the second of the list.
        #expect(outcome(bytes, pieces: [1 << 20, size]) == whole, "\(size) first")
      }
      for cut in bytes.indices where bytes.count < 400 && cut > 0 {
        #expect(outcome(bytes, pieces: [1 << 20, cut]) == whole, "cut at \(cut)")
      }
    }
  }

  @Test func randomCutsGiveTheSame() throws {
    var random = SeededGenerator(seed: 5)
    for bytes in try Self.samples() {
      let whole = outcome(bytes)
      for _ in 0..<10 {
        let pieces = (0..<32).map { _ in Int.random(in: 1...200, using: &random) }
        #expect(outcome(bytes, pieces: pieces) == whole)
      }
    }
  }

  @Test func theQuickAndTheCarefulReadingAgree() throws {
    defer { hs_use_vectors(1) }
    var random = SeededGenerator(seed: 17)
    for bytes in try Self.samples() {
      for round in 0..<Soak.rounds(12, soak: 2_000) {
        let text = round == 0 ? bytes : mutated(bytes, &random)
        hs_use_vectors(1)
        let quick = outcome(text)
        hs_use_vectors(0)
        #expect(outcome(text) == quick, "\(String(decoding: text, as: UTF8.self))")
      }
    }
  }

  /// Bytes changed, left out, doubled and put elsewhere never end the process, and what is written
  /// in the end can be read again.
  @Test func damagedExportsAreReadOrRefused() throws {
    var random = SeededGenerator(seed: 23)
    let samples = try Self.samples()
    for _ in 0..<Soak.rounds(1_000, soak: 300_000) {
      let sample = samples.randomElement(using: &random) ?? []
      let text = mutated(sample, &random)
      guard let read = try? snapshot(text, pieces: [Int.random(in: 1...300, using: &random)]) else {
        continue
      }
      let json = try JSONEncoder().encode(read)
      #expect(try JSONDecoder().decode(HealthSnapshot.self, from: json) == read)
    }
  }

  private func mutated(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0...Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
      let at = Int.random(in: 0..<bytes.count, using: &random)
      let length = min(Int.random(in: 1...20, using: &random), bytes.count - at)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[at] = Self.special.randomElement(using: &random) ?? 0
      case 2: bytes.removeSubrange(at..<(at + length))
      case 3: bytes.insert(contentsOf: bytes[at..<(at + length)], at: at)
      default:
        let other = Int.random(in: 0..<bytes.count, using: &random)
        bytes.insert(contentsOf: Array(bytes[at..<(at + length)]), at: other)
      }
    }
    return bytes
  }

  private static let special = Array("<>/\"'&=![]- ?\n\u{0}\u{B}".utf8)
}

/// How much memory a reading takes, measured in a separate process.
@Suite(.integration)
struct ReadingMemoryTests {
  /// Records without an end: memory must not grow with them.
  @Test func memoryStaysWhatItIs() async {
    await #expect(processExitsWith: .success) {
      let before = Self.peak
      let source = EndlessRecords(bytes: Soak.rounds(116, soak: 4_000) << 20)
      let reading = ExportReading(
        name: "export.xml", options: options(), progress: HealthReadProgress())
      let snapshot = try reading.read(source).snapshot
      #expect(snapshot.readings.records > 400_000)
      #expect(snapshot.series[.heartRate]?.readings == snapshot.readings.records / 2)
      #expect(Self.peak - before < 24 << 20)
    }
  }

  /// Of this process, in bytes.
  private static var peak: Int {
    var usage = rusage()
    let wholeProcess: Int32 = 0  // RUSAGE_SELF
    getrusage(wholeProcess, &usage)
    return Int(usage.ru_maxrss) * 1024
  }

  private final class EndlessRecords: ByteSource {
    private let head: [UInt8]
    private let block: [UInt8]
    private var left: Int
    private var isStarted = false
    private(set) var taken = 0

    init(bytes: Int) {
      head = Array(export("").replacing("</HealthData>\n", with: "").utf8)
      let new = record(
        "HeartRate", "61", unit: "count/min", source: "Watch", start: "2026-01-10 07:00:00 +0100",
        device: "&lt;&lt;HKDevice: 0x28&gt;, name:Apple Watch, manufacturer:Apple Inc.&gt;")
      let old = new.replacing("2026-01-10", with: "2019-01-10")
      block = Array(String(repeating: new + old, count: 300).utf8)
      left = bytes / block.count
    }

    func read(into target: UnsafeMutableRawPointer, _ capacity: Int) -> Int {
      let next = isStarted ? left > 0 ? block : left == 0 ? Array("</HealthData>".utf8) : [] : head
      if isStarted { left -= 1 }
      isStarted = true
      target.copyMemory(from: next, byteCount: next.count)
      taken += next.count
      return next.count
    }
  }
}
