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
    return care(forWeight: target, body: body, said: said + [text])
  }

  /// The care that a weight needs beside the height that is known, or else beside that of a short adult.
  package func care(forWeight kilograms: Double, body: BodyNote?, said: [String]) -> CareFinding? {
    let told = said.reversed().lazy.compactMap { self.measureWords.height(in: $0) }.first
    return careNotes.care(
      forTarget: kilograms, heightCentimetres: body?.heightCentimetres ?? told)
  }
}
