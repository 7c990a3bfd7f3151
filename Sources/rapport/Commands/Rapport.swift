import ArgumentParser
import Commands
import Glibc
import Laboratory
import Startup
import Terminal

/// The program's front door: subcommands and what they share.
@main
struct Rapport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rapport",
    abstract:
      "A coach's first conversation: it listens until it understands you, then tells you what it heard.",
    discussion: """
      Example:
        rapport chat

      Exit codes: \(exitCodes)
      """,
    version: ProgramVersion.text(of: "rapport"),
    subcommands: [
      Chat.self, Start.self, JourneyCommand.self, ProgramCommand.self, LogCommand.self,
      GoalsCommand.self, ReviewCommand.self, Serve.self,
    ] + Laboratory.scoring + [Health.self] + Laboratory.testing + [
      PackCommand.self, Setup.self, Models.self, Config.self, Profile.self, Sessions.self,
      Account.self, SyncCommand.self, Subscribe.self,
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
    // A closed pipe fails one write, not the whole process.
    signal(SIGPIPE, SIG_IGN)
    // So does a file that reached the system's size limit.
    signal(SIGXFSZ, SIG_IGN)
    // Scripts ask this most often, so it skips the parser's look at every command (3 of 15 ms).
    if CommandLine.arguments.dropFirst() == ["--version"] {
      print(ProgramVersion.text(of: "rapport"))
      Glibc.exit(written)
    }
    // Parsing the prompts takes as long as looking at every command, and another core is free.
    if [nil, "chat"].contains(CommandLine.arguments.dropFirst().first) { BuiltInPack.begin() }
    if let mistake = UnknownCommand.found(
      in: CommandLine.arguments.dropFirst(), of: Rapport.self)
    {
      let message = Array(OutputFilter.clean(mistake.message).utf8)
      _ = write(2, message, message.count)
      Glibc.exit(ExitStatus.usage.rawValue)
    }
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

  /// Without standard output, the first file that is opened would take its place. This fills the
  /// gap with a descriptor that refuses writes.
  private static func openMissingDescriptors() {
    for descriptor in 0...2 where fcntl(Int32(descriptor), F_GETFD) < 0 {
      _ = open("/dev/null", O_RDONLY)
    }
  }
}
