import ArgumentParser
import Foundation
import Glibc
import MockServer
import Supabase
import SupabaseMock
import Terminal

/// A Supabase project without a project, for tests in other languages and for trying things out.
@main
struct SupabaseMockProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "supabase-mock",
    abstract: "Act as a Supabase project: sign people in by email and keep their rows.",
    discussion: """
      Speaks GoTrue and PostgREST on this machine, and prints the two settings that lead there. \
      Codes are printed here instead of being mailed. Everything is in memory and gone at the end.
      """)

  @Option(name: .long, help: ArgumentHelp("The port; 0 picks a free one.", valueName: "n"))
  var port = 0

  @Option(
    name: .long,
    help: ArgumentHelp("The code in every email (default: six random digits).", valueName: "digits")
  )
  var code: String?

  @Option(
    name: .long, help: ArgumentHelp("Seconds until an access token expires.", valueName: "n"))
  var tokenLifetime = 3_600

  @Option(
    name: .long, help: ArgumentHelp("Seconds until a code expires.", valueName: "n"))
  var codeLifetime = 3_600

  @Option(
    name: .long, help: ArgumentHelp("Seconds between two codes for one address.", valueName: "n"))
  var resendAfter = 30

  @Option(
    name: .long,
    help: ArgumentHelp("Another table that exists (repeatable).", valueName: "name"))
  var table: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Break answers: NAME or NAME:NUMBER (repeatable; applied in this order).",
      valueName: "fault"),
    transform: Self.fault)
  var fault: [SupabaseFault] = []

  @Option(
    name: .long,
    help: ArgumentHelp("How many answers each fault breaks (default: all).", valueName: "n"))
  var times: Int?

  @Option(
    name: .long,
    help: ArgumentHelp("Break only every n-th of these answers.", valueName: "n"))
  var every = 1

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Break only these answers: \(targets.joined(separator: ", ")).", valueName: "target"))
  var only: String?

  @Flag(name: .long, help: "Print one line per request, even without a terminal.")
  var verbose = false

  @Flag(name: .long, help: "List the faults, then exit.")
  var listFaults = false

  private static let targets = SupabaseTarget.allCases.map(\.rawValue)

  private static func fault(_ text: String) throws -> SupabaseFault {
    guard let fault = SupabaseFault(text) else {
      throw ValidationError("there is no fault \"\(text)\"; --list-faults lists them")
    }
    return fault
  }

  func validate() throws {
    if !(0...65_535).contains(port) { throw ValidationError("--port must be between 0 and 65535.") }
    if let times, times < 1 { throw ValidationError("--times must be 1 or more.") }
    if every < 1 { throw ValidationError("--every must be 1 or more.") }
    if fault.isEmpty, times != nil || only != nil || every > 1 {
      throw ValidationError("--times, --every and --only need --fault.")
    }
    if let only, SupabaseTarget(rawValue: only) == nil {
      throw ValidationError("--only must be one of \(Self.targets.joined(separator: ", ")).")
    }
    for (name, seconds) in [
      ("token-lifetime", tokenLifetime), ("code-lifetime", codeLifetime),
      ("resend-after", resendAfter),
    ] where !(0...31_536_000).contains(seconds) {
      throw ValidationError("--\(name) must be between 0 and 31536000.")
    }
    if let code, OneTimeCode(code)?.digits != code {
      throw ValidationError("--code must be six to ten digits.")
    }
  }

  func run() async throws {
    // A closed pipe fails one write, not the whole process.
    signal(SIGPIPE, SIG_IGN)
    guard !listFaults else { return print(Self.faultList, terminator: "") }
    let terminal = TTY(
      program: "supabase-mock", environment: ProcessInfo.processInfo.environment)
    // Before the address is printed: its reader may interrupt at once.
    let interrupts = InterruptMonitor.process.interrupts()
    let tells = verbose || isatty(2) == 1
    let api = SupabaseAPI(options: options) { email, code in
      terminal.writeNote("Code for \(email): \(code)", as: .notice)
    } report: { record in
      let broken = record.fault.map { " [\($0)]" } ?? ""
      if tells {
        terminal.writeNote("\(record.method) \(record.path) \(record.status)\(broken)", as: .dim)
      }
    }
    let server = try await MockServer(port: port) { api.answer($0) }
    terminal.writeRecord("SUPABASE_URL=\(server.baseURL.dropLast("/v1".count))")
    terminal.writeRecord("SUPABASE_ANON_KEY=\(SupabaseAPI.anonKey)")
    terminal.writeNote(
      "Put these two lines in .env or in the environment. Press Ctrl-C to stop.", as: .dim)
    for await _ in interrupts { break }
    await server.shutdown()
  }

  private var options: SupabaseAPI.Options {
    var options = SupabaseAPI.Options()
    options.tables.formUnion(table)
    options.tokenLifetime = tokenLifetime
    options.codeLifetime = codeLifetime
    options.resendAfter = resendAfter
    options.code = code
    let only = only.flatMap(SupabaseTarget.init(rawValue:))
    options.faults = fault.map { .init($0, times: times, every: every, only: only) }
    return options
  }

  private static var faultList: String {
    SupabaseFault.Name.allCases.map { "\($0.rawValue)\n    \($0.summary)\n" }.joined()
  }
}
