extension LogEntry {
  /// Takes over what was said, rounded to ten grams, to meters and to tenths of a second.
  mutating func take(_ amounts: Amounts) {
    let each = amounts.eachSet?.map {
      Series(repetitions: $0.repetitions, kilograms: rounded($0.kilograms))
    }
    if let each {
      eachSet = each
    } else if amounts.sets != nil || amounts.repetitions != nil {
      eachSet = nil
    } else if let load = rounded(amounts.kilograms) {
      eachSet = eachSet?.map { Series(repetitions: $0.repetitions, kilograms: load) }
    }
    sets = amounts.sets ?? sets
    repetitions = amounts.repetitions ?? repetitions
    kilograms = rounded(amounts.kilograms) ?? kilograms
    kilometers = amounts.kilometers.map { ($0 * 1_000).rounded() / 1_000 } ?? kilometers
    seconds = amounts.seconds.map { ($0 * 10).rounded() / 10 } ?? seconds
    laps = amounts.laps ?? laps
    steps = amounts.steps ?? steps
    units = amounts.units ?? units
  }

  private func rounded(_ kilograms: Double?) -> Double? {
    kilograms.map { ($0 * 100).rounded() / 100 }
  }
}
