import Cassettes
import ContextQuality
import HTTPStreaming
import Intake
import LanguageModels
import Synchronization
import WireFormats

/// One conversation that passes through the proxy, and the cassette made from it.
final class ProxiedConversation: Sendable {
  private let recorder: CassetteRecorder
  private let file: String
  private let format: WireFormat
  /// Its fixed texts contain no personal data.
  private let pack: PromptPack
  private let onFailure: @Sendable (String) -> Void
  private let state = Mutex(State())

  private struct State {
    var words = ""
    var models = Cassette.Models()
    /// The last answer was an error, so the same request may come again.
    var hasFailed = false
  }

  init(
    _ client: HTTPClient, file: String, format: WireFormat, pack: PromptPack,
    onFailure: @escaping @Sendable (String) -> Void
  ) {
    recorder = CassetteRecorder(client)
    self.file = file
    self.format = format
    self.pack = pack
    self.onFailure = onFailure
    recorder.begin(.open)
  }

  var wordCount: Int { state.withLock { $0.words.utf8.count } }

  /// Adjacent messages may arrive joined in one request and separate in another.
  private static func joined(_ words: [String]) -> String { words.joined(separator: "\n\n") }

  func goesOn(with words: [String], _ format: WireFormat) -> Bool {
    let words = Self.joined(words)
    return state.withLock { state in
      guard format == self.format else { return false }
      if words.isEmpty { return state.words.isEmpty && state.hasFailed }
      return state.words.isEmpty || words == state.words || words.hasPrefix(state.words + "\n\n")
    }
  }

  /// What the request adds to the script.
  func take(_ words: [String], _ content: RequestContent) {
    let words = Self.joined(words)
    let added = state.withLock { state in
      defer { state.words = words }
      state.models.note(content.model, isStructured: content.structure != nil)
      guard words != state.words else { return "" }
      return String(words.dropFirst(state.words.isEmpty ? 0 : state.words.count + 2))
    }
    if !added.isEmpty { recorder.begin(.say(added)) }
  }

  /// Reads the answer to its end for the recording, even if the client leaves early.
  ///
  /// - Returns: What the client gets, and the reading task, which ends when the answer is on disk.
  func send(
    _ request: HTTPRequest
  ) async throws(HTTPError) -> (response: HTTPResponse, reading: Task<Void, Never>) {
    do throws(HTTPError) {
      let response = try await recorder.send(request)
      state.withLock { $0.hasFailed = response.status != 200 }
      let (chunks, queue) = AsyncStream<Result<[UInt8], HTTPError>>.makeStream()
      let reading = Task { [self] in
        do throws(HTTPError) {
          for try await chunk in response.body { queue.yield(.success(chunk)) }
        } catch {
          queue.yield(.failure(error))
        }
        write()
        queue.finish()
      }
      let body = HTTPBody(QueuedBody(chunks))
      return (
        HTTPResponse(status: response.status, headers: response.headers, body: body), reading
      )
    } catch {
      state.withLock { $0.hasFailed = true }
      write()
      throw error
    }
  }

  /// Replaces the file with the whole conversation so far.
  private func write() {
    let failure = state.withLock { state -> String? in
      var settings = Cassette.Settings()
      settings.models = state.models
      let cassette = recorder.recording.cassette(
        ConversationRecording.Facts(
          title: "A recorded conversation", wireFormat: format,
          rubricVersion: pack.rubric.version, settings: settings, fixedTexts: pack.fixedTexts))
      do throws(CassetteFile.Failure) {
        try CassetteFile(path: file, overwrites: true).write(cassette)
        return nil
      } catch {
        return error.description
      }
    }
    if let failure { onFailure(failure) }
  }
}

extension Cassette.Models {
  fileprivate mutating func note(_ model: String, isStructured: Bool) {
    if isStructured {
      fast = model
    } else {
      coach = model
      deep = model
    }
  }
}

/// A body whose reader is somewhere else.
private final class QueuedBody: HTTPBodySource {
  private let chunks: AsyncStream<Result<[UInt8], HTTPError>>

  init(_ chunks: AsyncStream<Result<[UInt8], HTTPError>>) { self.chunks = chunks }

  func next() async throws(HTTPError) -> [UInt8]? {
    var iterator = chunks.makeAsyncIterator()
    return try await iterator.next()?.get()
  }

  func close() {}
}
