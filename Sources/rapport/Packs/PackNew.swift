import ArgumentParser
import Commands
import FoundationEssentials
import IncrementalJSON
import Intake
import Startup
import Terminal

struct PackNew: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Write a small pack that works, to be changed.",
    discussion: """
      The folder gets only what differs from one pack to another; all else comes from the shared \
      templates. Nothing is overwritten.

      Examples:
        rapport pack new tutor
        rapport pack new tutor --coach "language tutor"
      """)

  @Argument(
    help: ArgumentHelp("The folder to write. Its last part names the pack.", valueName: "folder"))
  var folder: String

  @Option(help: ArgumentHelp("What the coach is, such as \"language tutor\".", valueName: "words"))
  var coach = "coach"

  private var name: String { URL(filePath: folder).lastPathComponent }

  func validate() throws {
    guard name.first?.isLetter == true,
      name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
    else {
      throw ValidationError(
        "A pack's name is made of letters, digits and hyphens, not \"\(name)\".")
    }
    if PromptPack.embeddedNames.contains(name) {
      throw ValidationError("\(name) is built in. Choose another name.")
    }
    if coach.allSatisfy(\.isWhitespace) {
      throw ValidationError("--coach takes a word or two, such as \"language tutor\".")
    }
  }

  func run(on terminal: TTY) async throws {
    guard !FileManager.default.fileExists(atPath: folder) else {
      throw CommandFailure(.usage, "\(folder) already exists. Choose another name.")
    }
    let files = PromptPack.newFiles().merging(["pack.json": manifest]) { $1 }
    do {
      for (path, text) in files.sorted(by: { $0.key < $1.key }) {
        let file = URL(filePath: folder).appending(path: path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
    } catch {
      throw CommandFailure(.cannotWrite, "\(folder): can't be written")
    }
    terminal.write(
      """
      Wrote \(files.count) files to \(folder). Begin with rubric.json (what the coach must learn) and
      rehearsal/questions.txt (how it asks for that).

        rapport pack check \(folder)
        rapport chat --new --offline --prompts \(folder)

      """)
  }

  private var manifest: String {
    let manifest: JSONValue = [
      "format": 2, "name": .string(name), "version": "1",
      "words": ["coach": .string(coach), "likeness": .string("good " + coach)],
    ]
    return manifest.serialized(pretty: true) + "\n"
  }
}
