import FoundationEssentials
import IncrementalJSON

/// A labeled conversation.
struct Labelled {
  struct Label {
    var turn: Int
    var quote: String
    var until: Int?
  }
  struct Turn {
    var question: String
    var text: String
  }

  var id: String
  var source: String
  /// The way of writing; "ordinary" if none is named.
  var register = "ordinary"
  var turns: [Turn]
  /// In the order of the rubric's facets; nil if never known.
  var labels: [Label?]
  /// Written for training, not a conversation: its score means nothing.
  var isSentence = false
  /// The only member of the model that learns from it; nil for all.
  var member: Int?
  /// How much it counts in training.
  var weight: Float = 1
  /// Whether its answers say what its questions ask for. Dice often put other answers after them.
  var teachesQuestions = true
  /// The user turns before the first, and what they made known.
  var earlierTurns = 0
  var knownBefore: UInt32 = 0
  /// The chance that the turn tells each facet, if the encoder read it. The labels are what it found.
  var chances: [Float]?

  func isKnown(_ facet: Int, after turn: Int) -> Bool {
    guard let label = labels[facet] else { return false }
    return label.turn <= turn && turn < label.until ?? .max
  }
}

enum Corpus {
  static let facets = [
    "goalClarity.outcome", "goalClarity.target", "goalClarity.timeframe", "goalClarity.motive",
    "obstacles.barrier", "obstacles.detail", "obstacles.physical", "exercisePreferences.activities",
    "exercisePreferences.dislikes", "exercisePreferences.access", "currentState.activity",
    "currentState.body", "currentState.capacity", "lifestyle.commitments", "lifestyle.availability",
    "lifestyle.recovery", "nutritionReadiness.eating", "nutritionReadiness.willingness",
    "communicationStyle.tone", "communicationStyle.cadence", "pastPatterns.tried",
    "pastPatterns.lesson", "energyPatterns.bestTime", "supportSystem.people",
  ]
  static let weights = [
    875, 750, 375, 500, 1000, 875, 625, 600, 300, 600, 400, 300, 300, 400, 400, 200, 250, 250, 300,
    200,
    150, 150, 100, 100,
  ]

  /// Conversations in registers of which no training run sees any. Thresholds are chosen and chances
  /// fitted on them.
  static func choosing() throws -> [Labelled] {
    let folder = "Training/strangers"
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      .filter { $0.hasPrefix("choose-") && $0.hasSuffix(".jsonl") }
      .flatMap { try conversations("\(folder)/\($0)") }
  }

  static func conversations(_ path: String) throws -> [Labelled] {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let source = String(path.split(separator: "/").last ?? "")
    return try text.split(separator: "\n").map { line in
      let row = try JSONValue(parsing: String(line))
      var turns: [Labelled.Turn] = []
      var question = ""
      for message in row["messages"]?.arrayValue ?? [] {
        let content = message["content"]?.stringValue ?? ""
        if message["role"]?.stringValue == "user" {
          turns.append(Labelled.Turn(question: question, text: content))
          question = ""
        } else {
          question = content
        }
      }
      let labels = facets.map { name -> Labelled.Label? in
        guard let label = row["facets"]?[name], let turn = label["turn"]?.intValue else {
          return nil
        }
        return Labelled.Label(
          turn: turn, quote: label["quote"]?.stringValue ?? "", until: label["until"]?.intValue)
      }
      return Labelled(
        id: row["id"]?.stringValue ?? "", source: source,
        register: row["register"]?.stringValue ?? "ordinary", turns: turns, labels: labels)
    }
  }

  /// `question | answer | facet facet`, one to a line; the whole answer is the quote.
  static func sentences(_ path: String) throws -> [Labelled] {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    return try text.split(separator: "\n").enumerated().compactMap { number, line in
      if line.hasPrefix("#") { return nil }
      let parts = line.split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingPrefix(while: { $0 == " " }) }
      guard parts.count == 3 else {
        throw CorpusError(detail: "\(path):\(number + 1): three parts")
      }
      var labels: [Labelled.Label?] = Array(repeating: nil, count: facets.count)
      for name in parts[2].split(separator: " ") {
        guard let facet = facets.firstIndex(where: { $0.hasSuffix("." + name) }) else {
          throw CorpusError(detail: "\(path):\(number + 1): no facet \(name)")
        }
        labels[facet] = Labelled.Label(turn: 1, quote: String(parts[1]), until: nil)
      }
      var row = Labelled(
        id: "sentence-\(number + 1)", source: "sentences",
        turns: [Labelled.Turn(question: String(parts[0]), text: String(parts[1]))], labels: labels)
      row.isSentence = true
      return row
    }
  }
}

struct CorpusError: Error, CustomStringConvertible {
  var detail: String
  var description: String { detail }
}
