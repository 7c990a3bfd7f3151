public import ContextQuality
import EncoderScorer
public import Intake
import OfflineScorer

extension QuickReader {
  /// One serves any number of conversations.
  private static let messages = EncoderModel.builtIn.map { MessageReader(model: $0) }

  /// Reads with the encoder; nil if it was not trained for the rubric.
  public static func encoder(for rubric: Rubric) -> QuickReader? {
    guard rubric.isReadOffline, let reader = messages else { return nil }
    return QuickReader(name: "encoder") { transcript, known in
      reader.read(transcript, known: known).map {
        QuickReading(
          evidence: $0.evidence, chances: $0.chances, tellsOfConditions: $0.tellsOfConditions,
          mayAct: RehearsalCoach.mayAct(transcript))
      }
    }
  }
}
