public import ContextQuality
public import FoundationEssentials
public import Intake

extension Surroundings {
  /// The local clock, and a coach that keeps a log, follows up on limits and looks back.
  ///
  /// - Throws: `PackError` if the pack's data for coaching is malformed.
  public static func coached(
    by pack: PromptPack, in zone: TimeZone = .current
  ) throws(PackError) -> Surroundings {
    let offset: @Sendable (Date) -> Int = { zone.secondsFromGMT(for: $0) }
    return Surroundings(
      secondsFromGMT: offset, companion: try CoachingModule(pack, secondsFromGMT: offset))
  }
}
