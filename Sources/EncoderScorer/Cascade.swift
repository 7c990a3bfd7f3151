/// Which turns go on from the fast scorer to the network.
enum Cascade {
  /// The fast scorer's doubt above which a turn goes on, for budgets of 0, 10, 20 … 100%:
  /// `train-scorer calibrate` prints them.
  private static let doubts = [
    24, 1.572, 1.211, 0.992, 0.838, 0.72, 0.57, 0.456, 0.318, 0.236, -1,
  ]

  /// - Parameter budget: The share of turns that may go on, from 0 to 1.
  static func mostDoubt(budget: Double) -> Double {
    let place = min(max(budget, 0), 1) * 10
    let index = min(9, Int(place))
    let share = place - Double(index)
    return doubts[index] * (1 - share) + doubts[index + 1] * share
  }
}
