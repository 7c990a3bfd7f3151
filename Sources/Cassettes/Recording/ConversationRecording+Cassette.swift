import ContextQuality
import FoundationEssentials
import HTTPStreaming
import LanguageModels
import WireFormats

extension ConversationRecording {
  /// The conversation as a cassette, without keys, addresses, numbers and the given names.
  ///
  /// Its fingerprints match what a replay sends: the parts of each request are redacted as in
  /// the script and the answers. Exchanges with unreadable requests are left out;
  /// ``unreadableRequests(_:)`` lists them.
  public func cassette(_ facts: Facts) -> Cassette {
    let redactor = redactor(facts)
    let fixed = FixedTexts(facts.fixedTexts)
    var cassette = Cassette(
      title: redactor.redact(facts.title), tags: facts.tags, wireFormat: facts.wireFormat,
      rubricVersion: facts.rubricVersion, settings: facts.settings,
      script: steps.map { $0.redacted(by: redactor) })
    let model = redactor.redactStructure(facts.settings.models.coach)
    cassette.source = .recorded(date: date, model: model)
    cassette.health = health?.mapTexts { redactor.redact($0, sparing: fixed) }
    cassette.otherEvents = otherEvents.map { event in
      event.mapTexts { redactor.redact($0, sparing: fixed) }
    }
    cassette.settings.startsAt = Int((startedAt ?? Date()).timeIntervalSince1970)
    cassette.settings.redactKeys(redactor)
    cassette.transcript = facts.transcript.map {
      Transcript.Message($0.speaker, redactor.redact($0.text, sparing: fixed))
    }
    for exchange in exchanges {
      guard
        let asked = try? RequestContent(parsing: exchange.request, format: facts.wireFormat)
      else { continue }
      let content = asked.redacted(by: redactor, sparing: fixed)
      cassette.exchanges.append(exchange.redacted(by: redactor, asking: content))
      let purpose = exchange.purpose.rawValue
      if !cassette.prompts.contains(where: { $0.purpose == purpose }) {
        cassette.prompts.append(Cassette.Prompt(purpose: purpose, lines: content.promptLines))
      }
    }
    return cassette
  }

  private var date: String {
    (startedAt ?? Date()).formatted(.iso8601.year().month().day())
  }

  private func redactor(_ facts: Facts) -> Redactor {
    let said = steps.compactMap { step -> String? in
      if case .say(let text) = step.act { text } else { nil }
    }
    // The question before a bare number says what the number is.
    let pairs = zip(facts.transcript, facts.transcript.dropFirst()).compactMap { question, answer in
      question.speaker == .coach && answer.speaker == .user
        ? String(question.text.suffix(120)) + "\n" + answer.text : nil
    }
    let answered = exchanges.flatMap { exchange in
      StreamTexts(exchange.blocks.map(\.bytes), isEventStream: exchange.isEventStream).texts
    }
    let wire = exchanges.flatMap { exchange in
      [String(decoding: exchange.bytes, as: UTF8.self)] + exchange.headers.fields.map(\.value)
    }
    return Redactor(
      configured: Array(secrets), names: facts.names,
      learningFrom: said + answered + pairs + (health?.texts ?? []) + otherEvents.flatMap(\.texts),
      keysFrom: wire + [facts.title, facts.settings.models.coach])
  }
}

extension Cassette.Step {
  fileprivate func redacted(by redactor: Redactor) -> Cassette.Step {
    var step = self
    if case .say(let text) = act { step.act = .say(redactor.redact(text)) }
    if case .afterText(let text)? = interrupt {
      step.interrupt = .afterText(Self.end(of: redactor.redact(text)))
    }
    return step
  }

  /// The last words shown: enough to identify the moment.
  private static func end(of text: String) -> String {
    guard text.count > 60 else { return text }
    let end = text.suffix(60)
    return String(end.firstIndex(of: " ").map { end[end.index(after: $0)...] } ?? end)
  }
}

extension Cassette.Settings {
  fileprivate mutating func redactKeys(_ redactor: Redactor) {
    models.fast = redactor.redactStructure(models.fast)
    models.coach = redactor.redactStructure(models.coach)
    models.deep = redactor.redactStructure(models.deep)
  }
}

extension RequestContent {
  fileprivate func redacted(by redactor: Redactor, sparing fixed: FixedTexts) -> RequestContent {
    var content = self
    content.model = redactor.redactStructure(model)
    content.system = redactor.redact(system, sparing: fixed)
    for index in messages.indices {
      content.messages[index].text = redactor.redact(messages[index].text, sparing: fixed)
    }
    return content
  }
}

extension RecordedExchange {
  /// The body as events, or as one document.
  var blocks: [EventStreamCutter.Block] {
    guard !isEventStream else { return EventStreamCutter.blocks(chunks) }
    let bytes = bytes
    return bytes.isEmpty ? [] : [EventStreamCutter.Block(at: 0, bytes: bytes)]
  }

  fileprivate func redacted(by redactor: Redactor, asking content: RequestContent) -> Exchange {
    let blocks = blocks
    let bodies = redactor.redact(blocks.map(\.bytes), isEventStream: isEventStream)
    let frames = zip(blocks, bodies).map {
      RecordedResponse.Frame(at: $0.at, wireBytes: $1)
    }
    let headers = headers.fields.map {
      HTTPHeaders.Field(name: $0.name, value: redactor.redactStructure($0.value))
    }
    let response = RecordedResponse(
      status: status ?? 200, headers: HTTPHeaders(headers), content: recorded(frames),
      ending: ending)
    return Exchange(
      purpose: purpose, request: content.record, response: response,
      fault: isMute ? try? Fault("mute") : nil)
  }

  private func recorded(_ frames: [RecordedResponse.Frame]) -> RecordedResponse.Content {
    guard status != nil, !isEventStream else { return .frames(frames) }
    if frames.isEmpty { return .body("") }
    guard case .bytes = frames[0].content else {
      return .body(String(decoding: frames[0].wireBytes, as: UTF8.self))
    }
    return .frames(frames)
  }

  /// No response arrived before the timeout, not even a head.
  private var isMute: Bool {
    if case .failed(let code) = outcome { status == nil && code.isTimeout } else { false }
  }

  private var ending: RecordedResponse.Ending {
    switch outcome {
    case .open, .whole: .whole
    case .failed(.cancelled): .held
    case .failed(let code) where code.isTimeout: .held
    case .failed(let code) where code.isTooLarge: .whole
    case .failed where status == nil: .reset
    case .failed: .cut
    }
  }
}
