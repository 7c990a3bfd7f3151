import FoundationEssentials
import HTTPStreaming
package import IncrementalJSON
package import LanguageModels

extension RecordedResponse {
  package init(_ json: JSONValue, _ path: String) throws(FieldError) {
    let reader = try FieldReader(
      json, at: path,
      knows: [
        "status", "headers", "text", "json", "usage", "finish", "frames", "body", "ending",
      ])
    let status = try reader.count("status", upTo: 599) ?? 200
    guard status >= 200 else {
      throw FieldError(
        path: reader.path("status"), expected: "a status from 200 to 599", found: "\(status)")
    }
    self.init(
      status: status, headers: try reader.headers(), content: try reader.content(),
      ending: try reader.choice("ending", Ending.self) ?? .whole)
  }
}

extension FieldReader {
  package func fault(_ name: String) throws(FieldError) -> Fault? {
    guard let text = try text(name) else { return nil }
    do throws(Fault.Unreadable) { return try Fault(text) } catch {
      throw FieldError(path: path(name), error.reason)
    }
  }

  fileprivate func headers() throws(FieldError) -> HTTPHeaders {
    guard let value = value("headers") else { return [:] }
    guard let members = value.objectValue else {
      throw FieldError(path: path("headers"), expected: "an object", found: value.kind)
    }
    var headers = HTTPHeaders()
    for (name, value) in members {
      guard let text = value.stringValue, Self.isSendable(name + text) else {
        throw FieldError(
          path: path("headers") + "." + name, expected: "a string without control characters",
          found: value.stringValue == nil ? value.kind : "a control character")
      }
      headers.append(name, text)
    }
    return headers
  }

  private static func isSendable(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  fileprivate func content() throws(FieldError) -> RecordedResponse.Content {
    try checkOneOf(["text", "json", "frames", "body"])
    if let frames = try list("frames", RecordedResponse.Frame.init) {
      try Self.checkOrder(of: frames, path("frames"))
      return .frames(frames)
    }
    if let body = try text("body") { return .body(body) }
    let answer: ModelAnswer.Body =
      if let text = try text("text") { .text(text) } else { .json(object["json"] ?? .null) }
    return .answer(ModelAnswer(answer, usage: try usage("usage"), finish: try text("finish")))
  }

  private static func checkOrder(
    of frames: [RecordedResponse.Frame], _ path: String
  ) throws(FieldError) {
    for (index, frame) in frames.enumerated().dropFirst() where frame.at < frames[index - 1].at {
      throw FieldError(
        path: "\(path)[\(index)].at", expected: "at least \(frames[index - 1].at)",
        found: "\(frame.at)")
    }
  }

  package func usage(_ name: String) throws(FieldError) -> TokenUsage? {
    guard let value = value(name) else { return nil }
    let reader = try FieldReader(value, at: path(name), knows: ["input", "output"])
    return TokenUsage(
      input: try reader.count("input") ?? 0, output: try reader.count("output") ?? 0)
  }
}

extension RecordedResponse.Frame {
  /// The latest time that a frame may have, in milliseconds.
  package static let longestDelay = 3_600_000

  fileprivate init(_ json: JSONValue, _ path: String) throws(FieldError) {
    let reader = try FieldReader(json, at: path, knows: ["at", "event", "data", "raw", "base64"])
    try reader.checkOneOf(["data", "raw", "base64"])
    let at = try reader.count("at", upTo: Self.longestDelay) ?? 0
    if let raw = try reader.text("raw") {
      self.init(at: at, .raw(raw))
    } else if let coded = try reader.text("base64") {
      guard let data = Data(base64Encoded: coded) else {
        throw FieldError(path: reader.path("base64"), "not valid base64")
      }
      self.init(at: at, .bytes(Array(data)))
    } else {
      self.init(at: at, .event(try reader.text("event"), reader.object["data"] ?? .null))
    }
  }
}
