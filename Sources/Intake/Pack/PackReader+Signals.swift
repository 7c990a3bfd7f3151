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
    let everywhere: CareNet.File = (try raw(CareNet.everywhere), "\(folder)/\(CareNet.everywhere)")
    let own: CareNet.File? = files[path].map { ($0, "\(folder)/\(path)") }
    let net = try CareNet(
      files: [everywhere, other, own].compactMap(\.self), kinds: kinds, rules: rules)
    var faults = PackFaults()
    for name in net.unheard {
      faults.add(
        PackError(file: "\(folder)/\(path)", reason: "\(name): expected at least one phrase"))
    }
    try faults.raise()
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
      throw wrong(
        "carePhrases: expected one of \(names), found \(value.serialized())", at: "carePhrases")
    }
    let path = "care.txt"
    guard let text = try PromptPack.embeddedFiles(name)[path] else {
      throw wrong("carePhrases: \(name) has no \(path)", at: "carePhrases")
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
