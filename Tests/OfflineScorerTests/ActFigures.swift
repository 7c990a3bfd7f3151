import EncoderScorer
import Foundation
import IncrementalJSON
import TestSupport

/// How acts are read in messages of ten people from whom nothing was learned and on whom nothing was
/// chosen.
struct ActFigures {
  /// Named as in `Training/encoder/acts.py`.
  static let writers = [
    "w03", "w09", "w15", "w21", "w27", "w42", "w47", "w51", "w57", "w61",
  ]
  private static let file = Fixtures.root.appending(path: "Fixtures/unseen/acts.json")

  struct Message {
    let moment: ActMoment
    let coach: String
    let text: String
    let acts: Set<String>

    init?(_ row: JSONValue) {
      guard let moment = row["moment"]?.stringValue.flatMap(ActMoment.init(rawValue:)),
        let coach = row["coach"]?.stringValue, let text = row["text"]?.stringValue,
        let acts = row["acts"]?.arrayValue
      else { return nil }
      (self.moment, self.coach, self.text) = (moment, coach, text)
      self.acts = Set(acts.compactMap(\.stringValue))
    }
  }

  static func messages() throws -> [Message] {
    try writers.flatMap { try Fixtures.rows("Training/acts/\($0).jsonl") }.compactMap(Message.init)
  }

  /// Of one act at a moment, or of all messages of a moment.
  struct Counts {
    /// The messages that do it; for a moment all of them.
    var messages = 0
    /// Those that the reader is sure of; for a moment those that it decides without an error.
    var found = 0
    /// Messages that don't do it, of which the reader is sure; for a moment those that it decides with one.
    var wrong = 0
    /// The others that may do it; for a moment those that it can't decide.
    var possible = 0
  }

  private(set) var counts: [String: Counts] = [:]
  private(set) var errors: [String] = []

  init(_ reader: ActReader) throws {
    for message in try Self.messages() {
      count(message, reader.read(message.text, after: message.coach, at: message.moment))
    }
  }

  private mutating func count(_ message: Message, _ reading: ActReading?) {
    let moment = message.moment.rawValue
    let sure = Set(reading?.sure ?? [])
    counts[moment, default: Counts()].messages += 1
    if reading?.isDecided != true {
      counts[moment, default: Counts()].possible += 1
    } else if sure == message.acts {
      counts[moment, default: Counts()].found += 1
    } else {
      counts[moment, default: Counts()].wrong += 1
    }
    for act in ActReading.names {
      let (isSure, does) = (sure.contains(act), message.acts.contains(act))
      let isPossible = reading?.possible.contains(act) == true
      guard isSure || does || isPossible else { continue }
      counts["\(moment) \(act)", default: Counts()].messages += does ? 1 : 0
      counts["\(moment) \(act)", default: Counts()].found += does && isSure ? 1 : 0
      counts["\(moment) \(act)", default: Counts()].wrong += isSure && !does ? 1 : 0
      counts["\(moment) \(act)", default: Counts()].possible += isPossible ? 1 : 0
      if isSure && !does { errors.append("\(moment) \(act): \(message.text)") }
    }
  }

  /// The figures as they are on file; with `RAPPORT_RECORD` they are also written.
  func checked() throws -> (now: String, onFile: String) {
    let environment = ProcessInfo.processInfo.environment
    if environment["RAPPORT_PRINT_QUALITY"] != nil {
      print(json + errors.map { "\($0)\n" }.joined())
    }
    if environment["RAPPORT_RECORD"] != nil { try Data(json.utf8).write(to: Self.file) }
    return (json, try String(contentsOf: Self.file, encoding: .utf8))
  }

  private var json: String {
    let lines = counts.sorted { $0.key < $1.key }.map { name, counts in
      "  \"\(name)\": {\"messages\": \(counts.messages), \"found\": \(counts.found), "
        + "\"wrong\": \(counts.wrong), \"possible\": \(counts.possible)}"
    }
    return "{\n\(lines.joined(separator: ",\n"))\n}\n"
  }
}
