import Testing

/// Starts the tests. Without this file, the package manager looks for XCTest's classes in an index of every module,
/// which takes a third of the build.
@main struct TestMain {
  static func main() async {
    // Plain `swift test` asks for XCTest first, and there is none.
    guard CommandLine.arguments.contains("swift-testing") else { return }
    await Testing.__swiftPMEntryPoint() as Never
  }
}
