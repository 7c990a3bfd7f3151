public import Cassettes
import FoundationEssentials
public import IncrementalJSON
public import Intake
import Journeys
public import WireFormats

/// A recorded walk through a journey: what somebody did, and what each screen showed.
///
/// Its `walk` is a list of steps. `do` says what was done: `{"answer": …}`, `{"back": true}`,
/// `{"info": true}`, `{"units": "metric"}`, `{"talk": […]}` with lines for the coach, `{"kill": true}`,
/// `{"days": 7}`, and `{"profileFails": true}` or `{"syncFails": true}` for the disk. `shows` is what a
/// person would notice. A `cassette` holds what a model's server answered to requests for documents.
public struct JourneyRecording: Hashable, Sendable {
  public private(set) var json: JSONObject
  private let cassette: Cassette?

  /// Nil if the file holds something else, such as a conversation.
  ///
  /// - Throws: `FieldError` if it names no journey or pack, or its cassette cannot be read.
  public init?(parsing bytes: [UInt8]) throws(FieldError) {
    guard let json = (try? JSONValue(parsing: bytes))?.objectValue, json["walk"] != nil else {
      return nil
    }
    guard json["walk"]?.arrayValue != nil else { throw FieldError("walk: expected a list") }
    for name in ["journey", "pack"] where json[name]?.stringValue == nil {
      throw FieldError("\(name): expected a text")
    }
    self.json = json
    do throws(FieldError) {
      cassette = try json["cassette"].map { json throws(FieldError) in try Cassette(json: json) }
    } catch {
      throw FieldError(path: "cassette.\(error.path)", error.reason)
    }
  }

  public var pack: String { json["pack"]?.stringValue ?? "" }
  public var journey: String { json["journey"]?.stringValue ?? "" }
  public var title: String { json["about"]?.stringValue ?? "" }
  public var tags: [String] { (json["tags"]?.arrayValue ?? []).compactMap(\.stringValue) }

  /// As a file.
  public var text: String { JSONValue.object(json).serialized(pretty: true) + "\n" }

  /// A walk that was walked again.
  public struct Play: Sendable {
    /// The same walk with what it shows now.
    public var recording: JourneyRecording
    fileprivate var cassette: Cassette?
    fileprivate var run = ConversationRun()

    /// What became of the cassette's exchanges; nil without a cassette.
    ///
    /// - Parameter isStrict: Whether drift is a failure.
    public func verdict(isStrict: Bool = false) -> ConversationVerdict? {
      cassette.map { ConversationVerdict(of: run, for: $0, isStrict: isStrict) }
    }
  }

  /// Walks through it again.
  ///
  /// - Parameter matching: With `purpose`, the cassette's exchanges are taken in order, and get the keys of
  ///   the requests that they answered.
  /// - Throws: `FieldError` if the journey is not in the pack; what the journey or its log throws.
  public func played(
    with pack: PromptPack, matching: CassettePlayer.Matching = .content
  ) async throws -> Play {
    guard let journey = try pack.journey(self.journey) else {
      throw FieldError("journey: the pack \(pack.name) has none of this name")
    }
    let world = cassette.map { World($0, matching) }
    let stage = try JourneyStage(journey, pack: pack, recording: json, world: world)
    var played: [JSONValue] = [["shows": try await stage.open()]]
    for step in json["walk"]?.arrayValue ?? [] {
      guard let action = step["do"] else { continue }
      played.append(["do": action, "shows": try await stage.act(action)])
    }
    var result = self
    result.json["walk"] = .array(played)
    if json["hasAccounts"] != nil { result.json["synced"] = .strings(stage.synced) }
    guard let world else { return Play(recording: result) }
    let run = world.checked(ConversationRun())
    if case .purpose = matching {
      result.json["cassette"] = world.cassette.completed(by: run, pack: pack).json
    }
    return Play(recording: result, cassette: world.cassette, run: run)
  }

  /// Where another play of it shows something else.
  public func differences(from played: JourneyRecording) -> [Mismatch] {
    let (old, new) = (json["walk"]?.arrayValue ?? [], played.json["walk"]?.arrayValue ?? [])
    var found = zip(old, new).enumerated().compactMap { index, steps -> Mismatch? in
      guard steps.0 != steps.1 else { return nil }
      let remark = steps.1["do"].map { "after \($0.serialized())" }
      return Mismatch(
        path: "walk[\(index)].shows", expected: Self.shown(steps.0), actual: Self.shown(steps.1),
        remark: remark)
    }
    if old.count != new.count {
      found.append(
        Mismatch(path: "walk", expected: "\(old.count) screens", actual: "\(new.count)"))
    }
    if json["synced"] != played.json["synced"] {
      found.append(
        Mismatch(
          path: "synced", expected: json["synced"]?.serialized() ?? "nothing",
          actual: played.json["synced"]?.serialized() ?? "nothing"))
    }
    return found
  }

  private static func shown(_ step: JSONValue) -> String {
    (step["shows"] ?? .null).serialized(pretty: true)
  }
}

extension ConversationSuite.Entry {
  /// The file's walk; nil if it holds a conversation.
  public func journey() throws(FieldError) -> JourneyRecording? {
    guard let data = FileManager.default.contents(atPath: path), data.count <= Self.byteLimit
    else { return nil }
    do throws(FieldError) { return try JourneyRecording(parsing: Array(data)) } catch {
      var error = error
      error.file = path
      throw error
    }
  }
}
