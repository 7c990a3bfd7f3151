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

  /// Labels are made by hand, so a larger file (in bytes) is something else.
  private static let largest = 1 << 30

  /// What a scorer knows after each user turn of the conversation on a line; nil if it failed,
  /// which leaves the conversation out.
  typealias Guess = (_ line: Int, _ labelled: LabelledTranscript) -> [UInt32]?

  func run(labels path: String, asJSON: Bool, guess: Guess) throws -> String {
    let agreement = try agreement(labels: path, guess: guess)
    return asJSON ? json(agreement) : text(agreement)
  }

  func agreement(labels path: String, guess: Guess) throws -> Agreement {
    var agreement = Agreement(weights: table.points, readyAbove: table.readyAbove)
    try forEach(labels: path) { line, labelled in
      guard let guess = guess(line, labelled) else { return }
      agreement.add(truth: labelled.knownByTurn, guess: guess)
    }
    return agreement
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

/// A conversation with the facets that a person found in it.
struct LabelledTranscript {
  let transcript: Transcript
  let knownByTurn: [UInt32]

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
    var known = [UInt32](repeating: 0, count: transcript.userTurns.count)
    for (name, label) in labels {
      guard let facet = OfflineScorer.facets.firstIndex(where: { $0.description == name }),
        let turn = label["turn"]?.intValue, turn >= 1
      else { throw Malformed(description: "\(name): unknown facet, or missing turn") }
      let until = label["until"]?.intValue ?? .max
      for index in known.indices where turn <= index + 1 && index + 1 < until {
        known[index] |= 1 << UInt32(facet)
      }
    }
    knownByTurn = known
  }

  /// - Parameter encoder: Nil for the fast scorer.
  func scoredByTurn(_ encoder: EncoderScorer?) -> [UInt32] {
    encoder?.knownByTurn(transcript) ?? OfflineScorer().knownByTurn(transcript)
  }
}
