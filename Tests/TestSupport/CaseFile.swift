public import FoundationEssentials

/// A file of cases in `Fixtures/cases`.
public struct CaseFile: Sendable {
  public let name: String
  public let cases: [Case]

  /// Reads `Fixtures/cases/NAME.json`, found by walking up from the calling file to the package.
  ///
  /// - Throws: what reading and decoding throw, or ``CaseFileError``.
  public init(_ name: String, from file: String = #filePath) throws {
    let url = try Self.packageRoot(from: file)
      .appending(path: "Fixtures/cases/\(name).json")
    let root = try JSONDecoder().decode(CaseJSON.self, from: Data(contentsOf: url))
    guard let list = root["cases"]?.array else { throw CaseFileError(detail: "no cases in \(url)") }
    self.name = name
    cases = list.enumerated().map { Case(index: $0, json: $1) }
    guard !cases.isEmpty else { throw CaseFileError(detail: "\(url) has no cases") }
  }

  /// The folder that holds `Package.swift`.
  public static func packageRoot(from file: String = #filePath) throws -> URL {
    var folder = URL(filePath: file).deletingLastPathComponent()
    while folder.path != "/" {
      let manifest = folder.appending(path: "Package.swift").path
      if FileManager.default.fileExists(atPath: manifest) { return folder }
      folder.deleteLastPathComponent()
    }
    throw CaseFileError(detail: "no Package.swift above \(file)")
  }
}

/// A case file is not where or what it should be.
public struct CaseFileError: Error, CustomStringConvertible {
  public var detail: String
  public var description: String { detail }
}

/// One case: whatever its file holds, with the ways an input can be written.
public struct Case: Sendable, CustomStringConvertible {
  public let index: Int
  public let json: CaseJSON

  /// Its `name` or `id`.
  public var name: String { json["name"]?.string ?? json["id"]?.string ?? "case \(index)" }
  public var description: String { name }

  public subscript(key: String) -> CaseJSON? { json[key] }

  /// The bytes of `input_b64`, `input_parts` or `input`, in that order of preference.
  public var input: [UInt8]? {
    if let text = json["input_b64"]?.string { return Data(base64Encoded: text).map(Array.init) }
    if let parts = json["input_parts"]?.array { return Self.join(parts) }
    return json["input"]?.string.map { Array($0.utf8) }
  }

  /// Pieces of `text` or `b64`, each repeated `times` times, joined.
  public static func join(_ parts: [CaseJSON]) -> [UInt8] {
    parts.reduce(into: []) { all, part in
      let decoded = part["b64"]?.string.flatMap { Data(base64Encoded: $0) }
      let piece = decoded.map(Array.init) ?? Array((part["text"]?.string ?? "").utf8)
      let times = part["times"]?.int ?? 1
      if piece.count == 1 {
        all += [UInt8](repeating: piece[0], count: times)
      } else {
        for _ in 0..<times { all.append(contentsOf: piece) }
      }
    }
  }
}

/// Any JSON value, as case files need it.
public enum CaseJSON: Hashable, Sendable, Decodable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([CaseJSON])
  case object([String: CaseJSON])

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([CaseJSON].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: CaseJSON].self))
    }
  }

  /// The member, or nil where this is no object or has none of that name.
  public subscript(key: String) -> CaseJSON? { object?[key] }

  public var isNull: Bool { self == .null }

  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  public var double: Double? { if case .number(let value) = self { value } else { nil } }
  public var int: Int? { double.flatMap { Int(exactly: $0) } }
  public var array: [CaseJSON]? { if case .array(let value) = self { value } else { nil } }
  public var object: [String: CaseJSON]? {
    if case .object(let value) = self { value } else { nil }
  }
}
