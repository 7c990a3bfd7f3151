/// SplitMix64: small, and the same on every machine for the same seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// The text in pieces cut between random scalars.
func randomPieces(of text: String, _ random: inout SeededGenerator) -> [String] {
  var pieces: [String] = []
  var piece = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    piece.append(scalar)
    if Int.random(in: 0..<4, using: &random) == 0 {
      pieces.append(String(piece))
      piece = String.UnicodeScalarView()
    }
  }
  return pieces + [String(piece)]
}
