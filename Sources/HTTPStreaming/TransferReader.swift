/// The reader's reference to a transfer: releasing the last copy closes it.
final class TransferReader: Sendable {
  private let channel: TransferChannel
  private let loop: TransferLoop
  private let id: TransferID
  private let host: String

  init(starting request: PreparedRequest, on loop: TransferLoop) throws(HTTPError) {
    channel = TransferChannel()
    self.loop = loop
    host = request.url.authority
    id = try loop.start(request, channel: channel)
  }

  deinit { close() }

  /// Closes the transfer if it is still open.
  func close() {
    if channel.abandon(.cancelled(host: host)) { loop.post(.cancel(id)) }
  }

  func head(isolation: isolated (any Actor)?) async -> TransferChannel.Head {
    guard !Task.isCancelled else {
      close()
      return .failure(.cancelled(host: host))
    }
    return await withTaskCancellationHandler(
      operation: { await channel.waitForHead(isolation: isolation) },
      onCancel: { close() },
      isolation: isolation)
  }

  func next(isolation: isolated (any Actor)?) async -> TransferChannel.Chunk {
    guard !Task.isCancelled else {
      close()
      return .failure(.cancelled(host: host))
    }
    if let taken = channel.take() { return received(taken) }
    let taken = await withTaskCancellationHandler(
      operation: { await channel.waitForChunk(isolation: isolation) },
      onCancel: { close() },
      isolation: isolation)
    return received(taken)
  }

  private func received(_ taken: TransferChannel.Taken) -> TransferChannel.Chunk {
    if taken.mustResume { loop.post(.resume(id)) }
    return taken.chunk
  }
}
