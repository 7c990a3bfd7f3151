public import ContextQuality
public import FoundationEssentials
public import Intake
public import Plans

extension Surroundings {
  /// The local clock, and a coach that keeps a log, follows up on limits and looks back.
  ///
  /// - Parameter cycle: Finds the days that take turns since a journey among a session's events.
  /// - Throws: `PackError` if the pack's data for coaching is malformed.
  public static func coached(
    by pack: PromptPack, in zone: TimeZone = .current,
    cycle: @escaping @Sendable ([RecordedEvent]) -> DayCycle? = { _ in nil }
  ) throws(PackError) -> Surroundings {
    .coached(by: pack, try CoachingPack(pack, cycle: cycle), in: zone)
  }

  /// The same, for a host that opens many conversations and reads the pack's data once.
  ///
  /// - Parameter units: What the person chose for everything; nil goes by the conversation.
  public static func coached(
    by prompts: PromptPack, _ pack: CoachingPack, in zone: TimeZone, units: Units? = nil
  ) -> Surroundings {
    let offset: @Sendable (Date) -> Int = { zone.secondsFromGMT(for: $0) }
    return Surroundings(
      secondsFromGMT: offset,
      companion: CoachingModule(prompts, pack, units: units, secondsFromGMT: offset))
  }
}
