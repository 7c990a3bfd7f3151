package import ContextQuality
import IncrementalJSON
package import LanguageModels

/// Holds profiles that another coach wrote to this program's own check.
extension PromptPack {
  package static var profileSchema: ResponseSchema {
    ResponseSchema(name: "coaching_system", json: CoachingSystemSchema.json)
  }

  /// The goals and constraints that rest on nothing the user said; nil if the answer holds no profile.
  package func unsupported(inProfile answer: String, of transcript: Transcript) -> [String]? {
    guard let object = JSONExtraction(from: answer, having: ["userGoals"]).object else {
      return nil
    }
    let root = JSONValue.object(object)
    var reader = SynthesisReader(today: nil)
    let written = reader.read(root)
    var supported = written
    Grounding(transcript: transcript, readings: [], readingRules: readingRules, signals: signals)
      .ground(&supported, claims: root["restsOn"])
    let kept = Set(supported.claims)
    return written.claims.filter { !kept.contains($0) }
  }
}

extension CoachingSystem {
  /// The texts of what has to rest on something.
  fileprivate var claims: [String] {
    ProfileField.grounded.flatMap { texts(of: $0) }
      + Constraints.lists.flatMap { constraints[keyPath: $0.path].map(\.detail) }
  }
}
