package import Signals

extension PromptPack {
  /// The care that a person's words need: by their phrases, or since they want to weigh too little.
  ///
  /// - Parameters:
  ///   - text: The words, without invisible characters.
  ///   - body: The height and weight that are known.
  ///   - said: What the person said before, in which a height may stand.
  package func care(in text: String, body: BodyNote? = nil, said: [String] = []) -> CareFinding? {
    if let care = careNet.classify(text) { return care }
    guard let target = measureWords.targetWeight(in: text),
      target < body?.weightKilograms ?? .infinity
    else { return nil }
    let told = (said + [text]).reversed().lazy.compactMap { self.measureWords.height(in: $0) }.first
    return careNotes.care(
      forTarget: target, heightCentimetres: body?.heightCentimetres ?? told)
  }
}
