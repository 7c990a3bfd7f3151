import ArgumentParser
import BatchScoring
import Commands
import ContextQuality
import Glibc
import Intake
import LanguageModels
import ModelScoring
import OfflineScorer
import ScoreReport
import Settings
import Startup
import Synchronization
import Terminal

/// `rapport score --scorer model`, and cascades that end with a model.
extension Score {
  func validateOffline() throws {
    if resume != nil || dryRun {
      throw ValidationError(
        "--resume and --dry-run need --scorer model, or a cascade with a model.")
    }
  }

  func validateModel() throws {
    if let jobs, jobs > 128 {
      throw ValidationError("--jobs must be between 1 and 128 with a model.")
    }
    if compare != nil, resume != nil || dryRun {
      throw ValidationError("--compare can't be combined with --resume or --dry-run.")
    }
    if resume != nil, format ?? .jsonl != .jsonl || summary {
      throw ValidationError("--resume needs --format jsonl and no --summary.")
    }
    if scorer.isCascade, stored.store == nil, (compare.map { [$0] } ?? inputs).contains("-") {
      throw ValidationError(
        "A cascade with a model reads its input twice, so it can't read standard input. Save it to a "
          + "file first.")
    }
  }

  func scoreWithModel(_ terminal: TTY) async throws {
    let prompts = intakeOptions.prompts.map { [Setting.prompts: $0] } ?? [:]
    let context = try CommandContext(flags: modelOptions.flags.merging(prompts) { $1 })
    context.warn(terminal)
    let pack = try context.promptPack()
    if format == .html { try refuseFacetsThatTheReportCannotShow(pack.rubric) }
    if scorer.isCascade { _ = try intakeOptions.rubric() }
    let paths = try await paths(terminal, scoredBy: pack)
    if dryRun { return try await tellEstimate(paths, pack, context) }
    let setup = try ModelSetup(context, terminal)
    let endpoint = try await setup.scoringEndpoint()
    if let compare { return try await self.compare(compare, pack, endpoint, setup) }
    let output = try resume.map {
      try ResumedOutput($0, inputs: paths, cascade: scorer.isCascade)
    }
    let outcome = try await score(paths, pack, endpoint, setup, output)
    setup.remember()
    withExtendedLifetime(output) {}
    try leave(outcome)
  }

  private func score(
    _ paths: [String], _ pack: PromptPack, _ endpoint: ModelEndpoint, _ setup: ModelSetup,
    _ output: ResumedOutput?
  ) async throws -> ModelBatchOutcome {
    var sink = try ScoreOutput(
      records: output?.descriptor ?? 1, writesLate: writesLate, errorsFile: errors,
      reportsInline: inlineErrors,
      inputs: paths)
    let outcome = try await batchRun(pack, try modelBatchOptions()).score(
      paths, with: endpoint, runtime: setup.batchRuntime,
      skipping: output?.finished ?? FinishedRecords(), into: &sink)
    try sink.finish()
    if outcome.batch.report != nil, outcome.halt == nil {
      try ScoreReport(outcome: outcome.batch, rubric: pack.rubric).write { try sink.write($0) }
    }
    if summary {
      try sink.write(outcome.batch.totals.text)
    }
    noteSelection(outcome.batch.totals, sink)
    tell(outcome, sink)
    return outcome
  }

  private func refuseFacetsThatTheReportCannotShow(_ rubric: Rubric) throws {
    let strange = rubric.facets.map(\.facet).filter { !OfflineScorer.facets.contains($0) }
    guard let first = strange.first else { return }
    throw CommandFailure(
      .badData, "An HTML report shows the built-in facets; this pack has \(first).")
  }

  /// How well the model agrees with labeled conversations.
  private func compare(
    _ labels: String, _ pack: PromptPack, _ endpoint: ModelEndpoint, _ setup: ModelSetup
  ) async throws {
    try Comparison.check(labels: labels)
    var options = try modelBatchOptions()
    options.writesRecords = false
    options.format = .jsonl
    let known = Mutex<[Int: Ledger]>([:])
    var sink = try ScoreOutput(errorsFile: errors, reportsInline: false, inputs: [labels])
    let outcome = try await batchRun(pack, options).score(
      [labels], with: endpoint, runtime: setup.batchRuntime, skipping: FinishedRecords(),
      into: &sink,
      reading: { conversation, ledger in known.withLock { $0[conversation.line] = ledger } })
    try sink.finish()
    tell(outcome, sink)
    let found = known.withLock { $0 }
    let comparison = Comparison(table: ScoreTable(pack.rubric))
    let text = try comparison.run(labels: labels, asJSON: format == .jsonl) { conversation in
      found[conversation.line].map { ledger in
        conversation.transcript.userTurns.indices.map { ledger.bits(after: $0 + 1) }
      }
    }
    try sink.write(text)
    setup.remember()
    try leave(outcome)
  }

  private func tell(_ outcome: ModelBatchOutcome, _ sink: ScoreOutput) {
    sink.note(ModelBatchTexts.afterwards(outcome))
    if let totals = outcome.cascade { sink.note(ModelBatchTexts.spent(totals)) }
  }

  private func batchRun(_ pack: PromptPack, _ options: BatchOptions) -> ModelBatchRun {
    guard scorer.isCascade else { return ModelBatchRun(pack: pack, options: options) }
    return ModelBatchRun(
      pack: pack, options: options, cascade: (budget ?? .usual).model(of: scorer))
  }

  private func modelBatchOptions() throws -> BatchOptions {
    var options = batchOptions
    options.jobs = jobs ?? 8
    (options.encoder, options.encoderBudget) = (try encoder(), encoderBudget)
    if resume != nil { options.format = .jsonl }
    return options
  }

  private func leave(_ outcome: ModelBatchOutcome) throws {
    if let halt = outcome.halt { throw ModelBatchTexts.failure(halt, wayOn: wayOn) }
    if let halt = outcome.cascade?.halt {
      throw ModelBatchTexts.failure(halt, wayOn: ModelBatchTexts.keptOffline)
    }
    if outcome.batch.failed > 0 { throw ExitStatus.badData.exit }
  }

  private var wayOn: String {
    resume == nil
      ? "All written records are complete; continue with --resume FILE."
      : ModelBatchTexts.again
  }

  private func tellEstimate(
    _ paths: [String], _ pack: PromptPack, _ context: CommandContext
  ) async throws {
    let finished =
      try resume.map {
        try ResumedOutput.finished(in: $0, cascade: scorer.isCascade)
      } ?? FinishedRecords()
    let estimate = try await batchRun(pack, try modelBatchOptions()).estimate(
      paths, skipping: finished)
    let model = context.settings.connection().ready
      .flatMap { context.settings.model(.modelFast, at: $0)?.value }
    let asJSON = format == .jsonl
    print(
      asJSON
        ? ModelBatchTexts.json(estimate, model) : ModelBatchTexts.beforehand(estimate, model))
  }
}

extension ModelSetup {
  /// The model for scoring. Never asks anyone for a key.
  func scoringEndpoint() async throws -> ModelEndpoint {
    let connection = try context.connection()
    if let name = context.settings.model(.modelFast, at: connection)?.value {
      return endpoint(connection, model: name)
    }
    return endpoint(connection, model: try await chooseModels(connection)[.fast] ?? "")
  }

  /// Waits far longer than a person in a chat would.
  var batchRuntime: ModelRuntime {
    var runtime = runtime
    runtime.retries = .patient
    return runtime
  }
}
