import Foundation
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
    let (threads, bytes) = try await withTaskExecutorPreference(client.networkThread) {
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
        group.addTask(executorPreference: client.networkThread) {
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
    let spinning = Task(executorPreference: client.networkThread) {
      while !Task.isCancelled { await Task.yield() }
    }
    let status = try await client.send(HTTPRequest(url: server.url())).status
    spinning.cancel()
    #expect(status == 200)
  }

  @Test func aTaskOutlivesTheLastOtherUseOfTheClient() async {
    let task = Task(executorPreference: HTTPClient().networkThread) {
      for _ in 0..<1_000 { await Task.yield() }
      return 7
    }
    #expect(await task.value == 7)
  }

  @Test func threadsTakeTurnsAndATransferStaysOnTheThreadThatSentIt() async throws {
    let client = HTTPClient(configuration: .init(threads: 3))
    let server = try server(events: 20)
    var used: [UInt] = []
    for _ in 0..<6 {
      let threads = try await withTaskExecutorPreference(client.networkThread) {
        var threads: Set<UInt> = []
        for try await _ in try await client.send(HTTPRequest(url: server.url())).body {
          threads.insert(Self.thread())
        }
        return threads
      }
      used += threads
    }
    #expect(used.count == 6)
    #expect(Set(used).count == 3)
    #expect(Array(used[..<3]) == Array(used[3...]))
  }

  @Test func threadsHaveThePriorityOfTheThreadThatStartsThem() async throws {
    let client = HTTPClient(configuration: .init(threads: 2))
    let which = __priority_which_t(PRIO_PROCESS.rawValue)
    let starter = min(19, getpriority(which, id_t(getpid())) + 2)
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        setpriority(which, 0, starter)
        client.startThreads()
        continuation.resume()
      }
    }
    for _ in 0..<2 {
      let priority = await Task(executorPreference: client.networkThread) { getpriority(which, 0) }
        .value
      #expect(priority == starter)
    }
  }

  @Test func threadsShareTheConnectionsAndNoMoreThanThose() async throws {
    let client = HTTPClient(configuration: .init(maximumConnectionsPerHost: 3, threads: 2))
    let server = try server(events: 3)
    let statuses = try await withThrowingTaskGroup { group in
      for _ in 0..<10 {
        group.addTask {
          let response = try await client.send(HTTPRequest(url: server.url()))
          _ = try await response.body.bytes(limit: 1_000)
          return response.status
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: 200, count: 10))
    // Three connections are one for each thread: two would be one too many.
    #expect(server.connections.value == 2)
  }
}
