import LanguageModels
import Synchronization
import Testing

@testable import Intake

/// Where an answer is read.
struct ReadingExecutorTests {
  private final class CountingExecutor: TaskExecutor {
    let jobs = Atomic(0)

    func enqueue(_ job: consuming ExecutorJob) {
      jobs.add(1, ordering: .relaxed)
      UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  private struct Model: LanguageModel {
    let readingExecutor: (any TaskExecutor)?
    var identity: ModelIdentity { ModelIdentity(provider: "Test", model: "m") }

    func reply(to request: ModelRequest) -> ModelReply {
      ModelReply { Source() }
    }
  }

  private struct Source: ModelReplySource {
    var left = ["one ", "two"]

    mutating func next() async throws(ModelError) -> ModelEvent? {
      await Task.yield()
      return left.isEmpty ? nil : .delta(left.removeFirst())
    }
  }

  @Test func theModelsExecutorReadsEachPiece() async {
    let executor = CountingExecutor()
    let request = ModelRequest(purpose: .ask, system: "", messages: [])
    let answer = await Answer.collect(from: Model(readingExecutor: executor), request, { _ in })
    #expect(answer.text == "one two")
    // It begins there, and comes back there after each wait.
    #expect(executor.jobs.load(ordering: .relaxed) >= 3)
    let elsewhere = await Answer.collect(from: Model(readingExecutor: nil), request, { _ in })
    #expect(elsewhere.text == "one two")
  }
}
