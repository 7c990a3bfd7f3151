import ArgumentParser
import Commands
import FoundationEssentials
import Glibc
import Startup
import Terminal

/// `rapport serve`: finds the separate program `rapport-server` and replaces itself with it.
struct Serve: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve the coach to apps and browsers.",
    discussion: """
      Starts rapport-server, which is installed beside rapport, with the same options. \
      `rapport-server --help` lists them all.

      Examples:
        rapport serve
        rapport serve --port 8080
        rapport serve --base-url http://localhost:11434/v1 --model llama3.1
        rapport serve --offline
      """)

  @Argument(parsing: .captureForPassthrough, help: "Options for rapport-server.")
  var options: [String] = []

  func run(on terminal: TTY) throws {
    if [["--help"], ["-h"]].contains(options) { throw CleanExit.helpRequest(self) }
    for program in Self.candidates() where access(program, X_OK) == 0 {
      try Self.become(program, options)
    }
    throw CommandFailure(
      .notConfigured,
      "I can't find rapport-server beside rapport or on the PATH. In the source folder, `make serve` "
        + "builds and starts it.")
  }

  /// Beside this program first, so that both are of one version.
  private static func candidates() -> [String] {
    let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let beside = own.map { $0.split(separator: "/").dropLast().map { "/" + $0 }.joined() }
    let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(
      String.init)
    return ([beside].compactMap(\.self) + path.filter { $0.hasPrefix("/") })
      .map { $0 + "/rapport-server" }
  }

  /// Returns only if it fails.
  private static func become(_ program: String, _ options: [String]) throws {
    var arguments = ([program] + options).map { strdup($0) }
    arguments.append(nil)
    execv(program, arguments)
    throw CommandFailure(
      .cannotWrite, "I can't start \(program): \(String(cString: strerror(errno))).")
  }
}
