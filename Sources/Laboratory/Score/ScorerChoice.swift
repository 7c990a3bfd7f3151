import ArgumentParser
import BatchScoring
import ModelScoring

/// Which scorer to use: one tier, or several of which a dearer one reads what a cheaper one is unsure of.
struct ScorerChoice: Hashable, ExpressibleByArgument {
  /// From the cheapest to the dearest.
  let tiers: [ScoringTier]

  static let offline = Self([.linear])
  static let encoder = Self([.encoder])
  static let model = Self([.model])
  static let cascade = Self([.linear, .encoder])

  private static let named = [
    ("offline", offline), ("encoder", encoder), ("cascade", cascade),
    ("cascade=linear,encoder", cascade), ("cascade=linear,model", Self([.linear, .model])),
    ("cascade=encoder,model", Self([.encoder, .model])),
    ("cascade=linear,encoder,model", Self([.linear, .encoder, .model])), ("model", model),
  ]

  private init(_ tiers: [ScoringTier]) { self.tiers = tiers }

  init?(argument: String) {
    guard let choice = Self.named.first(where: { $0.0 == argument })?.1 else { return nil }
    self = choice
  }

  static var allValueStrings: [String] { named.map(\.0) }
  var defaultValueDescription: String { Self.named.first { $0.1 == self }?.0 ?? "" }

  var isCascade: Bool { tiers.count > 1 }
  var usesModel: Bool { tiers.contains(.model) }
  var usesEncoder: Bool { tiers.contains(.encoder) }
  /// The tier that a budget without a name is for.
  var dearest: ScoringTier { tiers.last ?? .linear }
}

/// What the dearer tiers of a cascade may do, as in `70%`, `200k-tokens` or `encoder=50%,model=10%`.
struct CascadeBudget: ExpressibleByArgument {
  private enum Amount: Hashable {
    /// From 0 to 1.
    case share(Double)
    case tokens(Int)

    init?(_ text: Substring) {
      if text.hasSuffix("%"), let percent = Double(text.dropLast()), (0...100).contains(percent) {
        self = .share(percent / 100)
      } else if text.hasSuffix("-tokens"), let tokens = Self.tokens(text.dropLast(7)) {
        self = .tokens(tokens)
      } else {
        return nil
      }
    }

    /// `200000`, `200k` or `2m`.
    private static func tokens(_ text: Substring) -> Int? {
      let factors: [Character: Double] = ["k": 1_000, "m": 1_000_000]
      let factor = text.last.flatMap { factors[$0] }
      guard let number = Double(factor == nil ? text : text.dropLast()) else { return nil }
      let tokens = number * (factor ?? 1)
      return (1...1e15).contains(tokens) ? Int(tokens) : nil
    }
  }

  /// By tier; nil is the dearest.
  private var amounts: [ScoringTier?: Amount] = [:]

  /// What a tier does unless told otherwise.
  private static let usualEncoder = 0.35
  private static let usualModel = 0.1

  init?(argument: String) {
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let tier = sides.count == 2 ? ScoringTier(rawValue: String(sides[0])) : nil
      guard let last = sides.last, let amount = Amount(last), sides.count == 1 || tier != nil,
        amounts.updateValue(amount, forKey: tier) == nil
      else { return nil }
    }
  }

  private init() {}

  static let usual = Self()

  /// What is wrong with it for a scorer; nil if nothing is.
  func problem(for scorer: ScorerChoice) -> String? {
    guard scorer.isCascade else { return "--budget needs --scorer cascade." }
    for (tier, amount) in amounts {
      let tier = tier ?? scorer.dearest
      guard scorer.tiers.dropFirst().contains(tier) else {
        return "--budget: \(tier.rawValue) isn't a tier of this cascade that others come before."
      }
      if case .tokens = amount, tier != .model {
        return "--budget: only a model has a budget in tokens. Give the encoder a share, like 50%."
      }
    }
    if amounts[nil] != nil, amounts[scorer.dearest] != nil {
      return "--budget gives \(scorer.dearest.rawValue) two budgets."
    }
    return nil
  }

  /// The share of its work that the encoder does; nil if it reads everything or is not there.
  func encoder(of scorer: ScorerChoice) -> Double? {
    guard scorer.tiers.dropFirst().contains(.encoder) else { return nil }
    guard case .share(let share) = amount(.encoder, scorer) else { return Self.usualEncoder }
    return share
  }

  func model(of scorer: ScorerChoice) -> ModelBudget {
    switch amount(.model, scorer) {
    case .share(let share): .share(share)
    case .tokens(let tokens): .tokens(tokens)
    case nil: .share(Self.usualModel)
    }
  }

  private func amount(_ tier: ScoringTier, _ scorer: ScorerChoice) -> Amount? {
    amounts[tier] ?? (scorer.dearest == tier ? amounts[nil] : nil)
  }
}
