import ContextQuality
import EncoderScorer
import IncrementalJSON
import TestSupport
import Testing

@testable import OfflineScorer

/// The scorers in the program.
enum Tier: String, CaseIterable {
  case offline, encoder
  /// The fast scorer, and the encoder where it's unsure.
  case cascade

  /// The share of turns that the encoder reads; nil for all.
  var budget: Double? { self == .cascade ? 0.35 : nil }

  func knownByTurn(_ transcript: Transcript) throws -> [UInt32] {
    switch self {
    case .offline: OfflineScorer().knownByTurn(transcript)
    case .encoder, .cascade:
      EncoderScorer(model: try #require(.builtIn), budget: budget).knownByTurn(transcript)
    }
  }
}

/// A labeled conversation as a scorer reads it: what is known after each user turn.
struct ScoredConversation {
  /// How it is written, where it stands for a way of writing.
  var register: String?
  var truth: [UInt32]
  var guess: [UInt32]

  /// The turns that say nothing new, and those of them in which something was found.
  var quietTurns: (all: Int, noisy: Int) {
    var turns = (all: 0, noisy: 0)
    var (before, known) = (UInt32(0), UInt32(0))
    for (now, found) in zip(truth, guess) {
      defer { (before, known) = (now, found) }
      guard now & ~before == 0 else { continue }
      turns.all += 1
      turns.noisy += found & ~known & ~now != 0 ? 1 : 0
    }
    return turns
  }

  init(_ row: JSONValue, by tier: Tier = .offline) throws {
    let transcript = Fixtures.transcript(row)
    var known = [UInt32](repeating: 0, count: transcript.userTurns.count)
    for (bit, facet) in OfflineScorer.facets.enumerated() {
      guard let label = row["facets"]?[facet.description], let turn = label["turn"]?.intValue
      else { continue }
      for index in known.indices
      where turn <= index + 1 && index + 1 < label["until"]?.intValue ?? .max {
        known[index] |= 1 << UInt32(bit)
      }
    }
    register = row["register"]?.stringValue
    truth = known
    guess = try tier.knownByTurn(transcript)
  }
}

extension Agreement {
  /// How the scorer agrees with the labels, over every prefix.
  init(_ conversations: [ScoredConversation]) throws {
    let table = ScoreTable(try Fixtures.rubric())
    self.init(weights: table.points, readyAbove: table.readyAbove)
    for conversation in conversations {
      add(truth: conversation.truth, guess: conversation.guess)
    }
  }
}
