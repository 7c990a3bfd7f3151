import ArgumentParser
import Commands
import ContextQuality
import FoundationEssentials
import IncrementalJSON
import Intake
import Journeys
import Settings
import Startup
import Terminal

/// `rapport journey`: looks at journeys without walking through them.
struct JourneyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "journey",
    abstract: "List, check and draw the journeys of a pack.",
    discussion: """
      Example:
        rapport journey list
      """,
    subcommands: [JourneyList.self, JourneyShow.self, JourneyFileCheck.self],
    defaultSubcommand: JourneyList.self)
}

/// The pack whose journeys are meant.
struct JourneyPackOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A prompt pack: a folder, or the name of a built-in one (default: all built-in ones).",
      valueName: "pack"),
    completion: .packs)
  var prompts: String?

  func packs() throws -> [PromptPack] {
    let context = try CommandContext(
      flags: prompts.map { [.prompts: $0] } ?? [:], readsCredentials: false)
    if context.settings[.prompts] != nil { return [try context.promptPack()] }
    return try PromptPack.embeddedNames.filter { $0 != "shared" }.map {
      try PromptPack.embedded($0)
    }
  }

  /// - Parameter name: Of a journey, or of its file.
  func journey(_ name: String) throws -> (journey: Journey, pack: PromptPack) {
    let packs = try packs()
    // A name has neither a folder nor an ending.
    if name.contains("/") || name.hasSuffix(".json") { return try journey(inFile: name, packs) }
    for pack in packs {
      if let journey = try pack.journey(name) { return (journey, pack) }
    }
    throw CommandFailure(
      .usage,
      "There is no journey \(name). I know "
        + Set(packs.flatMap(\.journeyNames)).sorted().joined(separator: ", ") + ".")
  }

  private func journey(
    inFile file: String, _ packs: [PromptPack]
  ) throws -> (journey: Journey, pack: PromptPack) {
    let pack = packs.first { $0.name == PromptPack.defaultName } ?? packs[0]
    let bytes: [UInt8]
    do throws(RegularFile.Failure) {
      bytes = try RegularFile.bytes(file)
    } catch {
      throw CommandFailure(.badData, "\(file): \(error.reason)")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let name = URL(filePath: file).deletingPathExtension().lastPathComponent
    do throws(PackError) {
      return (try Journey(json: text, named: name, file: file, rubric: pack.rubric), pack)
    } catch {
      guard prompts == nil else { throw error }
      throw CommandFailure(
        .badData,
        "\(error)\nThis is by the rubric of the pack \(pack.name). --prompts names another.")
    }
  }

  /// Visits all journeys. One that is broken is reported, and costs only itself.
  func each(
    _ terminal: TTY, _ visit: (Journey, PromptPack) -> Void
  ) throws {
    var isWhole = true
    for pack in try packs() {
      for name in pack.journeyNames {
        do throws(PackError) {
          if let journey = try pack.journey(name) { visit(journey, pack) }
        } catch {
          isWhole = false
          terminal.writeNote("\(error)", as: .error)
        }
      }
    }
    if !isWhole { throw ExitStatus.badData.exit }
  }
}

struct JourneyList: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the journeys.",
    discussion: """
      Example:
        rapport journey list --json
      """)

  @OptionGroup var packOptions: JourneyPackOptions
  @Flag(help: "Print JSON.") var json = false

  func run(on terminal: TTY) async throws {
    var items: [JSONValue] = []
    let language = DeviceLanguage.code(in: ProcessInfo.processInfo.environment)
    defer { if json { terminal.writeRecord(JSONValue.array(items).serialized()) } }
    try packOptions.each(terminal) { journey, pack in
      items.append([
        "name": .string(journey.name), "pack": .string(pack.name),
        "title": .string(journey.title), "version": JSONValue(journey.version),
        "steps": JSONValue(journey.steps.count),
      ])
      guard !json else { return }
      let count = journey.steps.count
      let texts = pack.texts(of: journey, in: language)
      let summary = texts.summary.map { ". \($0)" } ?? ""
      terminal.write("\(journey.name) (\(pack.name))  \(texts.title), \(count) steps\(summary)\n")
    }
  }
}

struct JourneyShow: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Draw a journey's flow, as text or as a Mermaid diagram.",
    discussion: """
      Example:
        rapport journey show discovery --mermaid
      """)

  @Argument(
    help: ArgumentHelp("The journey's name, or its file.", valueName: "journey"),
    completion: .journeys)
  var journey: String
  @OptionGroup var packOptions: JourneyPackOptions
  @Flag(help: "Print a Mermaid diagram.") var mermaid = false

  func run(on terminal: TTY) async throws {
    let found = try packOptions.journey(journey).journey
    terminal.write(mermaid ? found.mermaid : found.outline)
  }
}

struct JourneyFileCheck: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check journeys: a file, one by its name, or all of them.",
    discussion: """
      Examples:
        rapport journey check
        rapport journey check matador
        rapport journey check mine/journeys/hello.json --prompts mine
      """)

  @Argument(
    help: ArgumentHelp(
      "A journey's file, or its name (default: all journeys).", valueName: "journey"),
    completion: .file(extensions: ["json"]))
  var journey: String?
  @OptionGroup var packOptions: JourneyPackOptions

  func run(on terminal: TTY) async throws {
    guard let journey else { return try packOptions.each(terminal) { report($0, $1, terminal) } }
    let found = try packOptions.journey(journey)
    report(found.journey, found.pack, terminal)
  }

  private func report(_ journey: Journey, _ pack: PromptPack, _ terminal: TTY) {
    terminal.write("\(journey.name) (\(pack.name)): \(journey.steps.count) steps, all in order\n")
  }
}
