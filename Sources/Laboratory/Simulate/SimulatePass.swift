import Commands
import ContextQuality
import FoundationEssentials
import IncrementalJSON
import Intake
import Rehearsal
import Settings
import Simulation
import Startup
import Terminal
import WireFormats

/// One simulation: its people, its sides, and what is printed.
struct SimulatePass {
  let options: Simulate
  let terminal: TTY

  /// The default number of parallel conversations with a model.
  private static let usualWidthOfModels = 4

  func run() async throws {
    let packs = try self.packs()
    let (personas, others) = try self.personas(packs)
    if let name = options.month {
      let choice = try await choice(options.models.model.first)
      return try await playMonth(name, personas, coach(packs[0], choice))
    }
    let simulation = Simulation(
      personas: personas, sides: try await sides(packs), runs: options.runs, seed: options.seed,
      width: options.jobs ?? width, wording: try await wording(packs[0]),
      figures: options.beside == nil ? SimulationFigure.ofEngine : SimulationFigure.ofAnyCoach)
    if others > 0 { explain(others) }
    let view = SimulationView(options: options, terminal: terminal, personas: personas)
    let start = ContinuousClock.now
    let outcome = try await InterruptMonitor.process.cancelling {
      try await simulation.run { view.show($0, $1) }
    }
    guard case .finished(let report) = outcome else { throw ExitStatus.interrupted.exit }
    try check(report)
    view.show(report, ContinuousClock.now - start)
    if options.format == .html { try write(SimulationPage(report: report).html) }
  }

  private func playMonth(
    _ name: String, _ personas: [Persona], _ coach: SimulatedCoach
  ) async throws {
    let named = personas.filter { $0.name.lowercased() == name.lowercased() }
    guard let persona = named.first(where: { $0.month != nil }) else {
      let others = personas.filter { $0.month != nil }.map(\.name).joined(separator: ", ")
      throw CommandFailure(
        .usage,
        (named.isEmpty ? "Nobody here is called \(name)." : "\(name)'s sheet has no month.")
          + (others.isEmpty ? "" : " Try \(others)."))
    }
    do {
      let entries = try await SimulatedMonth(with: coach).play(persona, seed: options.seed)
      MonthTranscript(terminal: terminal).show(entries, of: persona)
    } catch let failure as SimulationFailure {
      throw CommandFailure(.modelUnreachable, "\(failure).")
    }
  }

  private func wording(_ pack: PromptPack) async throws -> ModelWording? {
    guard let name = options.models.personaModel else { return nil }
    return ModelWording(try await roles(name).coach, rubric: pack.rubric)
  }

  private var width: Int {
    options.models.model.isEmpty && options.models.personaModel == nil
      ? ProcessInfo.processInfo.activeProcessorCount : Self.usualWidthOfModels
  }

  private func write(_ html: String) throws {
    guard let path = options.output else { return terminal.write(html) }
    try OutputFile.write(html, to: path)
    terminal.write("\nThe page is in \(path).\n", as: .dim)
  }

  private func check(_ report: SimulationReport) throws {
    guard report.conversations == 0, let failure = report.failures.first else { return }
    let place = report.sides.count > 1 ? " on every side" : ""
    throw CommandFailure(
      .modelUnreachable,
      "No conversation completed\(place). The first one stopped with \(failure.reason)")
  }

  // MARK: People

  private func personas(_ packs: [PromptPack]) throws -> (chosen: [Persona], others: Int) {
    let all: [Persona]
    do throws(FieldError) {
      if let path = options.personas {
        all = try PersonaFolder.personas(at: path, for: packs[0])
      } else {
        all = try PersonaFolder.embedded(for: packs[0])
      }
    } catch {
      let hint =
        options.personas == nil
        ? " The built-in people are for the fitness pack. Name others with --personas." : ""
      throw CommandFailure(.badData, "\(error).\(hint)")
    }
    let chosen = all.filter { persona in
      (options.use.map { $0 == persona.use } ?? true)
        && (options.persona.isEmpty
          || options.persona.contains { persona.name.lowercased().contains($0.lowercased()) })
    }
    let readable = chosen.filter { !options.models.model.isEmpty || $0.language == "en" }
    if readable.isEmpty {
      throw CommandFailure(
        .usage,
        chosen.isEmpty
          ? "Nobody\(options.personas.map { " in \($0)" } ?? "") matches."
          : "A rehearsal reads only English, and nobody here writes it. Name a --model.")
    }
    return (readable, chosen.count - readable.count)
  }

  private func explain(_ others: Int) {
    terminal.writeNote(
      "A rehearsal reads only English, so \(others.counted("person is", "people are")) "
        + "left out.", as: .dim)
  }

  // MARK: Sides

  private func packs() throws -> [PromptPack] {
    guard !options.prompts.isEmpty else {
      return [try CommandContext(readsCredentials: false).promptPack()]
    }
    return try options.prompts.map { name in
      try CommandContext(flags: [.prompts: name], readsCredentials: false).promptPack()
    }
  }

  private func sides(_ packs: [PromptPack]) async throws -> [Simulation.Side] {
    func side(
      _ name: String, _ pack: PromptPack, _ choice: CoachChoice, _ policy: SimulatedPolicy
    ) -> Simulation.Side {
      Simulation.Side(name: name, coach: coach(pack, choice, policy))
    }
    if let file = options.beside, let listener = options.models.personaModel {
      return try await sides(beside: try prompt(file), listener, packs[0])
    }
    if options.models.model.count > 1 {
      var sides: [Simulation.Side] = []
      for model in options.models.model {
        sides.append(side(model, packs[0], try await choice(model), policies[0]))
      }
      return sides
    }
    let choice = try await self.choice(options.models.model.first)
    if packs.count > 1 {
      return zip(options.prompts, packs).map { side($0, $1, choice, policies[0]) }
    }
    return policies.map { side($0.rawValue, packs[0], choice, $0) }
  }

  /// A coach that is one prompt, and the engine, both on the same model and read by the same models.
  private func sides(
    beside prompt: String, _ listener: String, _ pack: PromptPack
  ) async throws -> [Simulation.Side] {
    let roles = try await roles(options.models.model.first ?? listener)
    let reader = ConversationReader(
      pack: pack, listener: try await self.roles(listener).coach, scorer: roles.fast)
    var engine = coach(pack, .models(roles))
    engine.reader = reader
    return [
      Simulation.Side(
        name: "one prompt",
        coach: OnePromptCoach(prompt: prompt, model: roles.coach, reader: reader)),
      Simulation.Side(name: "rapport", coach: engine),
    ]
  }

  private func prompt(_ file: String) throws -> String {
    let bytes: [UInt8]
    do throws(RegularFile.Failure) { bytes = try RegularFile.bytes(file) } catch {
      throw CommandFailure(.badData, "--beside: \(file) \(error.reason).")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandFailure(.badData, "--beside: \(file) isn't UTF-8 text.")
    }
    guard !PlainText.isBlank(text) else {
      throw CommandFailure(
        .badData, "--beside: \(file) is empty. It holds the prompt that makes a model the coach.")
    }
    return text
  }

  private var policies: [SimulatedPolicy] {
    options.policy.isEmpty ? [.shortfall] : options.policy
  }

  private func coach(
    _ pack: PromptPack, _ choice: CoachChoice, _ policy: SimulatedPolicy? = nil
  ) -> SimulatedCoach {
    SimulatedCoach(
      pack: pack, choice: choice, settings: (policy ?? policies[0]).settings())
  }

  private func choice(_ model: String?) async throws -> CoachChoice {
    guard let model else { return .rehearsal }
    return .models(try await roles(model))
  }

  private func roles(_ model: String) async throws -> ModelRoles {
    try await ModelRoles(options.models.flags(model: model), terminal)
  }
}

/// Prints conversations as they end, and the report.
final class SimulationView: Sendable {
  private let options: Simulate
  private let terminal: TTY
  private let personas: [String: Persona]

  init(options: Simulate, terminal: TTY, personas: [Persona]) {
    (self.options, self.terminal) = (options, terminal)
    self.personas = Dictionary(personas.map { ($0.name, $0) }, uniquingKeysWith: { one, _ in one })
  }

  func show(_ side: Simulation.Side, _ result: Simulation.Result) {
    switch result {
    case .success(let run):
      guard let persona = personas[run.persona] else { return }
      if options.json {
        terminal.writeRecord(run.json(side: side.name, persona).serialized())
      } else if options.verbose {
        SimulatedTranscript(terminal: terminal).show(run, persona, side.name)
      }
    case .failure(let failure):
      terminal.writeNote("\(side.name): \(failure)", as: .error)
    }
  }

  func show(_ report: SimulationReport, _ duration: Duration) {
    if options.json {
      terminal.writeRecord(report.json.serialized())
    } else if options.format == .table {
      SimulationTable(terminal: terminal, report: report).show(
        duration, isWorded: options.models.personaModel != nil)
    }
  }
}
