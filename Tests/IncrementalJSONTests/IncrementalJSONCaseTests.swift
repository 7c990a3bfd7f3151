import FoundationEssentials
import IncrementalJSON
import TestSupport
import Testing

struct IncrementalJSONCaseTests {
  static let cases = (try? CaseFile("partial-json-cases").cases) ?? []

  @Test func theCaseFileIsThere() throws {
    #expect(try CaseFile("partial-json-cases").cases.count >= 119)
  }

  @Test(arguments: cases)
  func exposesWhatTheCaseSays(_ sample: Case) throws {
    let bytes = try prefix(sample)
    expect(reader(of: [bytes[...]]), sample)
    expect(reader(of: bytes.indices.map { bytes[$0...$0] }), sample)
    for cut in 0...bytes.count {
      expect(reader(of: [bytes[..<cut], bytes[cut...]]), sample, cut: cut)
    }
  }

  private func prefix(_ sample: Case) throws -> [UInt8] {
    if let text = sample["prefix_b64"]?.string {
      return Array(try #require(Data(base64Encoded: text)))
    }
    return Array(try #require(sample["prefix"]?.string).utf8)
  }

  private func expect(
    _ reader: IncrementalJSONReader, _ sample: Case, cut: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let place = Comment(rawValue: cut.map { "cut at \($0)" } ?? "")
    #expect(
      reader.status.rawValue == sample["status"]?.string, place, sourceLocation: sourceLocation)
    guard reader.status != .invalid else { return }
    #expect(
      reader.complete == sample["complete"].flatMap(JSONValue.init(case:)), place,
      sourceLocation: sourceLocation)
    #expect(
      reader.partial == sample["partial"].flatMap(JSONValue.init(case:)), place,
      sourceLocation: sourceLocation)
  }
}

func reader(of pieces: [ArraySlice<UInt8>]) -> IncrementalJSONReader {
  var reader = IncrementalJSONReader()
  for piece in pieces { reader.receive(piece) }
  return reader
}

extension JSONValue {
  /// Nil for `null`, which stands for "no object" in the case file.
  fileprivate init?(case json: CaseJSON) {
    guard !json.isNull else { return nil }
    self.init(nested: json)
  }

  private init(nested json: CaseJSON) {
    self =
      switch json {
      case .null: .null
      case .bool(let value): .bool(value)
      case .number(let value): JSONValue(value) ?? .null
      case .string(let value): .string(value)
      case .array(let values): .array(values.map(JSONValue.init(nested:)))
      case .object(let members):
        .object(JSONObject(members.map { ($0.key, JSONValue(nested: $0.value)) }))
      }
  }
}
