import Glibc
import HTTPStreaming
import TestSupport
import Testing

/// Tasks that run on the network thread.
@Suite(.integration)
struct TaskExecutorTests {
  private static func thread() -> UInt { UInt(pthread_self()) }

  private func server(events: Int) throws -> LoopbackServer {
    try LoopbackServer { exchange in
      try exchange.startChunks()
      for number in 0..<events { try exchange.sendEvent("\(number)") }
      try exchange.endChunks()
    }
  }

  @Test func everythingOfATaskRunsOnOneThreadWhileItsTransferGoesOn() async throws {
    let client = HTTPClient()
    let server = try server(events: 200)
    let (threads, bytes) = try await withTaskExecutorPreference(client) {
      var threads: Set<UInt> = [Self.thread()]
      var bytes = 0
      for try await chunk in try await client.send(HTTPRequest(url: server.url())).body {
        threads.insert(Self.thread())
        bytes += chunk.count
        await Task.yield()
      }
      return (threads, bytes)
    }
    #expect(threads.count == 1)
    #expect(threads != [Self.thread()])
    #expect(bytes == (0..<200).reduce(0) { $0 + "data: \($1)\n\n".utf8.count })
  }

  @Test func manyTasksShareTheThread() async throws {
    let client = HTTPClient()
    let server = try server(events: 3)
    let lengths = try await withThrowingTaskGroup { group in
      for _ in 0..<40 {
        group.addTask(executorPreference: client) {
          var length = 0
          for try await chunk in try await client.send(HTTPRequest(url: server.url())).body {
            length += chunk.count
          }
          return length
        }
      }
      return try await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(lengths == Array(repeating: lengths[0], count: 40))
    #expect(lengths[0] > 0)
  }

  @Test func aTaskThatNeverStopsDoesNotStarveTheTransfers() async throws {
    let client = HTTPClient()
    let server = try server(events: 5)
    let spinning = Task(executorPreference: client) {
      while !Task.isCancelled { await Task.yield() }
    }
    let status = try await client.send(HTTPRequest(url: server.url())).status
    spinning.cancel()
    #expect(status == 200)
  }

  @Test func aTaskOutlivesTheLastOtherUseOfTheClient() async {
    let task = Task(executorPreference: HTTPClient()) {
      for _ in 0..<1_000 { await Task.yield() }
      return 7
    }
    #expect(await task.value == 7)
  }
}
