extension String {
  /// Levenshtein's edit distance.
  package func distance(to other: String) -> Int {
    let (mine, theirs) = (Array(utf8), Array(other.utf8))
    var row = Array(0...theirs.count)
    for (i, byte) in mine.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, target) in theirs.enumerated() {
        let cost = Swift.min(row[j] + 1, row[j + 1] + 1, diagonal + (byte == target ? 0 : 1))
        diagonal = row[j + 1]
        row[j + 1] = cost
      }
    }
    return row[theirs.count]
  }

  /// The name that was probably meant: one that begins with this, or differs in a third of its letters at most.
  package func nearest(among names: some Collection<String>) -> String? {
    if !isEmpty, let longer = names.first(where: { $0.hasPrefix(self) }) { return longer }
    let nearest = names.map { (name: $0, distance: distance(to: $0)) }
      .min { $0.distance < $1.distance }
    guard let nearest, nearest.distance <= (nearest.name.count + 2) / 3,
      nearest.distance < nearest.name.count
    else { return nil }
    return nearest.name
  }
}
