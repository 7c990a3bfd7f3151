import ArgumentParser

/// `rapport pack`: begins and checks packs of one's own.
struct PackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pack",
    abstract: "Write a coach of your own: begin a prompt pack, and check it.",
    discussion: """
      A prompt pack is a folder of data: what the coach asks, in which words, and what it must learn.

      Examples:
        rapport pack new tutor
        rapport pack check tutor
      """,
    subcommands: [PackNew.self, PackCheck.self])
}
