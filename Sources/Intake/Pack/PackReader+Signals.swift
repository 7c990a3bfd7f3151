import ContextQuality
import Signals

extension PackReader {
  func careNotes(_ path: String) throws(PackError) -> CareNotes {
    try CareNotes(json: raw(path), file: "\(folder)/\(path)")
  }

  func careNet(
    _ path: String, kinds: [CareKind], _ rules: SignalRules
  ) throws(PackError) -> CareNet {
    let files = try [CareNet.everywhere, path].map { path throws(PackError) in
      (text: try raw(path), name: "\(folder)/\(path)")
    }
    let net = try CareNet(files: files, kinds: kinds, rules: rules)
    if let name = net.unheard {
      throw PackError(
        file: "\(folder)/\(path)", reason: "\(name): expected at least one phrase")
    }
    return net
  }

  func intents(_ path: String) throws(PackError) -> IntentLexicon {
    try IntentLexicon(text: raw(path), file: "\(folder)/\(path)")
  }

  /// If the file is missing, the pack reads digits only.
  func measureWords(_ path: String) throws(PackError) -> MeasureWords {
    guard let text = files[path] else { return MeasureWords() }
    return try MeasureWords(text: text, file: "\(folder)/\(path)")
  }
}

extension CareNet {
  /// The phrases for all domains.
  fileprivate static let everywhere = "care/everywhere.txt"
}
