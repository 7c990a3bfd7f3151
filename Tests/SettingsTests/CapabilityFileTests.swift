import FoundationEssentials
import Glibc
import LanguageModels
import Settings
import Testing

struct CapabilityFileTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/rapport-models-\(UUID())"
  private var file: CapabilityFile { CapabilityFile(path: folder + "/models.json") }

  private let learnt = CapabilityMemory.Snapshot(entries: [
    .init(
      baseURL: "http://127.0.0.1:1/v1", model: "m",
      capabilities: ModelCapabilities(refused: [.maxTokens, .jsonSchema]))
  ])

  @Test func whatWasLearntComesBack() {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(file.load().entries.isEmpty)
    file.save(learnt)
    #expect(file.load() == learnt)
    var status = stat()
    #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func afterAMonthItIsFoundOutAnew() {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    file.save(learnt)
    let past = time(nil) - CapabilityFile.longestAge - 1
    var times = [timespec(tv_sec: past, tv_nsec: 0), timespec(tv_sec: past, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, file.path, &times, 0) == 0)
    #expect(file.load().entries.isEmpty)
  }

  @Test(arguments: [
    "", "not json", "{}", #"[{"model":1},{"baseURL":"u","model":"m","refused":["new"]}]"#,
  ])
  func anyOtherContentIsNoHarm(text: String) throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    file.save(learnt)
    try text.write(toFile: file.path, atomically: true, encoding: .utf8)
    #expect(file.load().entries.allSatisfy { $0.capabilities.refused.isEmpty })
  }
}
