import ArgumentParser
import Glibc

/// The program's front door: subcommands and what they share.
@main
struct Rapport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rapport",
    abstract:
      "A coach's first conversation: talks until it understands you, and says what it understood.",
    discussion: """
      Example:
        rapport chat

      Exit codes: \(exitCodes)
      """,
    version: Version.text,
    subcommands: [
      Chat.self, Score.self, Health.self, Test.self, Mock.self, Setup.self, Config.self,
      Profile.self, Sessions.self, Subscribe.self,
    ],
    defaultSubcommand: Chat.self)

  private static var written: Int32 {
    (fflush(nil) == 0 ? ExitStatus.fine : .cannotWrite).rawValue
  }

  private static var exitCodes: String {
    ExitStatus.allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: "; ") + "."
  }

  static func main() async {
    openMissingDescriptors()
    // A reader that went away is an error of one write, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    // So is a file that reached the limit the system sets.
    signal(SIGXFSZ, SIG_IGN)
    // What scripts ask most often does not wait for the parser to look at every command (3 of 15 ms).
    if CommandLine.arguments.dropFirst() == ["--version"] {
      print(Version.text)
      Glibc.exit(written)
    }
    // Reading the prompts takes as long as looking at every command, and another core is free.
    if [nil, "chat"].contains(CommandLine.arguments.dropFirst().first) { BuiltInPack.begin() }
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      guard exitCode(for: error).isSuccess else { exit(withError: error) }
      let message = fullMessage(for: error)
      if message.isEmpty { exit(withError: error) }
      print(message)
      Glibc.exit(written)
    }
  }

  /// Started without standard output, the first file that is opened would be taken for it. What was
  /// missing is there now, and refuses to be written to.
  private static func openMissingDescriptors() {
    for descriptor in 0...2 where fcntl(Int32(descriptor), F_GETFD) < 0 {
      _ = open("/dev/null", O_RDONLY)
    }
  }
}
