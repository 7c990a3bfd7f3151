import Glibc
import IncrementalJSON
public import LanguageModels

/// What models were found to reject, kept between runs so that each limit is learned only once.
///
/// It is a convenience: a file that cannot be read or written costs a repeated request and nothing
/// else, so nothing here throws.
public struct CapabilityFile: Sendable {
  public let path: String

  /// Servers change: entries older than this many seconds are learned again.
  public static let longestAge = 30 * 86_400

  public init(path: String) { self.path = path }

  public func load() -> CapabilityMemory.Snapshot {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return .init() }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, time(nil) - status.st_mtim.tv_sec < Self.longestAge
    else {
      return .init()
    }
    let text = String(decoding: RegularFile.bytes(descriptor, limit: 256 * 1024), as: UTF8.self)
    let entries = (try? JSONValue(parsing: text))?.arrayValue ?? []
    return .init(entries: entries.compactMap(Self.entry))
  }

  /// Replaces the file in one step.
  public func save(_ snapshot: CapabilityMemory.Snapshot) {
    // Of most models there's nothing to remember, and an address can hold a key by mistake.
    let learned = snapshot.entries.filter { $0.capabilities.isWorthKeeping }
    let entries = learned.map { entry -> JSONValue in
      let refused = entry.capabilities.refused.map(\.rawValue).sorted()
      var value: JSONObject = [
        "baseURL": .string(entry.baseURL), "model": .string(entry.model),
        "refused": .array(refused.map { .string($0) }),
        "draftsFirst": .bool(entry.capabilities.draftsFirst),
      ]
      let room = entry.capabilities.room
      if let window = room.window { value["window"] = JSONValue(window) }
      if let slots = room.slots { value["slots"] = JSONValue(slots) }
      return .object(value)
    }
    _ = PrivateFile.replace(path, with: JSONValue.array(entries).serialized(pretty: true) + "\n")
  }

  private static func entry(_ value: JSONValue) -> CapabilityMemory.Snapshot.Entry? {
    guard let baseURL = value["baseURL"]?.stringValue, let model = value["model"]?.stringValue
    else {
      return nil
    }
    let names = (value["refused"]?.arrayValue ?? []).compactMap(\.stringValue)
    let capabilities = ModelCapabilities(
      refused: Set(names.compactMap { RequestField(rawValue: $0) }),
      draftsFirst: value["draftsFirst"] == true,
      room: ServerRoom(window: value["window"]?.intValue, slots: value["slots"]?.intValue))
    return .init(baseURL: baseURL, model: model, capabilities: capabilities)
  }
}

extension ModelCapabilities {
  fileprivate var isWorthKeeping: Bool {
    !refused.isEmpty || draftsFirst || room.window != nil || room.slots != nil
  }
}
