import ArgumentParser
import BatchScoring
import ContextQuality
import IncrementalJSON
import Intake
import OfflineScorer
import Startup
import Terminal

/// The source of the rubric.
struct ScoreRubricOptions: ParsableArguments {
  @Option(help: .pack, completion: .packs)
  var prompts: String?

  /// The rubric of the pack, which the offline scorer must have been trained on.
  func rubric() throws -> Rubric {
    guard prompts != nil else { return try PromptPack.embeddedRubric() }
    let pack = try pack()
    guard pack.rubric.isReadOffline else {
      throw CommandFailure(
        .usage,
        "There's no offline scorer for the pack \"\(pack.name)\": it was trained on another rubric. "
          + "Add --scorer model to score with a model.")
    }
    return pack.rubric
  }

  func pack() throws -> PromptPack {
    guard let prompts else { return try PromptPack.embedded() }
    return try PackFolder.pack(prompts)
  }
}

/// Measures how well a scorer agrees with labeled conversations.
struct Comparison {
  let table: ScoreTable

  /// What a scorer knows after each user turn of a conversation; nil if it failed, which leaves the
  /// conversation out.
  typealias Guess = (RecordedConversation) -> [UInt32]?

  func run(labels path: String, asJSON: Bool, guess: Guess) throws -> String {
    let agreement = try agreement(labels: path, guess: guess)
    return asJSON ? json(agreement) : text(agreement)
  }

  private func agreement(labels path: String, guess: Guess) throws -> Agreement {
    var agreement = Agreement(weights: table.points, readyAbove: table.readyAbove)
    try Self.forEach(labels: path) { conversation, truth in
      if let guess = guess(conversation) { agreement.add(truth: truth, guess: guess) }
    }
    return agreement
  }

  /// - Throws: ``CommandFailure`` if a label cannot be used.
  static func check(labels path: String) throws { try forEach(labels: path) { _, _ in } }

  private static func forEach(
    labels path: String, _ visit: (RecordedConversation, _ truth: [UInt32]) -> Void
  ) throws {
    var reader = ConversationReader(path, longestLine: BatchOptions().longestLine)
    while let item = reader.read() {
      switch item {
      case .problem(let problem, _): throw CommandFailure(.badData, problem.description)
      case .conversation(let conversation): visit(conversation, try truth(of: conversation))
      }
    }
  }

  /// The facets known after each user turn by the labels.
  private static func truth(of conversation: RecordedConversation) throws -> [UInt32] {
    func unusable(_ reason: String) -> CommandFailure {
      CommandFailure(.badData, "\(conversation.file):\(conversation.line): \(reason)")
    }
    guard let labels = conversation.labels else {
      throw unusable("expected `messages` and `facets`")
    }
    var known = [UInt32](repeating: 0, count: conversation.transcript.userTurns.count)
    for label in labels {
      guard let facet = OfflineScorer.facets.firstIndex(where: { $0.description == label.facet }),
        let turn = label.turn, turn >= 1
      else { throw unusable("\(label.facet): unknown facet, or missing turn") }
      for index in known.indices where label.isKnown(after: index + 1) {
        known[index] |= 1 << UInt32(facet)
      }
    }
    return known
  }

  private func text(_ agreement: Agreement) -> String {
    var lines = ["facet                            precision   recall    kappa  support"]
    for (index, facet) in OfflineScorer.facets.enumerated() {
      let figures = agreement.figures(of: index)
      let count = agreement.counts[index]
      let name = facet.description
      lines.append(
        name.padded(to: 33, gap: 1) + "    "
          + [figures.precision, figures.recall, agreement.kappa(of: index)].map(Self.figure)
          .joined(separator: "    ") + "  \(count[2] + count[3])")
    }
    let all = agreement.figures
    lines.append(
      "facets: precision \(Self.figure(all.precision)), recall \(Self.figure(all.recall)), F1 \(Self.figure(all.f1))"
    )
    lines.append(
      "overall, over \(agreement.prefixes) prefixes: mean absolute error \(Self.figure(agreement.meanAbsoluteError)),"
        + " bias \(Self.figure(agreement.bias)), Pearson \(Self.figure(agreement.pearson)),"
        + " Spearman \(Self.figure(agreement.spearman)), ready agreement \(Self.figure(agreement.readyAgreement))"
    )
    return lines.joined(separator: "\n") + "\n"
  }

  private func json(_ agreement: Agreement) -> String {
    let facets = OfflineScorer.facets.indices.map { index -> (String, JSONValue) in
      let figures = agreement.figures(of: index)
      let count = agreement.counts[index]
      return (
        OfflineScorer.facets[index].description,
        [
          "precision": Self.value(figures.precision), "recall": Self.value(figures.recall),
          "kappa": Self.value(agreement.kappa(of: index)),
          "support": JSONValue(count[2] + count[3]),
        ]
      )
    }
    let all = agreement.figures
    let document: JSONObject = [
      "prefixes": JSONValue(agreement.prefixes), "precision": Self.value(all.precision),
      "recall": Self.value(all.recall), "f1": Self.value(all.f1),
      "meanAbsoluteError": Self.value(agreement.meanAbsoluteError),
      "bias": Self.value(agreement.bias), "pearson": Self.value(agreement.pearson),
      "spearman": Self.value(agreement.spearman),
      "readyAgreement": Self.value(agreement.readyAgreement),
      "facets": .object(JSONObject(facets)),
    ]
    return JSONValue.object(document).serialized() + "\n"
  }

  private static func value(_ figure: Double) -> JSONValue {
    figure.isFinite ? JSONValue(floatLiteral: (figure * 10_000).rounded() / 10_000) : .null
  }

  private static func figure(_ value: Double) -> String {
    guard value.isFinite else { return "  -  " }
    let thousandths = Int((abs(value) * 1000).rounded())
    let digits = String(1000 + thousandths % 1000).dropFirst()
    return (value < 0 ? "-" : "") + "\(thousandths / 1000).\(digits)"
  }
}
