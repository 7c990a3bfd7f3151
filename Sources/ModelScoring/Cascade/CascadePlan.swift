/// How much a model may read in a cascade.
public enum ModelBudget: Hashable, Sendable {
  /// A share of the conversations, from 0 to 1.
  case share(Double)
  /// Tokens, of requests and answers together.
  case tokens(Int)
}

/// A conversation that a model could read.
struct CascadeCandidate: Hashable, Sendable {
  /// What reading it again may change; see ``OfflineReading/worth(_:isUnread:)``.
  var worth: Double
  /// An estimate of what that costs.
  var tokens: Int
}

/// Which conversations a model reads: those where it may change most for its cost.
struct CascadePlan: Sendable {
  let candidates: [CascadeCandidate]
  /// The chosen conversations by their place in the input, from 0: the first to choose has rank 0.
  let rank: [Int: Int]

  init(_ candidates: [CascadeCandidate], budget: ModelBudget) {
    self.candidates = candidates
    let worthwhile = candidates.indices.filter { candidates[$0].worth > 0 }
    let chosen: [Int]
    switch budget {
    case .share(let share):
      let most = Int((Double(candidates.count) * share + 1e-9).rounded(.down))
      let order = worthwhile.sorted {
        (candidates[$1].worth, $0) < (candidates[$0].worth, $1)
      }
      chosen = Array(order.prefix(most))
    case .tokens(let tokens):
      func gain(_ place: Int) -> Double {
        candidates[place].worth / Double(max(1, candidates[place].tokens))
      }
      var left = tokens
      chosen = worthwhile.sorted { (gain($1), $0) < (gain($0), $1) }.filter { place in
        guard candidates[place].tokens <= left else { return false }
        left -= candidates[place].tokens
        return true
      }
    }
    rank = Dictionary(uniqueKeysWithValues: chosen.enumerated().map { ($0.element, $0.offset) })
  }

  /// The estimated cost of everything chosen.
  var tokens: Int { rank.keys.reduce(0) { $0 + candidates[$1].tokens } }
}
