/// A message with right, false and missed evidence marked in it.
struct ComparedText {
  let text: String
  let evidence: [ComparedEvidence]
  let names: FacetNames

  var markup: Markup {
    let places = evidence.compactMap { evidence in
      text.firstRange(of: evidence.quote).map { (range: $0, evidence: evidence) }
    }
    let cuts = Set(
      places.flatMap { [$0.range.lowerBound, $0.range.upperBound] } + [
        text.startIndex, text.endIndex,
      ]
    ).sorted()
    return zip(cuts, cuts.dropFirst()).map { start, end in
      let here = places.filter { $0.range.lowerBound <= start && end <= $0.range.upperBound }
      return markup(text[start..<end], here.map(\.evidence))
    }.joined()
  }

  private func markup(_ words: Substring, _ evidence: [ComparedEvidence]) -> Markup {
    guard !evidence.isEmpty else { return "\(words)" }
    let kind: Markup =
      if evidence.contains(where: { $0.kind == .false }) {
        " class=\"false\""
      } else if evidence.contains(where: { $0.kind == .missed }) {
        " class=\"missed\""
      } else {
        .empty
      }
    return """
      <mark\(kind) tabindex="0" role="note" \
      aria-label="\(evidence.map(label).joined(separator: " · "))">\(words)</mark>
      """
  }

  private func label(_ evidence: ComparedEvidence) -> String {
    let title = names.title(evidence.facet)
    return evidence.kind == .right ? title : "\(evidence.kind.rawValue): \(title)"
  }

  /// The errors by name, for those who don't see the marks or whose quotes are not verbatim.
  var list: Markup {
    let errors = evidence.filter { $0.kind != .right }
    guard !errors.isEmpty else { return .empty }
    let items = errors.map { "<li class=\"error\">\(label($0))</li>" as Markup }
    return "<div class=\"gain\"><ul>\(items.joined())</ul></div>"
  }
}
