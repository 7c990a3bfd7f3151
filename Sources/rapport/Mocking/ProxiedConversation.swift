import Cassettes
import ContextQuality
import HTTPStreaming
import LanguageModels
import MockServer
import Synchronization

/// One conversation that goes by, and the cassette that is made of it.
final class ProxiedConversation: Sendable {
  private let recorder: CassetteRecorder
  private let file: String
  private let format: WireFormat
  private let rubricVersion: Int
  private let onFailure: @Sendable (String) -> Void
  private let state = Mutex(State())

  private struct State {
    var words = ""
    var models = Cassette.Models()
    /// The last answer was no answer: whoever asks the same asks again.
    var hasFailed = false
  }

  init(
    _ client: HTTPClient, file: String, format: WireFormat, rubricVersion: Int,
    onFailure: @escaping @Sendable (String) -> Void
  ) {
    recorder = CassetteRecorder(client)
    self.file = file
    self.format = format
    self.rubricVersion = rubricVersion
    self.onFailure = onFailure
    recorder.begin(.open)
  }

  var wordCount: Int { state.withLock { $0.words.utf8.count } }

  /// Neighbouring messages come as one in some requests and apart in others.
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

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    do throws(HTTPError) {
      let response = try await recorder.send(request)
      state.withLock { $0.hasFailed = response.status != 200 }
      let body = EndTellingBody(response.body) { [self] in write() }
      return HTTPResponse(
        status: response.status, headers: response.headers, body: HTTPBody(body))
    } catch {
      state.withLock { $0.hasFailed = true }
      write()
      throw error
    }
  }

  /// The whole conversation so far, in the place of what was written before.
  private func write() {
    let failure = state.withLock { state -> String? in
      var settings = Cassette.Settings()
      settings.models = state.models
      let cassette = recorder.recording.cassette(
        ConversationRecording.Facts(
          title: "A conversation that went by", wireFormat: format, rubricVersion: rubricVersion,
          settings: settings))
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

/// Passes a body on and tells when it is over, whichever way.
private final class EndTellingBody: HTTPBodySource {
  private let body: Mutex<HTTPBody?>
  private let onEnd: Mutex<(@Sendable () -> Void)?>

  init(_ body: HTTPBody, onEnd: @escaping @Sendable () -> Void) {
    self.body = Mutex(body)
    self.onEnd = Mutex(onEnd)
  }

  func next() async throws(HTTPError) -> [UInt8]? {
    guard var iterator = body.withLock({ $0?.makeAsyncIterator() }) else { return nil }
    do throws(HTTPError) {
      let chunk = try await iterator.next(isolation: #isolation)
      if chunk == nil { tell() }
      return chunk
    } catch {
      tell()
      throw error
    }
  }

  func close() {
    body.withLock { $0 = nil }
    tell()
  }

  private func tell() {
    let once = onEnd.withLock { onEnd in
      defer { onEnd = nil }
      return onEnd
    }
    once?()
  }
}
