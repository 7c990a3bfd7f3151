/// Aligns two lists: equal elements share a row, and so do an element and its replacement.
enum Alignment {
  struct Row<Element> {
    var left: Element?
    var right: Element?
    var isSame: Bool
  }

  static func rows<Element, Key: Equatable>(
    _ left: [Element], _ right: [Element], by key: (Element) -> Key
  ) -> [Row<Element>] {
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in right.map(key).difference(from: left.map(key), by: ==) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var rows: [Row<Element>] = []
    var (one, other) = (0, 0)
    while one < left.count || other < right.count {
      let isGone = one < left.count && removed.contains(one)
      let isNew = other < right.count && inserted.contains(other)
      let isSame = !isGone && !isNew
      rows.append(
        Row(
          left: isGone || isSame ? left[one] : nil, right: isNew || isSame ? right[other] : nil,
          isSame: isSame))
      if isGone || isSame { one += 1 }
      if isNew || isSame { other += 1 }
    }
    return rows
  }
}
