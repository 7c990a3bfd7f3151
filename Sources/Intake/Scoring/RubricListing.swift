/// The order in which the scorer's prompt lists components, facets and examples. It means nothing, so
/// it should not change what is found.
public enum RubricListing: String, Hashable, Sendable {
  case given, reversed

  func ordered<Item>(_ items: [Item]) -> [Item] { self == .given ? items : items.reversed() }

  /// A text with its lists of quoted examples, such as `"a", "b" or "c"`, in this order.
  func ordered(_ text: String) -> String {
    guard self == .reversed else { return text }
    var pieces = text.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
    guard pieces.count > 3, pieces.count % 2 == 1 else { return text }
    // Examples are the odd pieces; a comma between two of them continues their list.
    var list: [Int] = []
    func reverse(_ places: [Int]) {
      for (place, example) in zip(places, places.reversed().map { pieces[$0] }) {
        pieces[place] = example
      }
    }
    for place in stride(from: 1, to: pieces.count, by: 2) {
      list.append(place)
      if pieces[place + 1] == ", " { continue }
      reverse(list)
      list = []
    }
    return pieces.joined(separator: "\"")
  }
}
