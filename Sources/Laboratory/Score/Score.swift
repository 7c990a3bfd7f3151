public import ArgumentParser
public import BatchScoring
import Commands
import ContextQuality
import EncoderScorer
import Glibc
import Intake
import OfflineScorer
import ScoreReport
import Signals
import Startup
import Terminal

/// `rapport score`: how well each conversation understood its user, offline.
struct Score: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "score",
    abstract: "Score recorded conversations, offline and fast.",
    discussion: """
      Reads JSON Lines, one conversation per line: {"messages": [{"role", "content"}]}, \
      {"conversations": [{"from", "value"}]} or {"turns": [{"role", "text"}]}.

      Examples:
        rapport score transcripts.jsonl
        rapport score logs/ --summary
        rapport score logs/ --only not-ready --top 20
        zcat big.jsonl.gz | rapport score - --format csv > scores.csv
        rapport score transcripts.jsonl --scorer model --dry-run
        rapport score transcripts.jsonl --scorer model --resume scores.jsonl
        rapport score logs/ --scorer cascade=linear,encoder,model --budget 10%
        rapport score logs/ --format html > report.html
        rapport score --store rapport.db --summary
        rapport score --compare labels.jsonl
      """)

  @Argument(
    help: ArgumentHelp(
      "Files, folders, patterns, or - for standard input; .gz files are unpacked.",
      valueName: "file"),
    completion: .file())
  var inputs: [String] = ["-"]

  @Option(help: "jsonl, csv, table (the default on a terminal) or html (a report).")
  var format: ScoreFormat?

  @Flag(help: "Add component scores for every turn.")
  var turns = false

  @Flag(help: "Print totals instead of records.")
  var summary = false

  @Option(
    name: [.customShort("j", allowingJoined: true), .long],
    help: ArgumentHelp(
      "Cores to use (default: all); with a model, parallel requests (default: 8).",
      valueName: "n"))
  var jobs: Int?

  @Option(
    help: ArgumentHelp(
      "Only the N conversations with the highest scores, best first.", valueName: "n"))
  var top: Int?

  @Option(
    help: ArgumentHelp(
      "Only conversations with at least this overall score (0 to 1).", valueName: "score"))
  var minOverall: Double?

  @Option(
    help: ArgumentHelp(
      "Only conversations that are ready, not-ready, or (with --abstain) unsure at the end.",
      valueName: "state"))
  var only: ReadyState?

  @Flag(help: "Say unsure, instead of ready or not, if the score is too close to tell.")
  var abstain = false

  @Flag(help: "Stop at the first unreadable line.")
  var strict = false

  @Option(
    help: ArgumentHelp("Write errors to this file instead of standard error.", valueName: "file"),
    completion: .file())
  var errors: String?

  @Flag(help: "Replace a bad line with a record {\"id\", \"error\"}.")
  var inlineErrors = false

  @Option(help: ArgumentHelp("Longest line to read, in MiB.", valueName: "mib"))
  var maxLine = 16

  @Option(
    help: ArgumentHelp(
      "Print how well the scores agree with labeled conversations (JSON Lines).", valueName: "file"),
    completion: .file())
  var compare: String?

  @Option(
    help: """
      offline (fast), encoder (a small neural network in the program: slower, and better at how \
      people write), cascade (the encoder only where the fast scorer is unsure; with tiers, also a \
      model), or model: the scoring model of `rapport chat`, one request per conversation.
      """)
  var scorer: ScorerChoice = .offline

  @Option(
    help: ArgumentHelp(
      """
      What the last tier of a cascade may do: a share of the encoder's work (default: 35%); for a model \
      a share of the conversations (default: 10%) or tokens, like 200k-tokens. \
      encoder=50%,model=10% sets both.
      """, valueName: "budget"))
  var budget: CascadeBudget?

  @Option(
    help: ArgumentHelp("Append to this file, skipping ids that it already has.", valueName: "file"),
    completion: .file())
  var resume: String?

  @Flag(help: "Estimate requests and tokens without sending anything.")
  var dryRun = false

  @OptionGroup(title: "Store") var stored: StoredTranscripts

  @OptionGroup(title: "Model") var modelOptions: ModelOptions

  @Option(
    help: ArgumentHelp(
      "Conversations to show in full in an HTML report; totals cover all.", valueName: "n"))
  var sample: Int?

  @OptionGroup(title: "Rubric") var intakeOptions: ScoreRubricOptions

  func validate() throws {
    if let jobs, !(1...256).contains(jobs) {
      throw ValidationError("--jobs must be between 1 and 256.")
    }
    if !(1...1024).contains(maxLine) {
      throw ValidationError("--max-line must be between 1 and 1024.")
    }
    if let sample, !(1...1000).contains(sample) {
      throw ValidationError("--sample must be between 1 and 1000.")
    }
    if sample != nil, format != .html { throw ValidationError("--sample needs --format html.") }
    if turns, summary || [.html, .table].contains(format) {
      throw ValidationError("--turns needs --format jsonl or csv.")
    }
    if summary, format != nil || inlineErrors {
      throw ValidationError(
        "--summary prints no records, so it can't be combined with --format or --inline-errors.")
    }
    if stored.store != nil, inputs != ["-"] || compare != nil {
      throw ValidationError("--store takes no other input.")
    }
    if stored.person != nil, stored.store == nil {
      throw ValidationError("--person needs --store.")
    }
    if compare != nil, inputs != ["-"] || summary || turns || inlineErrors || format == .html {
      throw ValidationError("--compare takes no other input or format.")
    }
    if inlineErrors, format ?? .jsonl != .jsonl {
      throw ValidationError("--inline-errors needs --format jsonl.")
    }
    if abstain, scorer.usesModel || compare != nil {
      throw ValidationError(
        "--abstain needs --scorer offline, encoder or cascade without a model, and no --compare.")
    }
    if let problem = budget?.problem(for: scorer) { throw ValidationError(problem) }
    if only == .unsure, !abstain { throw ValidationError("--only unsure needs --abstain.") }
    try validateSelection()
    try scorer.usesModel ? validateModel() : validateOffline()
  }

  private func validateSelection() throws {
    if let top, !(1...100_000).contains(top) {
      throw ValidationError("--top must be between 1 and 100000.")
    }
    if let minOverall, !(0...1).contains(minOverall) {
      throw ValidationError("--min-overall must be between 0 and 1.")
    }
    guard !selection.isEverything else { return }
    if top != nil, format == .html {
      throw ValidationError("--top needs --format jsonl, csv or table.")
    }
    if inlineErrors || resume != nil || compare != nil {
      throw ValidationError(
        "--top, --min-overall and --only can't be combined with --inline-errors, --resume or "
          + "--compare.")
    }
  }

  private var selection: ScoreSelection {
    var selection = ScoreSelection()
    selection.top = top
    selection.leastOverall = Int(((minOverall ?? 0) * 10_000).rounded())
    selection.state = only
    return selection
  }

  func run(on terminal: TTY) async throws {
    if scorer.usesModel { return try await scoreWithModel(terminal) }
    let rubric = try intakeOptions.rubric()
    let table = ScoreTable(rubric)
    let encoder = try encoder().map { EncoderScorer(model: $0, budget: encoderBudget) }
    if let compare {
      let sink = try ScoreOutput(errorsFile: errors, reportsInline: false, inputs: [compare])
      return try sink.write(
        Comparison(table: table).run(labels: compare, asJSON: format == .jsonl) {
          encoder?.knownByTurn($0.transcript) ?? OfflineScorer().knownByTurn($0.transcript)
        })
    }
    try await score(table, rubric, terminal)
  }

  /// The files to read; a store's conversations become one.
  func paths(
    _ terminal: TTY, scoredBy pack: @autoclosure () throws -> PromptPack
  ) async throws -> [String] {
    if stored.store != nil { return [try await stored.path(of: pack(), terminal)] }
    return try InputPaths.expanded(compare.map { [$0] } ?? inputs)
  }

  /// Nil for the other scorers.
  func encoder() throws -> EncoderModel? {
    guard scorer.usesEncoder else { return nil }
    guard let model = EncoderModel.builtIn else {
      throw CommandFailure(
        .badData, "The encoder's model in this program is broken. Build the program again.")
    }
    return model
  }

  var encoderBudget: Double? { (budget ?? .usual).encoder(of: scorer) }

  private func score(_ table: ScoreTable, _ rubric: Rubric, _ terminal: TTY) async throws {
    let paths = try await paths(terminal, scoredBy: intakeOptions.pack())
    var sink = try ScoreOutput(
      writesLate: writesLate, errorsFile: errors, reportsInline: inlineErrors, inputs: paths)
    if inputs.isEmpty, isatty(0) != 0 {
      sink.note(
        "Reading conversations from the keyboard, one JSON object per line. Press Ctrl-D to finish."
      )
    }
    var options = batchOptions
    options.encoder = try encoder()
    options.encoderBudget = encoderBudget
    let outcome = try await BatchRun(table: table, options: options).score(paths, into: &sink)
    try sink.finish()
    if outcome.report != nil {
      try ScoreReport(outcome: outcome, rubric: rubric).write { try sink.write($0) }
    }
    if summary { try sink.write(outcome.totals.text) }
    let totals = outcome.totals
    let scored = totals.conversations + totals.leftOut + totals.silent
    if scored == 0, outcome.failed == 0 { sink.note("No conversations found.") }
    noteSelection(outcome.totals, sink)
    if outcome.failed > 0 {
      sink.note("\(outcome.failed) of \(outcome.failed + scored) lines could not be scored.")
      throw ExitStatus.badData.exit
    }
  }

  /// The totals and the report say it themselves.
  func noteSelection(_ totals: ScoreTotals, _ sink: ScoreOutput) {
    if !selection.isEverything, !summary, format != .html { sink.note(totals.selected + ".") }
  }

  /// Whether nothing is written before the end.
  var writesLate: Bool { summary || top != nil }

  /// The most conversations that a page shows in full.
  var shown: Int { sample ?? ReportData.conversationLimit }

  var batchOptions: BatchOptions {
    var options = BatchOptions()
    options.selection = selection
    options.isUnread = { text in
      UnreadLanguage.rules.map { LanguageGuess(text, $0) == .other } ?? false
    }
    options.format = format ?? (isatty(1) != 0 && !inlineErrors ? .table : .jsonl)
    options.turnDetails = turns
    options.certainty = abstain ? .abstaining : .ranges
    options.jobs = jobs ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    options.stopsAtFirstProblem = strict
    options.writesErrorsInline = inlineErrors
    options.writesRecords = !summary
    options.longestLine = maxLine << 20
    options.reportConversations = shown
    return options
  }
}

extension ScoreFormat: ExpressibleByArgument {}
extension ReadyState: ExpressibleByArgument {}

/// What tells a language that the offline scorer does not read.
private enum UnreadLanguage {
  /// Read when the first text needs it.
  static let rules = try? PromptPack.embedded().signals
}
