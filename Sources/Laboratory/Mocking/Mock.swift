import ArgumentParser
import Cassettes
import Commands
import FoundationEssentials
import Glibc
import MockServer
import RapportTesting
import Startup
import Terminal
import WireFormats

/// `rapport mock`: a model server without a model.
struct Mock: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "mock",
    abstract: "Act as a model server: serve recorded answers, and fail on request.",
    discussion: """
      Speaks OpenAI's chat completions and Anthropic's Messages API on this machine, answers from \
      recordings or rules, and prints its address. With neither, it plays a coach that knows one \
      conversation, a goal and a program.

      Examples:
        rapport mock
        rapport mock Fixtures/conversations --fault rate-limit:seconds --times 1
        rapport mock --fault cut:after=6,close=reset --only ask
        rapport mock --rules rules.json --speed recorded
        rapport mock --upstream https://api.openai.com --record-to recorded
        rapport mock --list-faults
      """)

  @Argument(
    help: ArgumentHelp(
      "Recorded conversations, or folders of them, to answer from.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var paths: [String] = []

  @Option(name: .long, help: ArgumentHelp("The port; 0 picks a free one.", valueName: "n"))
  var port = 0

  @Option(name: .long, help: ArgumentHelp("The address to listen on.", valueName: "address"))
  var host = "127.0.0.1"

  @Flag(name: .long, help: "Let other machines connect. There is no access control.")
  var allowBeyondLoopback = false

  @Option(
    name: .long,
    help: ArgumentHelp("A file of rules for requests that match no recording.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var rules: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Break answers: NAME or NAME:PARAMETERS (repeatable; applied in this order).",
      valueName: "fault"),
    completion: .list(Fault.Name.allCases.map(\.rawValue)),
    transform: Self.fault)
  var fault: [Fault] = []

  @Option(
    name: .long,
    help: ArgumentHelp("How many answers each fault breaks (default: all).", valueName: "n"))
  var times: Int?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Break only these answers: a purpose such as score, or structured, prose or models.",
      valueName: "target"),
    completion: .list(FaultPlan.targets))
  var only: String?

  @Option(name: .long, help: ArgumentHelp("Random seed for faults.", valueName: "n"))
  var seed: UInt64 = 0

  @Option(
    name: .long, help: "Answer speed: none (no delays), recorded, or a factor such as 2.",
    completion: .list(["none", "recorded"]))
  var speed: ReplayPace = .none

  @Flag(name: .long, help: "Reject requests without a key.")
  var requireKey = false

  @Flag(name: .long, help: "Accept any model name, not just those on the list.")
  var anyModel = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Forward requests to this server instead of answering (needs --record-to).",
      valueName: "url"))
  var upstream: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Record the upstream server's answers in this folder, one file per conversation.",
      valueName: "folder"),
    completion: .directory)
  var recordTo: String?

  @Flag(name: .long, help: "Print one line per request, even without a terminal.")
  var verbose = false

  @Flag(name: .long, help: "List the faults with their parameters, then exit.")
  var listFaults = false

  private static func fault(_ text: String) throws -> Fault {
    do throws(Fault.Unreadable) { return try Fault(text) } catch {
      throw ValidationError(error.reason + ". rapport mock --list-faults explains them.")
    }
  }

  func validate() throws {
    if !(0...65_535).contains(port) { throw ValidationError("--port must be between 0 and 65535.") }
    if let times, times < 1 { throw ValidationError("--times must be 1 or more.") }
    if fault.isEmpty, times != nil || only != nil {
      throw ValidationError("--times and --only need --fault.")
    }
    if (upstream == nil) != (recordTo == nil) {
      throw ValidationError("--upstream and --record-to go together.")
    }
    if upstream != nil, !paths.isEmpty || rules != nil || !fault.isEmpty {
      throw ValidationError("--upstream can't be combined with recordings, rules or faults.")
    }
    if let only, !FaultPlan.targets.contains(only) {
      throw ValidationError("--only must be one of \(FaultPlan.targets.joined(separator: ", ")).")
    }
  }

  func run(on terminal: TTY) async throws {
    if listFaults { return terminal.write(FaultList.text) }
    // Before the address is printed: its reader may interrupt at once.
    let interrupts = InterruptMonitor.process.interrupts()
    let proxy = try upstream.map { upstream in
      try RecordingProxy(
        upstream: upstream, folder: recordTo ?? ".", terminal: terminal, tells: tells)
    }
    let (server, welcome) = try await answering(terminal, proxy)
    terminal.writeRecord(server.baseURL)
    terminal.writeNote(welcome, as: .dim)
    for await _ in interrupts { break }
    await server.shutdown()
    await proxy?.finish()
  }

  private func answering(
    _ terminal: TTY, _ proxy: RecordingProxy?
  ) async throws -> (MockServer, welcome: String) {
    if let proxy {
      let server = try await listening { await proxy.answer($0) }
      return (
        server,
        "Forwarding to \(upstream ?? ""), recording in \(recordTo ?? ""). Press Ctrl-C to stop."
      )
    }
    let api = try self.api(terminal)
    let names = api.models.prefix(5).joined(separator: ", ")
    return (try await listening { api.answer($0) }, "Serving \(names). Press Ctrl-C to stop.")
  }

  private func listening(_ answer: @escaping MockServer.Answer) async throws -> MockServer {
    do {
      return try await MockServer(
        host: host, port: port, pace: speed, allowsBeyondLoopback: allowBeyondLoopback,
        answer: answer)
    } catch let error as MockServerError where error.code == .beyondLoopback {
      throw CommandFailure(.usage, "\(error) (--allow-beyond-loopback)")
    } catch let error as MockServerError {
      throw CommandFailure(error.status, "\(error)")
    }
  }
}

extension Mock {
  private var tells: Bool { verbose || isatty(2) == 1 }

  private func api(_ terminal: TTY) throws -> ModelAPI {
    let cassettes = try library(terminal)
    var options = ModelAPI.Options()
    options.requiresKey = requireKey
    options.takesAnyModel = anyModel
    options.faults = fault.map { FaultPlan.Planned($0, times: times, only: only) }
    options.seed = seed
    options.keepsFaultPace = speed == .none
    options.now = { Int(Date().timeIntervalSince1970) }
    return ModelAPI(
      recordings: CassetteLibrary(cassettes), script: try script(), options: options
    ) { record in
      if tells { terminal.writeNote(record.line, as: .dim) }
    }
  }

  private func library(_ terminal: TTY) throws -> [CassetteLibrary.Entry] {
    guard !paths.isEmpty else { return [] }
    do throws(FieldError) {
      var entries: [CassetteLibrary.Entry] = []
      for entry in try ConversationSuite(paths: paths).entries {
        let cassette = try entry.load()
        entries.append((entry.name, cassette))
        if cassette.exchanges.contains(where: { $0.request == nil }) {
          terminal.writeNote(
            "\(entry.path) is incomplete: run `rapport test --update` to add the keys that its answers "
              + "are matched by.", as: .notice)
        }
      }
      return entries
    } catch {
      throw CommandFailure(.badData, "\(error)")
    }
  }

  private func script() throws -> AnswerScript? {
    guard let rules else { return paths.isEmpty ? try BuiltInCoach.script() : nil }
    guard let data = FileManager.default.contents(atPath: rules) else {
      throw CommandFailure(.badData, "\(rules) can't be read.")
    }
    do throws(FieldError) { return try AnswerScript(parsing: Array(data)) } catch {
      throw CommandFailure(.badData, "\(rules): \(error)")
    }
  }
}

extension ModelAPI.Record {
  fileprivate var line: String {
    let broken = fault.map { " [\($0)]" } ?? ""
    return "\(method) \(path) \(status) \(source)\(broken)"
  }
}

extension MockServerError {
  var status: ExitStatus {
    switch code {
    case .beyondLoopback, .noSuchAddress, .portReserved: .usage
    case .portInUse, .cannotListen: .modelUnreachable
    }
  }
}

/// The list of faults for people.
enum FaultList {
  static var text: String {
    Fault.Name.allCases.map { name in
      var lines = [name.rawValue, "    \(name.summary)"]
      lines += name.parameters.map { parameter in
        let choice =
          parameter.allowed.isEmpty ? "" : " (\(parameter.allowed.joined(separator: ", ")))"
        return "    \(parameter.key)=\(parameter.value)\(choice)"
      }
      return lines.joined(separator: "\n") + "\n"
    }.joined()
  }
}
