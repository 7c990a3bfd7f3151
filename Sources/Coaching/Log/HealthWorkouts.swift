public import HealthRecords

extension TrainingLog {
  /// The workouts of health data that the log does not have yet, as entries.
  ///
  /// A workout that was already noted, in words or from an earlier export, is left out: the same activity
  /// at an overlapping time, or on the same day if only that is known.
  public func new(_ workouts: [HealthWorkout], _ pack: CoachingPack) -> [LogEntry] {
    var log = self
    var new: [LogEntry] = []
    for workout in workouts {
      let activity = pack.activity(ofWorkout: workout.type)
      var entry = LogEntry(
        number: log.lastNumber + 1, day: workout.day,
        kind: workout.kilometers == nil ? .timed : .distance, activity: activity, source: .health)
      entry.seconds = (workout.minutes * 60).rounded()
      entry.kilometers = workout.kilometers
      (entry.begins, entry.ends) = (workout.begins, workout.ends)
      guard pack.bounds.breach(of: entry) == nil,
        log.duplicate(of: entry, family: pack.family(of:)) == nil
      else { continue }
      log.note(entry)
      new.append(entry)
    }
    return new
  }

  /// Notes entries that a person told, in order: under the next numbers, or in place of a workout of health data.
  ///
  /// - Parameter earlier: What the same words did before.
  func noting(
    _ entries: [LogEntry], _ pack: CoachingPack, after earlier: [CoachingEvent] = []
  ) -> [CoachingEvent] {
    var (log, told) = (self, Set<Int>())
    for event in earlier {
      if case .corrected(let entry) = event { told.insert(entry.number) }
      if case .noted(let entry) = event { log.note(entry) }
    }
    return entries.map { entry in
      if let workout = self.workout(toldBy: entry, pack, besides: told) {
        told.insert(workout.number)
        return .corrected(workout)
      }
      var new = entry
      new.number = log.lastNumber + 1
      log.note(new)
      return .noted(new)
    }
  }

  /// The workout of health data that words tell more about, with what they tell; nil if there is none.
  ///
  /// A watch knows "strength training" as one workout: the first exercise that the person reports takes its place,
  /// and the others are entries of their own.
  ///
  /// - Parameter others: The numbers of those that the person has told about already.
  package func workout(
    toldBy said: LogEntry, _ pack: CoachingPack, besides others: Set<Int>
  ) -> LogEntry? {
    if let known = duplicate(of: said), known.source == .health { return known.completed(by: said) }
    guard let known = duplicate(of: said, family: pack.family(of:)), known.source == .health,
      pack[activity: known.activity]?.isGeneral == true, !others.contains(known.number)
    else { return nil }
    var workout = said.completed(from: known)
    workout.number = known.number
    return workout
  }
}

extension CoachingPack {
  /// Activities of one family are the same exercise in different words: a watch's "strength training" is
  /// the squats that were noted that day.
  package func family(of activity: String) -> String {
    guard let known = self[activity: activity] else { return activity }
    return known.kind == .strength || known.isGeneral ? "strength" : activity
  }
}
