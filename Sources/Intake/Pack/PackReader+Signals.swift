import ContextQuality
import IncrementalJSON
import Signals

extension PackReader {
  func careNotes(_ path: String) throws(PackError) -> CareNotes {
    try CareNotes(json: raw(path), file: "\(folder)/\(path)")
  }

  func careNet(
    _ path: String, with other: CareNet.File?, kinds: [CareKind], _ rules: SignalRules
  ) throws(PackError) -> CareNet {
    let own = try [CareNet.everywhere, path].map { path throws(PackError) -> CareNet.File in
      (text: try raw(path), name: "\(folder)/\(path)")
    }
    let files = own.prefix(1) + (other.map { [$0] } ?? []) + own.dropFirst()
    let net = try CareNet(files: Array(files), kinds: kinds, rules: rules)
    if let name = net.unheard {
      throw PackError(
        file: "\(folder)/\(path)", reason: "\(name): expected at least one phrase")
    }
    return net
  }

  /// If the file is missing, the pack reads digits only.
  func measureWords(_ path: String) throws(PackError) -> MeasureWords {
    guard let text = files[path] else { return MeasureWords() }
    return try MeasureWords(text: text, file: "\(folder)/\(path)")
  }
}

extension PackDocument {
  /// The phrases of a built-in pack that this one catches too, before its own.
  func carePhrases() throws(PackError) -> CareNet.File? {
    guard let value = root["carePhrases"], value != .null else { return nil }
    guard let name = value.stringValue, PromptPack.embeddedNames.contains(name) else {
      let names = PromptPack.embeddedNames.joined(separator: ", ")
      throw wrong("carePhrases: expected one of \(names), found \(value.serialized())")
    }
    let path = "care.txt"
    guard let text = try PromptPack.embeddedFiles(name)[path] else {
      throw wrong("carePhrases: \(name) has no \(path)")
    }
    return (text: text, name: "\(name)/\(path)")
  }
}

extension CareNet {
  /// A text and its name, for errors.
  typealias File = (text: String, name: String)

  /// The phrases for all domains.
  fileprivate static let everywhere = "care/everywhere.txt"
}
