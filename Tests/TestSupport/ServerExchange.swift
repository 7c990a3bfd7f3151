import Glibc

/// One request and the connection to answer it on.
public struct ServerExchange {
  public let request: RecordedRequest
  let connection: ServerConnection

  /// Writes bytes as they are.
  public func write(_ bytes: [UInt8]) throws { try connection.write(bytes) }

  /// Writes text as it is: status line, headers and all.
  public func write(_ text: String) throws { try connection.write(Array(text.utf8)) }

  /// Writes the same bytes again and again until the client has taken none for `patience`
  /// milliseconds.
  ///
  /// - Returns: how many bytes were taken.
  public func writeUntilBlocked(_ bytes: [UInt8], patience: Int32 = 300, most: Int) throws -> Int {
    try connection.writeUntilBlocked(bytes, patience: patience, most: most)
  }

  /// Closes the connection in order.
  public func close() { connection.close() }

  /// Breaks the connection: the client sees a reset.
  public func reset() { connection.reset() }

  /// Blocks until the client has closed its side.
  public func waitForClientToClose() { connection.waitForClientToClose() }

  /// Blocks until the client has closed its side, or the time is over.
  ///
  /// - Returns: whether it has.
  public func waitForClientToClose(milliseconds: Int32) -> Bool {
    connection.waitForClientToClose(milliseconds: milliseconds)
  }
}

extension ServerExchange {
  /// A whole response of known length.
  public func respond(
    status: String = "200 OK", headers: [String] = [], body: String = "",
    contentType: String = "application/json"
  ) throws {
    let lines =
      ["HTTP/1.1 \(status)", "content-type: \(contentType)"] + headers
      + ["content-length: \(body.utf8.count)", "", body]
    try write(lines.joined(separator: "\r\n"))
  }

  /// The headers of a chunked response; follow them with ``sendChunk(_:)`` and ``endChunks()``.
  public func startChunks(
    contentType: String = "text/event-stream", headers: [String] = []
  ) throws {
    let lines =
      ["HTTP/1.1 200 OK", "content-type: \(contentType)"] + headers
      + ["transfer-encoding: chunked", "", ""]
    try write(lines.joined(separator: "\r\n"))
  }

  /// One HTTP chunk.
  public func sendChunk(_ text: String) throws {
    try write("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n")
  }

  /// One server-sent event in an HTTP chunk of its own.
  public func sendEvent(_ data: String, type: String? = nil) throws {
    try sendChunk((type.map { "event: \($0)\n" } ?? "") + "data: \(data)\n\n")
  }

  /// The end of a chunked response.
  public func endChunks() throws { try write("0\r\n\r\n") }

  /// A whole chunked event stream, one chunk an event.
  public func respondWithEvents(_ data: [String]) throws {
    try startChunks()
    for event in data { try sendEvent(event) }
    try endChunks()
  }
}
