/// Reads the first JSON object of a model's answer while the answer is still arriving.
///
/// Text around the object (prose, code fences, `<think>` blocks) is skipped. A brace starts an
/// object only if a member's name and colon follow; otherwise it is prose and the search continues.
/// After that colon, an error is final.
///
/// Shown content is never withdrawn: names in progress, numbers that may continue and partial
/// literals are hidden, and a string in progress (``partial`` only) is shown up to its last
/// complete escape or UTF-8 sequence. A later error makes the whole object ``Status/invalid``.
///
/// Beyond RFC 8259 it tolerates one trailing comma, raw LF, CR and TAB in strings, and invalid
/// Unicode, which becomes U+FFFD. It rejects duplicate names, numbers that overflow a double, and
/// nesting deeper than ``JSONValue/depthLimit``.
public struct IncrementalJSONReader: Sendable {
  public enum Status: String, Hashable, Sendable {
    /// No object yet.
    case none
    case open
    /// The object is complete; everything after it is ignored.
    case done
    /// Not JSON. Do not act on any part of it.
    case invalid
  }

  private enum Phase: Sendable {
    case searching(ProseMatcher)
    /// After a brace that may be prose.
    case trying(PartialObject)
    case reading(PartialObject)
  }

  private var phase = Phase.searching(ProseMatcher())
  /// Bytes after an attempt's brace, to be read again if it fails.
  private var held: [UInt8] = []

  public init() {}

  public var status: Status {
    switch phase {
    case .searching: .none
    case .trying(let object), .reading(let object):
      object.hasFailed ? .invalid : object.isDone ? .done : .open
    }
  }

  /// The completed members, in the containers opened so far; nil while there is no object.
  public var complete: JSONValue? { object?.complete }

  /// ``complete``, including the string value in progress.
  public var partial: JSONValue? { object?.partial }

  private var object: PartialObject? {
    switch phase {
    case .searching: nil
    case .trying(let object), .reading(let object): object
    }
  }

  /// Reads the next bytes. How the answer is split into pieces makes no difference.
  public mutating func receive(_ bytes: some Sequence<UInt8>) {
    let direct: Void? = bytes.withContiguousStorageIfAvailable {
      receive(UnsafeRawBufferPointer($0))
    }
    if direct == nil { Array(bytes).withUnsafeBytes { receive($0) } }
  }

  public mutating func receive(_ text: String) { receive(text.utf8) }

  public mutating func receive(_ bytes: UnsafeRawBufferPointer) {
    guard case .reading = phase else { return search(bytes) }
    read(bytes)
  }

  private mutating func read(_ bytes: UnsafeRawBufferPointer) {
    guard case .reading(var object) = phase else { return }
    // Hold the only reference while the object grows, or each step would copy it.
    phase = .searching(ProseMatcher())
    object.read(bytes)
    phase = .reading(object)
  }

  private mutating func search(_ bytes: UnsafeRawBufferPointer) {
    held.append(contentsOf: bytes)
    var position = held.count - bytes.count
    /// The start of the held bytes that an attempt needs.
    var attempt = 0
    while position < held.count {
      let byte = held[position]
      position += 1
      switch phase {
      case .searching(var matcher):
        let isBrace = matcher.accept(byte)
        phase = isBrace ? .trying(PartialObject()) : .searching(matcher)
        if isBrace { attempt = position }
      case .trying(var object):
        phase = .searching(ProseMatcher())
        object.read(byte)
        if object.hasFailed {
          position = attempt
        } else if object.hasMember || object.isDone {
          phase = .reading(object)
        } else {
          phase = .trying(object)
        }
      case .reading:
        let rest = Array(held[(position - 1)...])
        held = []
        return rest.withUnsafeBytes { read($0) }
      }
    }
    if case .trying = phase {
      held.removeFirst(attempt)
    } else {
      held.removeAll(keepingCapacity: true)
    }
  }
}

/// Finds an opening brace outside `<think>` blocks.
private struct ProseMatcher: Sendable {
  private static let opening: StaticString = "<think>"
  private static let closing: StaticString = "</think>"

  private var isThinking = false
  private var matched = 0

  /// - Returns: Whether the byte is a brace that may start an object.
  mutating func accept(_ byte: UInt8) -> Bool {
    let tag = isThinking ? Self.closing : Self.opening
    if byte == tag.utf8Start[matched] {
      matched += 1
    } else {
      matched = byte == tag.utf8Start[0] ? 1 : 0
    }
    if matched == tag.utf8CodeUnitCount {
      isThinking.toggle()
      matched = 0
    }
    return byte == UInt8(ascii: "{") && !isThinking
  }
}
