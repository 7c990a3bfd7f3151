extension PackReader {
  func careNet(_ path: String) throws(PromptPackError) -> CareNet {
    try CareNet(text: raw(path), file: "\(folder)/\(path)")
  }

  func intents(_ path: String) throws(PromptPackError) -> IntentLexicon {
    try IntentLexicon(text: raw(path), file: "\(folder)/\(path)")
  }
}
