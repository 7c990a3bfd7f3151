import ArgumentParser
import BatchScoring
import Commands
import Foundation
import Glibc
import IncrementalJSON
import Intake
import LanguageModels
import ModelScoring
import Settings
import Startup
import Terminal

/// `rapport judge`: how far a model scorer can be trusted.
struct Judge: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "judge",
    abstract: "Check how far a scoring model can be trusted.",
    discussion: """
      Scores the same conversations several times: as they are, and with changes that shouldn't \
      matter. The card says how many decisions flip, which facets flicker, what became of the \
      quotes, and the cost. If a line has `facets`, as in labeled conversations, it also says how \
      well the model agrees with them.

      Examples:
        rapport judge labels.jsonl
        rapport judge chats.jsonl --repeats 5 --resume readings.jsonl
        rapport judge chats.jsonl --changes none --format json
        rapport judge labels.jsonl --format html > card.html
        rapport judge chats.jsonl --dry-run
      """)

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, html, json
  }

  @Argument(
    help: ArgumentHelp(
      "Files, folders or patterns of conversations, as for `rapport score`.", valueName: "file"),
    completion: .file())
  var inputs: [String]

  @Option(help: ArgumentHelp("How often to score each conversation as it is.", valueName: "n"))
  var repeats = 3

  @Option(
    help: ArgumentHelp(
      """
      Also score it with these changes, separated by commas: order (of the prompt's lists), wording \
      (of the user), coach-turn (one more), all or none.
      """, valueName: "changes"),
    completion: .list(["all", "none"] + HarmlessChange.allCases.dropFirst().map(\.rawValue)),
    transform: Self.changes)
  var changes = HarmlessChange.allCases.filter { $0 != .again }

  @Option(help: "text, html (a page) or json.")
  var format = Format.text

  @Option(
    name: [.customShort("j", allowingJoined: true), .long],
    help: ArgumentHelp("Parallel requests.", valueName: "n"))
  var jobs = 8

  @Option(
    help: ArgumentHelp(
      "Append readings to this file, skipping those that it already has.", valueName: "file"),
    completion: .file())
  var resume: String?

  @Flag(help: "Estimate requests and tokens without sending anything.")
  var dryRun = false

  @OptionGroup(title: "Model") var modelOptions: ModelOptions

  @Option(help: .pack, completion: .packs)
  var prompts: String?

  private static func changes(_ text: String) throws -> [HarmlessChange] {
    let all = HarmlessChange.allCases.filter { $0 != .again }
    switch text {
    case "all": return all
    case "none": return []
    default:
      return try text.split(separator: ",").map { name in
        guard let change = all.first(where: { $0.rawValue == name }) else {
          let names = all.map(\.rawValue).joined(separator: ", ")
          throw ValidationError("--changes must be all, none, or some of: \(names).")
        }
        return change
      }
    }
  }

  func validate() throws {
    if !(1...100).contains(repeats) {
      throw ValidationError("--repeats must be between 1 and 100.")
    }
    if !(1...128).contains(jobs) { throw ValidationError("--jobs must be between 1 and 128.") }
    if inputs.contains("-") {
      throw ValidationError("The conversations are read twice, so they must be files.")
    }
    if repeats == 1, changes.isEmpty {
      throw ValidationError("With --repeats 1 and no changes there is nothing to compare.")
    }
  }

  func run(on terminal: TTY) async throws {
    let flags = prompts.map { [Setting.prompts: $0] } ?? [:]
    let context = try CommandContext(flags: modelOptions.flags.merging(flags) { $1 })
    context.warn(terminal)
    let pack = try context.promptPack()
    let paths = try InputPaths.expanded(inputs)
    let plan = try plan(paths, pack)
    guard plan.size.conversations > 0 else {
      throw CommandFailure(
        .badData, "No conversations found in \(inputs.joined(separator: ", ")).")
    }
    if dryRun { return try await tellEstimate(plan, paths, pack, context) }
    try await judge(plan, paths, pack, ModelSetup(context, terminal))
  }

  private func plan(_ paths: [String], _ pack: PromptPack) throws -> JudgePlan {
    do {
      return try JudgePlan(paths, repeats: repeats, changes: changes, pack: pack)
    } catch let error as JudgePlan.Unusable {
      throw CommandFailure(.badData, "\(error)")
    }
  }

  private func judge(
    _ plan: JudgePlan, _ paths: [String], _ pack: PromptPack, _ setup: ModelSetup
  ) async throws {
    let endpoint = try await setup.scoringEndpoint()
    let output = try resume.map { try ResumedOutput($0, inputs: paths) }
    try refuseOthersReadings(than: endpoint.model)
    var sink = JudgeSink(
      output: try ScoreOutput(
        records: output?.descriptor ?? 1, writesLate: true, errorsFile: nil, reportsInline: true,
        inputs: paths, counting: "readings"),
      writes: resume != nil)
    let outcome = try await plan.run(pack: pack, options: options).score(
      paths, with: endpoint, runtime: setup.batchRuntime,
      skipping: output?.finished ?? FinishedRecords(), into: &sink)
    try sink.output.finish()
    setup.remember()
    withExtendedLifetime(output) {}
    let card = JudgeCard(
      plan, JudgeRecords(lines: try readings ?? sink.records), rubric: pack.rubric,
      pack: "\(pack.name) \(pack.version)")
    let page = try ScoreOutput(errorsFile: nil, reportsInline: true, inputs: [])
    try page.write(text(card))
    page.note(ModelBatchTexts.afterwards(outcome, "readings"))
    if let halt = outcome.halt {
      throw ModelBatchTexts.failure(
        halt, wayOn: resume == nil ? "Use --resume FILE to keep readings." : ModelBatchTexts.again)
    }
  }

  private func text(_ card: JudgeCard) -> String {
    switch format {
    case .text: JudgeText(card: card).text
    case .html: JudgePage(card: card).html
    case .json: card.json.serialized() + "\n"
    }
  }

  private var options: BatchOptions {
    var options = BatchOptions()
    options.jobs = jobs
    options.writesErrorsInline = true
    return options
  }

  /// All readings of the resumed file; nil without one.
  private var readings: [UInt8]? {
    get throws {
      guard let resume else { return nil }
      guard let data = FileManager.default.contents(atPath: resume) else {
        throw CommandFailure(.badData, "\(resume) can't be read.")
      }
      return Array(data)
    }
  }

  /// One card is about one model.
  private func refuseOthersReadings(than model: String) throws {
    guard let resume, let readings = try readings else { return }
    if let other = JudgeRecords(lines: readings).scorers.subtracting([model]).min() {
      throw CommandFailure(
        .badData,
        "\(resume) has readings of \(other), but this run is about \(model). Use another file.")
    }
  }

  private func tellEstimate(
    _ plan: JudgePlan, _ paths: [String], _ pack: PromptPack, _ context: CommandContext
  ) async throws {
    let finished = try resume.map { try ResumedOutput.finished(in: $0) } ?? FinishedRecords()
    let estimate = try await plan.run(pack: pack, options: options)
      .estimate(paths, skipping: finished)
    let model = context.settings.connection().ready
      .flatMap { context.settings.model(.modelFast, at: $0)?.value }
    print(
      format == .json
        ? ModelBatchTexts.json(estimate, model)
        : ModelBatchTexts.beforehand(estimate, model, finished: "readings already finished"))
  }
}

/// Keeps the records for the card, and appends them to the file of a resumed run.
private struct JudgeSink: BatchSink, Sendable {
  var output: ScoreOutput
  /// Whether there is such a file.
  let writes: Bool
  private(set) var records: [UInt8] = []

  init(output: ScoreOutput, writes: Bool) { (self.output, self.writes) = (output, writes) }

  mutating func write(_ records: UnsafeRawBufferPointer) throws {
    if writes { try output.write(records) } else { self.records += records }
  }

  mutating func report(_ problem: LineProblem) throws { try output.report(problem) }
  mutating func endFile(conversations: Int) throws {
    try output.endFile(conversations: conversations)
  }
  mutating func flush() throws { try output.flush() }
  mutating func progress(_ progress: BatchProgress) { output.progress(progress) }
}
