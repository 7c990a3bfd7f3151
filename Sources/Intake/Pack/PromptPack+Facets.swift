import ContextQuality

extension PromptPack {
  /// Names facets in the pack's own prompts that the rubric does not have: a model would report them in vain.
  /// What the shared prompt says in its examples may stay.
  func checkFacets(_ own: [String: String], _ faults: inout PackFaults) {
    let shared = Self.sharedFiles()
    let known = Set(rubric.facets.map(\.facet.description))
      .union(understandingTerms.terms.map(\.id))
    for template in TemplateName.allCases where template.isPrompt && !template.namesProfile {
      guard let text = own[template.path] else { continue }
      let allowed = known.union(Self.facets(in: shared[template.path] ?? "").map(\.name))
      for (name, line, isQuoted) in Self.facets(in: text) where !allowed.contains(name) {
        // A web address looks the same.
        let component = String(name.prefix { $0 != "." })
        guard isQuoted || rubric[component: component] != nil else { continue }
        faults.add(
          PackError(
            file: "\(folder)/\(template.path)", line: line,
            reason: "\(name): expected a facet of the rubric\(rubric.hint(for: name))"))
      }
    }
  }

  /// Whatever is written like `component.facet`, in quotation marks or not.
  private static func facets(in text: String) -> [(name: String, line: Int, isQuoted: Bool)] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().flatMap { index, line in
      line.matches(of: /(^|[^\w.\/@-])([a-z][A-Za-z]+\.[a-z][A-Za-z]+)(?![\w\/@-]|\.\w)/)
        .map { (String($0.output.2), index + 1, ["\"", "`"].contains($0.output.1)) }
    }
  }
}

extension TemplateName {
  /// Whether it names members of the profile, such as `userGoals.primary`.
  fileprivate var namesProfile: Bool { self == .synthesise || self == .synthesiseRepair }
}
