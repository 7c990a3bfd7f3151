import FoundationEssentials
import Testing

/// Starts the tests. Without this file the package manager looks for XCTest's classes, in an index
/// that takes a third of the compiler's time.
@main struct TestMain {
  static func main() async throws {
    // `swift test --filter` without its two options about libraries asks for XCTest's tests.
    guard !CommandLine.arguments.contains("--dump-tests-json") else { throw NoXCTest() }
    await Testing.__swiftPMEntryPoint() as Never
  }
}

struct NoXCTest: Error, CustomStringConvertible {
  var description: String { "No tests are XCTest's. CONTRIBUTING.md says how to run a few." }
}
