import Foundation
import IncrementalJSON
import NIOHTTP1
import TestSupport
import Testing

@testable import RapportServer

@Suite(.serialized, .integration) struct HealthTests {
  /// Forty days of steps up to yesterday, as Apple writes them.
  private static func export() -> String {
    let format = Date.ISO8601FormatStyle().year().month().day()
    let records = (1...40).map { back -> String in
      let day = Date(timeIntervalSinceNow: -86_400 * Double(back)).formatted(format)
      return """
         <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Phone" unit="count" \
        startDate="\(day) 10:00:00 +0000" endDate="\(day) 11:00:00 +0000" value="\(6_000 + back)"/>
        """
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <HealthData locale="en_US">
       <ExportDate value="\(Date().formatted(format)) 08:00:00 +0000"/>
      \(records.joined(separator: "\n"))
      </HealthData>
      """
  }

  private func upload(_ text: String, _ client: Client) async throws -> (Int, String) {
    try await upload(Array(text.utf8), client)
  }

  private func upload(_ bytes: [UInt8], _ client: Client) async throws -> (Int, String) {
    try await client.send(.POST, "/health/export", [], body: bytes) {
      ($0.status, try await $0.text())
    }
  }

  @Test func anExportIsReadKeptAndUsedUntilThePersonOptsOut() async throws {
    let model = try await MockModel()
    let server = try await TestServer(TestFolder(), models: model.roles)
    let client = server.client
    #expect(try await client.json(.GET, "/health").json["state"] == "unasked")
    let (status, text) = try await upload(Self.export(), client)
    #expect(status == 201, "\(text)")
    let shown = try await client.json(.GET, "/health").json
    #expect(shown["state"] == "shared")
    #expect(shown["snapshot"]?["series"]?["steps"] != nil)

    let events = try await client.chat(["first_message": true])
    #expect(events.contains { $0["code"] == "health-noted" })

    // The same snapshot from an app.
    let snapshot = try #require(shown["snapshot"])
    #expect(try await client.json(.PUT, "/health", snapshot).status == 201)
    #expect(try await client.json(.DELETE, "/health").json["state"] == "declined")
    #expect(try await client.json(.GET, "/health").json["snapshot"] == nil)
    let later = try await client.chat(["first_message": true])
    #expect(!later.contains { $0["code"] == "health-noted" })
  }

  @Test(arguments: ["", "not an export", "<HealthData>", "PK\u{3}\u{4}", "{}"])
  func whatIsNoExportIsRefusedByName(text: String) async throws {
    let server = try await TestServer(TestFolder())
    let (status, answer) = try await upload(text, server.client)
    #expect(status == 422)
    #expect(answer.contains("health-unread") && !answer.contains("/proc"))
    #expect(try await server.client.json(.PUT, "/health", ["steps": 3]).status == 422)
    #expect(try await server.client.json(.GET, "/health").json["state"] == "unasked")
  }

  @Test(
    arguments: [
      ["from": "canary"], ["profile": ["sex": "canary"]], ["profile": "canary"],
    ] as [JSONValue])
  func aRefusedSnapshotIsntRepeated(members: JSONValue) async throws {
    let server = try await TestServer(TestFolder())
    let snapshot: JSONObject = [
      "version": 1, "from": "2026-08-20", "through": "2026-11-17", "days": 90,
    ]
    let json = (members.objectValue ?? [:]).reduce(into: snapshot) { $0[$1.name] = $1.value }
    let answer = try await server.client.json(.PUT, "/health", .object(json))
    #expect(answer.status == 422 && answer.code == "health-unread", "\(answer.text)")
    #expect(answer.json["error"]?["reason"] == "damaged")
    #expect(!answer.text.contains("canary"), "\(answer.text)")
  }
}

// Archives.
extension HealthTests {
  private static func archive(_ name: String, _ bytes: [UInt8]) -> Archive {
    Archive(name: name, packed: bytes, size: bytes.count, checksum: Archive.crc32(bytes))
  }

  /// The uploads that this process still has open: files without a name.
  private func openUploads() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
    }.filter { $0.contains(/\/rapport-\w{6} \(deleted\)$/) }
  }

  @Test func anArchiveIsReadThroughAFileWithoutAName() async throws {
    let server = try await TestServer(TestFolder())
    let archive = Self.archive("apple_health_export/export.xml", Array(Self.export().utf8))
    let (status, text) = try await upload(archive.bytes, server.client)
    #expect(status == 201, "\(text)")
    let shown = try await server.client.json(.GET, "/health").json
    #expect(shown["snapshot"]?["series"]?["steps"] != nil)
    #expect(try openUploads() == [])
  }

  @Test func hostileArchivesAreRefusedAndLeaveNothing() async throws {
    let xml = Array(Self.export().utf8)
    let whole = Self.archive("export.xml", xml)
    var encrypted = whole
    encrypted.flags = 1
    var strange = whole
    strange.method = 99
    var wrong = whole
    wrong.checksum ^= 1
    var endless = whole
    endless.size = 0xFFFF_FFF0
    var away = whole
    away.offset = 0x7FFF_FFFF
    // A real deflate stream: 200 MB of blanks in 1.3 MB.
    let bomb = Archive(
      name: "export.xml", packed: Archive.blanks(200 << 20), size: 200 << 20, checksum: 0, method: 8
    )
    let hostile: [(String, [UInt8])] = [
      ("climbs out", Self.archive("../../../../tmp/planted.xml", xml).bytes),
      ("absolute", Self.archive("/etc/cron.d/export.txt", xml).bytes),
      ("a name with a zero", Self.archive("export\u{0}.txt", xml).bytes),
      ("encrypted", encrypted.bytes), ("unknown method", strange.bytes),
      ("wrong checksum", wrong.bytes), ("says 4 GiB", endless.bytes),
      ("points elsewhere", away.bytes), ("bomb", bomb.bytes),
      ("archive in an archive", Self.archive("export.zip", whole.bytes).bytes),
      ("only the end", Array(whole.bytes.suffix(22))), ("cut", Array(whole.bytes.dropLast(30))),
      ("only the start", Array(whole.bytes.prefix(40))),
    ]
    let server = try await TestServer(TestFolder())
    for (name, bytes) in hostile {
      let (status, text) = try await upload(bytes, server.client)
      #expect(status == 422, "\(name): \(text.prefix(200))")
      #expect(text.contains("health-unread") && !text.contains("/proc"), "\(name)")
      #expect(try openUploads() == [], "\(name)")
    }
    #expect(!FileManager.default.fileExists(atPath: "/tmp/planted.xml"))
    #expect(try await server.client.json(.GET, "/health").json["state"] == "unasked")
    #expect(try await upload(whole.bytes, server.client).0 == 201)
  }

  @Test func anUploadBeyondTheLimitIsRefused() async throws {
    var options = ServerOptions.forTests
    options.largestUpload = 1 << 20
    let server = try await TestServer(TestFolder(), options: options)
    let most = try await upload([UInt8](repeating: 32, count: 1 << 20), server.client)
    #expect(most.0 == 422)
    let more = try? await upload([UInt8](repeating: 32, count: (1 << 20) + 1), server.client)
    #expect(more == nil || more?.0 == 413)
    #expect(try openUploads() == [])
    #expect(try await server.client.json(.GET, "/status").status == 200)
  }
}

/// A ZIP archive of one file, right or wrong as a test needs it.
private struct Archive {
  var name: String
  var packed: [UInt8]
  var size: Int
  var checksum: UInt32
  var method = 0
  var flags = 0
  var count = 1
  var offset = 0

  var bytes: [UInt8] {
    let name = Array(name.utf8)
    let common = numbers(
      (20, 2), (flags, 2), (method, 2), (0, 4), (Int(checksum), 4), (packed.count, 4), (size, 4),
      (name.count, 2), (0, 2))
    var file = numbers((0x0403_4B50, 4))
    file += common
    file += name
    file += packed
    var table = numbers((0x0201_4B50, 4), (20, 2))
    table += common
    table += numbers((0, 2), (0, 2), (0, 2), (0, 4), (offset, 4))
    table += name
    let end = numbers(
      (0x0605_4B50, 4), (0, 2), (0, 2), (count, 2), (count, 2), (table.count, 4), (file.count, 4),
      (0, 2))
    file += table
    return file + end
  }

  /// Each value in so many bytes, the lowest first.
  private func numbers(_ numbers: (value: Int, bytes: Int)...) -> [UInt8] {
    numbers.flatMap { number in
      (0..<number.bytes).map { UInt8(truncatingIfNeeded: number.value >> (8 * $0)) }
    }
  }

  static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 {
        let half = sum >> 1
        sum = sum & 1 == 0 ? half : half ^ 0xEDB8_8320
      }
    }
    return ~sum
  }

  /// So many blanks, deflated by hand (RFC 1951, fixed codes): one blank, then copies of 258 bytes.
  static func blanks(_ count: Int) -> [UInt8] {
    var (bytes, value, bits): ([UInt8], Int, Int) = ([], 0, 0)
    func put(_ code: Int, _ width: Int) {
      for bit in (0..<width).reversed() {
        value |= (code >> bit & 1) << bits
        bits += 1
        if bits == 8 {
          bytes.append(UInt8(value))
          (value, bits) = (0, 0)
        }
      }
    }
    put(0b1, 1)
    put(0b10, 2)  // Fixed codes, the lowest bit first.
    put(0x30 + 32, 8)
    for _ in 0..<(count / 258) {
      put(0b1100_0101, 8)
      put(0, 5)
    }
    put(0, 7)
    if bits > 0 { bytes.append(UInt8(value)) }
    return bytes
  }
}
