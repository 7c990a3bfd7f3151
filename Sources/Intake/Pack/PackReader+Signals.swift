import ContextQuality
import Signals

extension PackReader {
  func careNet(_ path: String) throws(PackError) -> CareNet {
    let net = try CareNet(text: raw(path), file: "\(folder)/\(path)")
    if let name = net.unheard {
      throw PackError(
        file: "\(folder)/\(path)", reason: "\(name): expected at least one phrase")
    }
    return net
  }

  func intents(_ path: String) throws(PackError) -> IntentLexicon {
    try IntentLexicon(text: raw(path), file: "\(folder)/\(path)")
  }
}
