extension Array {
  /// Sorts without the extra space for half of the elements that `sort` needs, for collections of a
  /// million.
  mutating func sortInPlace(by areInOrder: (Element, Element) -> Bool) {
    if count < 50_000 { return sort(by: areInOrder) }
    let isSorted = indices.dropFirst().allSatisfy { !areInOrder(self[$0], self[$0 - 1]) }
    if isSorted { return }
    for parent in stride(from: count / 2 - 1, through: 0, by: -1) {
      sink(parent, count, areInOrder)
    }
    for end in stride(from: count - 1, to: 0, by: -1) {
      swapAt(0, end)
      sink(0, end, areInOrder)
    }
  }

  /// Moves the last element in order from a heap's top to its place.
  private mutating func sink(_ from: Int, _ end: Int, _ areInOrder: (Element, Element) -> Bool) {
    var parent = from
    while true {
      var child = 2 * parent + 1
      guard child < end else { return }
      if child + 1 < end, areInOrder(self[child], self[child + 1]) { child += 1 }
      guard areInOrder(self[parent], self[child]) else { return }
      swapAt(parent, child)
      parent = child
    }
  }
}
