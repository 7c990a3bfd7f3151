import Foundation
import Glibc
import TestSupport
import Testing

/// How much memory `rapport health` takes, measured on the whole program by GNU time.
@Suite(
  .serialized, .integration,
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/time"), "needs GNU time"))
struct HealthLimitTests {
  /// The exit status and the most memory that a run had, in MiB.
  private func run(_ arguments: [String], in household: Household) throws -> (Int32, Double) {
    let result = try household.run(
      arguments, shell: "exec /usr/bin/time -o peak -f %M \"$0\" \"$@\"")
    let written = try String(contentsOfFile: household.folder + "/peak", encoding: .utf8)
    let last = try #require(written.split(separator: "\n").last.flatMap { Double($0) })
    return (result.status, last / 1024)
  }

  /// What the program takes to say that a file is empty, which is more where it is not optimized.
  private func base(_ household: Household) throws -> Double {
    try household.write("<HealthData/>", to: "least.xml")
    return try run(["health", household.folder + "/least.xml"], in: household).1
  }

  private static func named() throws -> [Case] {
    try CaseFile("hostile-cases").cases.filter {
      $0["surface"]?.string == "health-export" && $0["check"]?["maxMiB"] != nil
        && $0.name != "health-size-116MB"
    }
  }

  @Test func theCasesThatNameALimitAreKnown() throws {
    #expect(
      try Self.named().map(\.name).sorted()
        == ["health-billion-laughs", "health-huge-attribute", "health-quadratic-blowup"])
  }

  @Test(arguments: try named())
  func aCaseStaysWithinItsMemory(_ example: Case) throws {
    let household = try Household()
    let file = URL(filePath: household.folder + "/export.xml")
    try Data(try #require(example.input)).write(to: file)
    let (status, mebibytes) = try run(["health", file.path], in: household)
    #expect(status == 65)
    #expect(mebibytes <= (example["check"]?["maxMiB"]?.double ?? 0))
    // What is refused at its beginning takes no more than nothing at all.
    #expect(try mebibytes - base(household) < 8)
  }

  /// The case of 116 MB, written here: half a million records.
  @Test func aLargeExportIsReadAsAStream() throws {
    let household = try Household()
    let folder = household.folder
    let records = (0..<1000).map { index in
      let time = "2026-01-\(10 + index % 20) 07:\(10 + index % 50):00 +0100"
      return
        " <Record type=\"HKQuantityTypeIdentifierHeartRate\" sourceName=\"Ana\u{2019}s Watch\" "
        + "sourceVersion=\"11.3.1\" unit=\"count/min\" creationDate=\"\(time)\" "
        + "startDate=\"\(time)\" endDate=\"\(time)\" value=\"\(60 + index % 30)\"/>\n"
    }.joined()
    let text =
      "<HealthData>\n" + String(repeating: records, count: 500) + "</HealthData>\n"
    try household.write(text, to: "export.xml")
    let (status, mebibytes) = try run(["health", folder + "/export.xml"], in: household)
    #expect(text.utf8.count > 110_000_000)
    #expect(status == 0 && mebibytes <= 64)
  }

  /// As many single records as are allowed, one after the other and all at once.
  @Test(.enabled(if: Soak.isOn, "runs in the soak tests"), arguments: [false, true])
  func asMuchAsIsAllowedFits(isAtOnce: Bool) throws {
    let household = try Household()
    let (count, sources) = (1_000_000, ["Watch", "iPhone", "Strider"])
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
    var text = "<HealthData><ExportDate value=\"2026-02-01 10:00:00 +0000\"/>\n"
    text.reserveCapacity(count * 150)
    for index in 0..<count {
      let day = "2026-01-" + two(isAtOnce ? 10 : 1 + index % 31)
      let minute = "\(day) 00:" + two(index % 47) + ":" + two(index % 59)
      let end = isAtOnce ? "\(day) 2\(index % 4):" + two(index % 53) + ":00" : minute
      text += "<Record type=\"HKQuantityTypeIdentifierStepCount\" unit=\"count\" "
      text += "sourceName=\"\(sources[index % 3])\" value=\"\(index % 100)\" "
      text += "startDate=\"\(minute) +0000\" endDate=\"\(end) +0000\"/>\n"
    }
    try household.write(text + "</HealthData>", to: "export.xml")
    let (status, mebibytes) = try run(["health", household.folder + "/export.xml"], in: household)
    #expect(status == 0)
    #if DEBUG
      // Code that is not optimized copies the samples, 16 MB, where they are handed on.
      let room = 48.0
    #else
      // The program begins with some 29 MiB.
      let room = 34.0
    #endif
    #expect(try mebibytes - base(household) <= room)
  }
}
