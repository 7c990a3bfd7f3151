import BatchScoring

/// A message with the evidence for its facets marked.
struct EvidenceText {
  let message: ReportConversation.Message
  let names: FacetNames

  /// A stretch of text and the facets it supports.
  private struct Segment {
    let text: Substring
    let evidence: [ReportConversation.Evidence]
  }

  var markup: Markup { segments.map(markup).joined() }

  /// The text, cut wherever evidence starts or ends: evidence for different facets may overlap.
  private var segments: [Segment] {
    let utf8 = message.text.utf8
    let ranges = message.evidence.map { evidence in
      (start: place(evidence.start), end: place(evidence.end), evidence: evidence)
    }
    let cuts = Set(ranges.flatMap { [$0.start, $0.end] } + [utf8.startIndex, utf8.endIndex])
      .sorted()
    return zip(cuts, cuts.dropFirst()).map { start, end in
      Segment(
        text: message.text[start..<end],
        evidence: ranges.filter { $0.start <= start && end <= $0.end }.map(\.evidence))
    }
  }

  /// The start of the character that contains a byte.
  private func place(_ byte: Int) -> String.Index {
    let utf8 = message.text.utf8
    let limit = utf8.endIndex
    var place = utf8.index(utf8.startIndex, offsetBy: max(0, byte), limitedBy: limit) ?? limit
    while place < limit, utf8[place] & 0xC0 == 0x80 { place = utf8.index(before: place) }
    return place
  }

  private func markup(_ segment: Segment) -> Markup {
    guard !segment.evidence.isEmpty else { return "\(segment.text)" }
    let isGone = segment.evidence.allSatisfy { $0.until > 0 }
    return """
      <mark\(isGone ? " class=\"gone\"" as Markup : .empty) tabindex="0" role="note" \
      aria-label="\(segment.evidence.map(label).joined(separator: " · "))">\(segment.text)</mark>
      """
  }

  private func label(_ evidence: ReportConversation.Evidence) -> String {
    let title = names.title(evidence.facet)
    return evidence.until > 0 ? "\(title) (withdrawn in turn \(evidence.until))" : title
  }
}
