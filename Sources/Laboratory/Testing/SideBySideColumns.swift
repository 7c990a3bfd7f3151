import Glibc
import RapportTesting
import Terminal

/// Writes two texts next to each other, with the words marked in which two lines differ.
struct SideBySideColumns {
  /// A stretch of text in one style.
  struct Piece {
    var text: String
    var role: TextRole
    var isMarked = false

    init(_ text: String, _ role: TextRole, isMarked: Bool = false) {
      (self.text, self.role, self.isMarked) = (text, role, isMarked)
    }
  }

  let terminal: TTY
  /// The styles of the left and the right side, where they differ.
  let roles: (TextRole, TextRole)

  private var width: Int {
    max(16, (min(isatty(1) != 0 ? terminal.size.columns : 100, 200) - 7) / 2)
  }

  /// Shows two lines that differ; nil if a side has no such line.
  func show(_ left: String?, _ right: String?) {
    guard let left, let right, let words = WordDifference(left, right) else {
      return show(
        left.map { [Piece($0, roles.0)] } ?? [], right.map { [Piece($0, roles.1)] } ?? [])
    }
    show(words.left.map { styled($0, roles.0) }, words.right.map { styled($0, roles.1) })
  }

  private func styled(_ piece: WordDifference.Piece, _ role: TextRole) -> Piece {
    let unchanged: TextRole = role == .coach ? .dim : .coach
    return Piece(piece.text, piece.isChanged ? role : unchanged, isMarked: piece.isChanged)
  }

  func show(_ left: [Piece], _ right: [Piece]) {
    let (one, other) = (wrapped(left), wrapped(right))
    for index in 0..<max(one.count, other.count) {
      let cells = (index < one.count ? one[index] : [], index < other.count ? other[index] : [])
      write(cells.0, cells.1)
      if !terminal.style.allowsEscapes { underline(cells.0, cells.1) }
    }
  }

  private func write(_ left: [Piece], _ right: [Piece]) {
    terminal.write("  ")
    for piece in left { terminal.write(piece.text, as: piece.role) }
    let used = left.reduce(0) { $0 + displayWidth(of: $1.text) }
    terminal.write(String(repeating: " ", count: max(0, width - used)))
    terminal.write(" │ ", as: .dim)
    for piece in right { terminal.write(piece.text, as: piece.role) }
    terminal.write("\n")
  }

  /// Without color, carets under the marked words.
  private func underline(_ left: [Piece], _ right: [Piece]) {
    guard (left + right).contains(where: \.isMarked) else { return }
    func carets(_ pieces: [Piece]) -> String {
      let end = pieces.lastIndex(where: \.isMarked).map { $0 + 1 } ?? 0
      return pieces[..<end].map { piece in
        String(repeating: piece.isMarked ? "^" : " ", count: displayWidth(of: piece.text))
      }.joined()
    }
    let marks = carets(left)
    let padding = String(repeating: " ", count: max(0, width - marks.utf8.count))
    terminal.write("  " + marks + padding + " │ " + carets(right) + "\n")
  }

  /// The pieces in lines of a cell's width, cut between words if possible.
  private func wrapped(_ pieces: [Piece]) -> [[Piece]] {
    guard !pieces.isEmpty else { return [] }
    var wrapper = WordWrapper(width: width)
    let text = pieces.map(\.text).joined()
    let lines = (wrapper.feed(text) + wrapper.finish())
      .split(separator: "\n", omittingEmptySubsequences: false)
    var source = pieces.flatMap { piece in piece.text.map { ($0, piece) } }[...]
    return lines.map { line in
      var cells: [Piece] = []
      for character in line {
        let piece = Self.take(character, from: &source)
        if let last = cells.last, last.isMarked == piece.isMarked, last.role == piece.role {
          cells[cells.count - 1].text.append(character)
        } else {
          cells.append(piece)
        }
      }
      return cells
    }
  }

  /// The character as a piece, in the style that it has in the source. Wrapping leaves out spaces
  /// at line ends and adds some to indent.
  private static func take(
    _ character: Character, from source: inout ArraySlice<(Character, Piece)>
  ) -> Piece {
    if !character.isWhitespace { source = source.drop { $0.0.isWhitespace } }
    guard let (next, piece) = source.first, next == character else {
      return Piece(String(character), .coach)
    }
    source = source.dropFirst()
    return Piece(String(character), piece.role, isMarked: piece.isMarked)
  }
}
