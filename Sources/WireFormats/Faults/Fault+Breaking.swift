import HTTPStreaming
import IncrementalJSON
import LanguageModels

/// What a fault knows about the exchange that it breaks.
struct FaultScene {
  let format: WireFormat
  let model: String
  let isStreaming: Bool
  /// Seconds since 1970, for headers that name a time.
  let now: Int

  var writer: ReplyFrames { ReplyFrames(format: format, model: model) }
}

// Faults that change the response itself.
extension Fault {
  typealias Frame = RecordedResponse.Frame

  func breaking(_ response: RecordedResponse, _ scene: FaultScene) -> RecordedResponse {
    switch name {
    case .split, .chunks, .drip, .mute: response
    case .silence: cut(response, scene, ending: .held)
    case .cut:
      cut(response, scene, ending: ["clean": .whole, "reset": .reset][text("close")] ?? .cut)
    case .streamError: failing(response, scene)
    case .noDone: withoutEndMark(response, scene)
    case .doneHeld: ending(response, .held)
    case .rateLimit: rateLimited(scene)
    case .status: VendorError(status: number("code"), format: scene.format).response(scene.format)
    case .html: htmlPage
    case .contentType: renamed(response)
    case .wholeBody: wholeBody(response, scene)
    case .malformed: malformed(response, scene)
    case .schemaIgnored:
      saying("Sure! From what they told me, I'd say they want to get fitter.", response, scene)
    case .fences:
      saying(response.answer(scene.format).map { "```json\n\($0.text)\n```" }, response, scene)
    case .refusal: refusing(response, scene)
    case .length: cutAtLimit(response, scene)
    case .promptCut: withPromptCut(response, scene)
    case .redirect: redirect
    case .unknownModel: refusal("The model `\(scene.model)` does not exist.", scene)
    case .proxyTrouble:
      refusal("upstream connect error or disconnect/reset before headers", scene)
    case .huge: saying(Self.filler(megabytes: number("megabytes")), response, scene)
    case .empty: RecordedResponse(headers: response.headers, content: .body(""))
    }
  }

  /// The body in frames, as it would be sent. Without a stream, a frame is a piece of the
  /// document.
  private func frames(_ response: RecordedResponse, _ scene: FaultScene) -> [Frame] {
    switch response.content {
    case .answer(let answer):
      scene.isStreaming
        ? scene.writer.frames(answer)
        : Self.pieces(of: scene.writer.document(answer).serialized())
    case .frames(let frames): frames
    case .body(let body): Self.pieces(of: body)
    }
  }

  private static let bytesInPiece = 48

  private static func pieces(of document: String) -> [Frame] {
    let bytes = Array(document.utf8)
    return stride(from: 0, to: bytes.count, by: bytesInPiece).map { start in
      let piece = bytes[start..<min(start + bytesInPiece, bytes.count)]
      // Use text if it is valid, so that written cassettes stay legible.
      let text = String(validating: piece, as: UTF8.self)
      return Frame(at: ReplyFrames.firstPiece, text.map { .raw($0) } ?? .bytes(Array(piece)))
    }
  }

  private func sending(
    _ frames: [Frame], _ response: RecordedResponse, _ scene: FaultScene
  ) -> RecordedResponse {
    var broken = response
    broken.content = .frames(frames)
    if case .frames = response.content { return broken }
    if !scene.isStreaming || response.isDocument {
      broken.headers.addIfMissing("content-type", response.documentType)
    }
    return broken
  }

  private func cut(
    _ response: RecordedResponse, _ scene: FaultScene, ending: RecordedResponse.Ending
  ) -> RecordedResponse {
    var broken = sending(Array(frames(response, scene).prefix(number("after"))), response, scene)
    broken.ending = ending
    return broken
  }

  private func failing(_ response: RecordedResponse, _ scene: FaultScene) -> RecordedResponse {
    let shape = ErrorShape(rawValue: text("shape"), format: scene.format)
    let before = Array(frames(response, scene).prefix(number("after")))
    // Without a stream the error is the whole answer, under a status that doesn't show it.
    guard scene.isStreaming else {
      var broken = response
      broken.content = .body(shape.document.serialized())
      return broken
    }
    let at = before.last?.at ?? ReplyFrames.firstPiece
    return sending(before + shape.frames(scene.writer, at: at), response, scene)
  }

  private func withoutEndMark(
    _ response: RecordedResponse, _ scene: FaultScene
  ) -> RecordedResponse {
    sending(
      frames(response, scene).filter {
        $0.content != .event(nil, .endMark) && !$0.isEvent("message_stop")
      }, response, scene)
  }

  private func ending(
    _ response: RecordedResponse, _ ending: RecordedResponse.Ending
  ) -> RecordedResponse {
    var broken = response
    broken.ending = ending
    return broken
  }

  private func malformed(_ response: RecordedResponse, _ scene: FaultScene) -> RecordedResponse {
    let all = frames(response, scene)
    let before = all.prefix(number("after"))
    let start =
      switch scene.format {
      case .openAI: "data: {\"choices\":[{\"index\":0,\"del\n\n"
      case .anthropic:
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"ind\n\n"
      }
    // Breaks the JSON inside a string as well as outside.
    let broken = scene.isStreaming ? start : "\"\n}{"
    let frame = Frame(at: before.last?.at ?? ReplyFrames.firstPiece, .raw(broken))
    return sending(before + [frame] + all.dropFirst(before.count), response, scene)
  }
}

// Faults that change what the model says.
extension Fault {
  private func changing(
    _ response: RecordedResponse, _ scene: FaultScene, _ change: (inout ModelAnswer) -> Void
  ) -> RecordedResponse {
    guard var answer = response.answer(scene.format) else { return response }
    change(&answer)
    var broken = response
    broken.content = .answer(answer)
    return broken
  }

  private func saying(
    _ text: String?, _ response: RecordedResponse, _ scene: FaultScene
  ) -> RecordedResponse {
    changing(response, scene) { if let text { $0.body = .text(text) } }
  }

  private func cutAtLimit(_ response: RecordedResponse, _ scene: FaultScene) -> RecordedResponse {
    changing(response, scene) {
      $0.body = .text(ReplyFrames.pieces($0.text).prefix(number("pieces")).joined())
      $0.finish = scene.format.lengthReason
    }
  }

  /// Only the server's own token count shows it.
  private func withPromptCut(
    _ response: RecordedResponse, _ scene: FaultScene
  ) -> RecordedResponse {
    changing(response, scene) {
      let output = $0.usage?.output ?? 16
      $0.usage = TokenUsage(input: max(1, number("tokens") - output), output: output)
    }
  }

  private func refusing(_ response: RecordedResponse, _ scene: FaultScene) -> RecordedResponse {
    guard scene.format == .openAI else {
      return changing(response, scene) {
        $0.body = .text("")
        $0.finish = "refusal"
      }
    }
    let words = "I'm sorry, I can't help with that."
    let usage = response.answer(scene.format)?.usage
    var broken = response
    broken.content =
      scene.isStreaming
      ? .frames(scene.writer.refusal(words, usage: usage))
      : .body(scene.writer.refusalDocument(words, usage: usage).serialized())
    return broken
  }

  private func wholeBody(_ response: RecordedResponse, _ scene: FaultScene) -> RecordedResponse {
    guard let answer = response.answer(scene.format) else { return response }
    var broken = response
    broken.content = .body(scene.writer.document(answer).serialized())
    return broken
  }

  private static func filler(megabytes: Int) -> String {
    String(repeating: "and then we walk a little further, and ", count: megabytes * 26_887)
  }
}

// Faults that answer in place of a model.
extension Fault {
  private func renamed(_ response: RecordedResponse) -> RecordedResponse {
    var broken = response
    broken.headers["content-type"] = text("value")
    return broken
  }

  private var htmlPage: RecordedResponse {
    let title = number("code") == 200 ? "Sign in to the network" : "\(number("code")) Bad Gateway"
    return RecordedResponse(
      status: number("code"), headers: ["content-type": "text/html"],
      content: .body("<html><head><title>\(title)</title></head><body>nginx</body></html>"))
  }

  private func refusal(_ message: String, _ scene: FaultScene) -> RecordedResponse {
    VendorError(status: number("code"), format: scene.format, message: message)
      .response(scene.format)
  }

  private var redirect: RecordedResponse {
    RecordedResponse(
      status: number("code"), headers: ["location": "https://elsewhere.example/v1"],
      content: .body(""))
  }

  private func rateLimited(_ scene: FaultScene) -> RecordedResponse {
    let wait = RateLimitWait(rawValue: text("after")) ?? .seconds
    guard wait != .quota else {
      // Anthropic reports an empty account with a separate status and type.
      let status = scene.format == .anthropic ? 402 : 429
      var error = VendorError(status: 402, format: scene.format)
      error.status = status
      error.message = "You exceeded your current quota, please check your plan and billing details."
      return error.response(scene.format)
    }
    return VendorError(status: 429, format: scene.format)
      .response(scene.format, headers: wait.headers(scene.format, now: scene.now))
  }
}

extension RecordedResponse {
  fileprivate var isDocument: Bool { if case .body = content { true } else { false } }
}

extension RecordedResponse.Frame {
  fileprivate func isEvent(_ type: String) -> Bool {
    guard case .event(_, let data) = content else { return false }
    return data["type"]?.stringValue == type
  }
}
