import HTTPStreaming
import LanguageModels
import Synchronization

// Streams through the same models that the program uses, to be timed from outside:
//   rapport-bench sse URL MODEL              one reply; prints its bytes of text
//   rapport-bench many URL MODEL COUNT WIDTH COUNT replies, WIDTH of them in flight
// and makes conversations for `rapport test` to be timed with:
//   rapport-bench cassettes LABELS FOLDER CONVERSATIONS TURNS
// and folds a training log and sums it up, to see that it stays under 10 ms for 5,000 entries:
//   rapport-bench log ENTRIES
// and times a coaching prompt over a long conversation:
//   rapport-bench memory TURNS

func model(_ url: String, _ name: String) -> HTTPModel {
  let endpoint = ModelEndpoint(
    provider: "bench", format: .openAI, baseURL: url, apiKey: nil, model: name)
  let limits = ModelLimits(replyBytes: 1 << 30)
  return HTTPModel(endpoint, runtime: ModelRuntime(transport: HTTPClient(), limits: limits))
}

final class Counter: Sendable {
  let value = Atomic(0)
}

let request = ModelRequest(
  purpose: .ask, system: "You are a coach.", messages: [ModelMessage(.user, "hi")])

@Sendable func read(_ model: HTTPModel) async throws -> Int {
  var bytes = 0
  for try await event in model.reply(to: request) {
    if case .delta(let text) = event { bytes += text.utf8.count }
  }
  return bytes
}

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "sse" where arguments.count == 4:
  print("bytes \(try await read(model(arguments[2], arguments[3])))")
case "many" where arguments.count == 6:
  guard let count = Int(arguments[4]), let width = Int(arguments[5]) else { break }
  let model = model(arguments[2], arguments[3])
  let next = Counter()
  let done = Counter()
  try await withThrowingTaskGroup { group in
    for _ in 0..<width {
      group.addTask {
        while next.value.add(1, ordering: .relaxed).oldValue < count {
          if try await read(model) > 0 { done.value.add(1, ordering: .relaxed) }
        }
      }
    }
    try await group.waitForAll()
  }
  print("ok \(done.value.load(ordering: .relaxed))")
case "cassettes" where arguments.count == 6:
  guard let count = Int(arguments[4]), let turns = Int(arguments[5]) else { break }
  try await CassetteMaker(labels: arguments[2])
    .write(to: arguments[3], conversations: count, turns: turns)
case "log" where arguments.count == 3:
  guard let count = Int(arguments[2]) else { break }
  try LogBench(entries: count).run()
case "memory" where arguments.count == 3:
  guard let turns = Int(arguments[2]) else { break }
  try MemoryBench(turns: turns).run()
default:
  print(
    """
    usage: rapport-bench sse URL MODEL | many URL MODEL COUNT WIDTH
           | cassettes LABELS FOLDER CONVERSATIONS TURNS | log ENTRIES | memory TURNS
    """)
}
