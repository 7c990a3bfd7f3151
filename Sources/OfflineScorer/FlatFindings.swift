/// A finding for each facet, without the reference counting of an array.
public struct FlatFindings {
  private var storage = InlineFindings()

  package init() {}

  public subscript(facet: Int) -> ConversationScorer.Finding {
    get {
      let value = storage.values[facet]
      return ConversationScorer.Finding(turn: value.x, start: value.y, end: value.z, until: value.w)
    }
    set {
      storage.values[facet] = SIMD4(newValue.turn, newValue.start, newValue.end, newValue.until)
    }
  }
}

struct InlineFindings {
  var values: InlineArray<24, SIMD4<Int32>> = .init(repeating: SIMD4())
}
