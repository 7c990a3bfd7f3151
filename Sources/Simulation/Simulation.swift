public import Intake

/// Plays personas against one coach after another, on all cores.
public struct Simulation: Sendable {
  /// A coach to measure.
  public struct Side: Sendable {
    public var name: String
    public var coach: any PlayableCoach

    public init(name: String, coach: any PlayableCoach) { (self.name, self.coach) = (name, coach) }
  }

  public var personas: [Persona]
  public var sides: [Side]
  /// Conversations with each persona.
  public var runs: Int
  /// The seed of the first of them; the others follow.
  public var seed: Int
  /// Conversations at the same time.
  public var width: Int
  public var wording: ModelWording?
  /// What is measured.
  public var figures: [SimulationFigure]

  public init(
    personas: [Persona], sides: [Side], runs: Int, seed: Int = 1, width: Int = 2,
    wording: ModelWording? = nil, figures: [SimulationFigure] = SimulationFigure.ofEngine
  ) {
    (self.personas, self.sides, self.runs) = (personas, sides, max(1, runs))
    (self.seed, self.width, self.wording) = (seed, max(1, width), wording)
    self.figures = figures
  }

  /// After this many failures of a side without a success, no more conversations start.
  static let patience = 4

  public typealias Result = Swift.Result<SimulatedRun, SimulationFailure>

  private struct Job: Sendable {
    var side: Int
    var persona: Int
    var run: Int
  }

  /// Plays everything and reports each conversation as it ends.
  ///
  /// The order in which they end depends on the machine; the report does not.
  ///
  /// - Throws: `CancellationError` if the task was canceled.
  public func run(
    told: (_ side: Side, _ result: Result) -> Void = { _, _ in }
  ) async throws -> SimulationReport {
    var jobs = personas.indices.flatMap { persona in
      (0..<runs).flatMap { run in
        sides.indices.map { Job(side: $0, persona: persona, run: run) }
      }
    }[...]
    var had = sides.map { _ in
      personas.map { _ in [SimulatedRun?](repeating: nil, count: runs) }
    }
    var failures: [SimulationFailure] = []
    // Failures of each side before its first success; nil after it.
    var failed = [Int?](repeating: 0, count: sides.count)
    await withTaskGroup(of: (Job, Result).self) { group in
      func start() {
        guard !Task.isCancelled, let job = jobs.popFirst() else { return }
        group.addTask { (job, await result(of: job)) }
      }
      for _ in 0..<width { start() }
      for await (job, result) in group {
        told(sides[job.side], result)
        switch result {
        case .success(let run):
          had[job.side][job.persona][job.run] = run
          failed[job.side] = nil
        case .failure(let failure):
          failures.append(failure)
          failed[job.side]? += 1
        }
        if failed.allSatisfy({ ($0 ?? 0) < Self.patience }) { start() }
      }
    }
    try Task.checkCancellation()
    return SimulationReport(
      personas: personas, names: sides.map(\.name), runs: had, failures: failures,
      figures: figures)
  }

  private func result(of job: Job) async -> Result {
    let persona = personas[job.persona]
    let coach = sides[job.side].coach
    do {
      return .success(try await coach.play(persona, seed: seed + job.run, wording: wording))
    } catch let failure as SimulationFailure {
      return .failure(failure)
    } catch {
      return .failure(SimulationFailure(persona: persona.name, reason: "\(error)"))
    }
  }
}

/// How a side chooses what to ask about. Those that a conversation cannot be set to are there to be
/// compared with.
public enum SimulatedPolicy: String, Hashable, Sendable, CaseIterable {
  case shortfall, lowest, random, form, weight

  /// The settings with this policy.
  public func settings(_ settings: IntakeSettings = IntakeSettings()) -> IntakeSettings {
    var settings = settings
    switch self {
    case .shortfall: settings.followUp = .largestShortfall
    case .lowest: settings.followUp = .lowest
    case .random: settings.trialOrder = .random(seed: 0)
    case .form: settings.trialOrder = .form
    case .weight: settings.trialOrder = .heaviest
    }
    return settings
  }
}
