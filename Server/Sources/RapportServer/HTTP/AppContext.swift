import Hummingbird
import Logging
import NIOCore
import SessionStore

/// A request's context: who asks, and what they may see.
struct AppContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  var caller: Caller = .localUser
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }

  /// The request's name in the log; empty if nothing is logged.
  var requestID: String { logger[metadataKey: "hb.request.id"].map { "\($0)" } ?? "" }

  /// The conversation that the request's path names.
  var conversation: SessionID {
    get throws { SessionID(rawValue: try parameters.require("id")) }
  }

  /// The address that the request came from.
  var address: String { channel.remoteAddress?.ipAddress ?? "" }
}
