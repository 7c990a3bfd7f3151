/// Phrases of which few can match in a text: the others are passed over without looking at them.
package struct PhraseList: Sendable {
  /// Two of what a pattern requires.
  private struct Needs: Sendable {
    var rarest: PhrasePattern.Initials
    var nextRarest: PhrasePattern.Initials

    func areMet(by initials: PhrasePattern.Initials) -> Bool {
      rarest & initials != 0 && nextRarest & initials != 0
    }
  }

  private(set) var patterns: [PhrasePattern] = []
  private var needs: [Needs] = []

  mutating func add(_ pattern: PhrasePattern) {
    patterns.append(pattern)
    let (rarest, nextRarest) = pattern.rarest
    needs.append(Needs(rarest: rarest, nextRarest: nextRarest))
  }

  var isEmpty: Bool { patterns.isEmpty }

  func matches(_ text: PhrasePattern.Text) -> Bool {
    let initials = text.allInitials
    return needs.indices.contains {
      needs[$0].areMet(by: initials) && patterns[$0].matches(in: text)
    }
  }

  /// Every place where one of them matches.
  func ranges(in text: PhrasePattern.Text) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    let initials = text.allInitials
    for index in needs.indices where needs[index].areMet(by: initials) {
      ranges += patterns[index].matches(in: text) as [Range<Int>]
    }
    return ranges
  }
}

/// Plain words for lookup.
package struct PlainWords: Sendable {
  private(set) var all: Set<String> = []
  private var initials: PhrasePattern.Initials = 0

  mutating func add(_ words: [String]) {
    all.formUnion(words)
    for word in words { initials |= PhrasePattern.initial(word) }
  }

  var isEmpty: Bool { all.isEmpty }

  func contains(_ word: String) -> Bool {
    initials & PhrasePattern.initial(word) != 0 && all.contains(word)
  }

  func contains(anyOf text: PhrasePattern.Text) -> Bool {
    initials & text.allInitials != 0
      && text.words.indices.contains {
        initials & text.initials[$0] != 0 && all.contains(text.words[$0])
      }
  }
}
