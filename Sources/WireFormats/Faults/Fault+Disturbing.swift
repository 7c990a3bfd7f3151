// Faults that change only how the bytes arrive.
extension Fault {
  func disturb(_ delivery: inout Delivery, seed: UInt64) {
    switch name {
    case .mute:
      delivery.isSilent = true
      delivery.parts = []
      delivery.ending = .held
    case .split: delivery.recut([number("at")], pace: 0)
    case .drip: delivery.recut(every: 1, pace: number("pace"))
    case .chunks where text("random") == "yes":
      delivery.recut(
        delivery.cuts(upTo: max(1, number("bytes")), seed: seed), pace: number("pace"))
    case .chunks: delivery.recut(every: max(1, number("bytes")), pace: number("pace"))
    default: break
    }
  }
}

extension Delivery {
  fileprivate func cuts(upTo size: Int, seed: UInt64) -> [Int] {
    var random = SeededRandom(seed: seed)
    var cuts: [Int] = []
    var place = 0
    while place < byteCount {
      place += Int.random(in: 1...size, using: &random)
      cuts.append(place)
    }
    return cuts
  }

  fileprivate mutating func recut(every size: Int, pace: Int) {
    recut(Array(stride(from: size, to: byteCount, by: size)), pace: pace)
  }

  /// The same bytes, cut at these places. Each piece is sent once its last byte is available.
  fileprivate mutating func recut(_ cuts: [Int], pace: Int) {
    let all = parts.flatMap(\.bytes)
    let ends = Set(cuts.filter { $0 > 0 && $0 < all.count }).sorted() + [all.count]
    var recut: [Part] = []
    var start = 0
    var partEnd = parts.first?.bytes.count ?? 0
    var part = 0
    for (index, end) in ends.enumerated() where end > start {
      while partEnd < end, part + 1 < parts.count {
        part += 1
        partEnd += parts[part].bytes.count
      }
      let at = pace == 0 ? parts[part].at : (parts.first?.at ?? 0) + index * pace
      recut.append(Part(at: at, Array(all[start..<end])))
      start = end
    }
    parts = recut
    keepsParts = true
  }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
package struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
