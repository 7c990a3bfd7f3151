import ArgumentParser
import BatchScoring
import ContextQuality
import EncoderScorer
import Glibc
import IncrementalJSON
import Intake
import ModelScoring
import OfflineScorer
import ScoreReport
import Settings
import Startup

/// The source of the rubric.
struct ScoreRubricOptions: ParsableArguments {
  @Option(help: .pack, completion: .packs)
  var prompts: String?

  /// The rubric of the pack, which the offline scorer must have been trained on.
  func rubric() throws -> Rubric {
    guard let prompts else { return try PromptPack.embeddedRubric() }
    let pack = try PackFolder.pack(prompts)
    guard pack.rubric.isReadOffline else {
      throw CommandFailure(
        .usage,
        "There's no offline scorer for the pack \"\(pack.name)\": it was trained on another rubric. "
          + "Add --scorer model to score with a model.")
    }
    return pack.rubric
  }
}

/// Measures how well a scorer agrees with labeled conversations.
struct Comparison {
  let table: ScoreTable

  /// Labels are made by hand, so a larger file (in bytes) is something else.
  private static let largest = 1 << 30

  /// What a scorer knows after each user turn of the conversation on a line; nil if it failed,
  /// which leaves the conversation out.
  typealias Guess = (_ line: Int, _ labelled: LabelledTranscript) -> [UInt32]?

  /// - Parameter curve: What sending more on would change, for a cascade.
  func run(
    labels path: String, asJSON: Bool, curve: RoutingCurve? = nil, guess: Guess
  ) throws -> String {
    let agreement = try agreement(labels: path, guess: guess)
    return asJSON ? json(agreement, curve) : text(agreement) + (curve.map(text) ?? "")
  }

  /// A page about the differences.
  ///
  /// - Parameters:
  ///   - shown: The most conversations to show in full.
  ///   - curve: What sending more on would change, for a cascade.
  ///   - read: What a scorer found in the conversation on a line; nil if it failed.
  func page(
    labels path: String, rubric: Rubric, shown: Int, curve: RoutingCurve? = nil,
    read: (_ line: Int, _ labelled: LabelledTranscript) -> Ledger?
  ) throws -> String {
    var compared: [ComparedConversation] = []
    try forEach(labels: path) { line, labelled in
      guard let ledger = read(line, labelled) else { return }
      compared.append(
        ComparedConversation(
          id: labelled.id ?? "\(path):\(line)", register: labelled.register,
          transcript: labelled.transcript, truth: labelled.knownByTurn, labels: labelled.labels,
          ledger: ledger))
    }
    return ComparisonReport(compared, rubric: rubric, shown: shown, curve: curve).html
  }

  func agreement(labels path: String, guess: Guess) throws -> Agreement {
    var agreement = Agreement(weights: table.points, readyAbove: table.readyAbove)
    try forEach(labels: path) { line, labelled in
      guard let guess = guess(line, labelled) else { return }
      agreement.add(truth: labelled.knownByTurn, guess: guess)
    }
    return agreement
  }

  private static let budgets = [0, 0.2, 0.4, 0.6, 0.8, 1]

  /// Reads the labeled conversations once for each budget of the encoder's.
  func curve(labels path: String, encoder: EncoderModel) async throws -> RoutingCurve {
    var conversations: [LabelledTranscript] = []
    try forEach(labels: path) { conversations.append($1) }
    let readings = await withTaskGroup(of: (Int, Double, [RoutingCurve.Decisions]).self) { group in
      for (number, budget) in Self.budgets.enumerated() {
        group.addTask { [conversations, table] in
          let readers = OfflineReaders(table: table, encoder: encoder, budget: budget)
          var (turns, read) = (0, 0)
          let decisions = conversations.map { conversation in
            let reading = readers.read(conversation.transcript, turns: nil)
            turns += reading.tiers.count
            read += reading.tiers.count { $0 == .encoder }
            return RoutingCurve.Decisions(
              truth: conversation.knownByTurn, guess: reading.known, table)
          }
          return (number, Double(read) / Double(max(1, turns)), decisions)
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    return RoutingCurve(
      readings: readings.sorted { $0.0 < $1.0 }.map { (share: $0.1, decisions: $0.2) })
  }

  /// - Parameter readings: What a cascade with a model found, by line.
  func curve(labels path: String, readings: [Int: TieredReading]) throws -> RoutingCurve {
    var cases: [RoutingCurve.Case] = []
    try forEach(labels: path) { line, labelled in
      guard let reading = readings[line] else { return }
      func decisions(_ known: [UInt32]) -> RoutingCurve.Decisions {
        RoutingCurve.Decisions(truth: labelled.knownByTurn, guess: known, table)
      }
      cases.append(
        RoutingCurve.Case(
          offline: decisions(reading.offline.known),
          model: reading.model == nil ? nil : decisions(reading.known),
          rank: reading.rank ?? .max))
    }
    return RoutingCurve(cases: cases)
  }

  private func forEach(
    labels path: String, _ body: (_ line: Int, _ labelled: LabelledTranscript) -> Void
  ) throws {
    let bytes: [UInt8]
    do {
      bytes =
        try path == "-"
        ? RegularFile.bytes(0, limit: Self.largest)
        : RegularFile.bytes(path, limit: Self.largest)
    } catch {
      throw CommandFailure(.badData, "\(path): \(error.reason)")
    }
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() where !line.isEmpty {
      do {
        body(number + 1, try LabelledTranscript(JSONValue(parsing: line)))
      } catch {
        throw CommandFailure(.badData, "\(path):\(number + 1): \(error)")
      }
    }
  }

  private func text(_ agreement: Agreement) -> String {
    var lines = ["facet                            precision   recall    kappa  support"]
    for (index, facet) in OfflineScorer.facets.enumerated() {
      let figures = agreement.figures(of: index)
      let count = agreement.counts[index]
      let name = facet.description
      lines.append(
        name + String(repeating: " ", count: max(1, 33 - name.count)) + "    "
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

  private func text(_ curve: RoutingCurve) -> String {
    let rows = curve.points.map { point in
      let (share, wrong) = (ShownFigure.percent(point.share), point.wrong)
      return "  \(share) sent on: \(ShownFigure.percent(wrong.value)) "
        + "(\(ShownFigure.percent(wrong.low)) to \(ShownFigure.percent(wrong.high)))\n"
    }
    return
      "ready decisions that are wrong, by the share of \(curve.sent.rawValue), with 95% range:\n"
      + rows.joined()
  }

  private func json(_ agreement: Agreement, _ curve: RoutingCurve?) -> String {
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
    var document: JSONObject = [
      "prefixes": JSONValue(agreement.prefixes), "precision": Self.value(all.precision),
      "recall": Self.value(all.recall), "f1": Self.value(all.f1),
      "meanAbsoluteError": Self.value(agreement.meanAbsoluteError),
      "bias": Self.value(agreement.bias), "pearson": Self.value(agreement.pearson),
      "spearman": Self.value(agreement.spearman),
      "readyAgreement": Self.value(agreement.readyAgreement),
      "facets": .object(JSONObject(facets)),
    ]
    if let curve {
      document["readyWrong"] = .array(
        curve.points.map { point in
          [
            "sentOn": Self.value(point.share), "share": Self.value(point.wrong.value),
            "low": Self.value(point.wrong.low), "high": Self.value(point.wrong.high),
          ]
        })
    }
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

/// A conversation with the facets that a person found in it.
struct LabelledTranscript {
  let id: String?
  /// The kind of text, or its source.
  let register: String?
  let transcript: Transcript
  let knownByTurn: [UInt32]
  let labels: [ComparedConversation.Label]

  struct Malformed: Error, CustomStringConvertible {
    let description: String
  }

  init(_ row: JSONValue) throws {
    guard let messages = row["messages"]?.arrayValue, let labels = row["facets"]?.objectValue else {
      throw Malformed(description: "expected `messages` and `facets`")
    }
    transcript = Transcript(
      messages.compactMap { message in
        guard let role = message["role"]?.stringValue, let text = message["content"]?.stringValue,
          role == "user" || role == "assistant"
        else { return nil }
        return Transcript.Message(role == "user" ? .user : .coach, text)
      })
    id = row["id"]?.stringValue
    register = row["register"]?.stringValue ?? row["source"]?.stringValue
    var found: [ComparedConversation.Label] = []
    var known = [UInt32](repeating: 0, count: transcript.userTurns.count)
    for (name, label) in labels {
      guard let facet = OfflineScorer.facets.firstIndex(where: { $0.description == name }),
        let turn = label["turn"]?.intValue, turn >= 1
      else { throw Malformed(description: "\(name): unknown facet, or missing turn") }
      found.append(.init(facet: facet, turn: turn, quote: label["quote"]?.stringValue ?? ""))
      let until = label["until"]?.intValue ?? .max
      for index in known.indices where turn <= index + 1 && index + 1 < until {
        known[index] |= 1 << UInt32(facet)
      }
    }
    knownByTurn = known
    self.labels = found
  }

  /// - Parameter encoder: Nil for the fast scorer.
  func read(_ encoder: EncoderScorer?) -> Ledger {
    encoder?.ledger(of: transcript) ?? OfflineScorer().ledger(of: transcript)
  }

  /// - Parameter encoder: Nil for the fast scorer.
  func scoredByTurn(_ encoder: EncoderScorer?) -> [UInt32] {
    encoder?.knownByTurn(transcript) ?? OfflineScorer().knownByTurn(transcript)
  }
}
