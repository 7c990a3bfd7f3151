import IncrementalJSON

/// What a coach must learn: weighted components made of weighted facets.
///
/// Loaded from a pack's `rubric.json`. Weights are fractions there and whole percent here, so each
/// facet is worth a whole number of ten-thousandths of the overall score.
public struct Rubric: Hashable, Sendable {
  public struct FacetDefinition: Hashable, Sendable {
    public let facet: Facet
    /// Share of its component, in percent.
    public let weight: Int
    /// A few words that name it to the user, such as `when you can train`.
    public let title: String
    /// The same as others speak of the user, such as `when they can train`. Used in prompts.
    public let label: String
    /// The facet that this one is asked for with or after; nil if none.
    public let needs: Facet?
    /// When it counts as known. Used in the scorer and interviewer prompts.
    public let knownWhen: String
    /// What sounds similar but is not enough.
    public let notEnough: String
    /// What to ask about once if the facet is known but the user has said nothing medical. Speaks of the user as "they".
    public let alsoAsk: String?
  }

  public struct Component: Hashable, Sendable {
    public let name: String
    /// A few words that name it to the user.
    public let title: String
    /// The same as others speak of the user. Used in prompts.
    public let label: String
    /// Share of the overall score, in percent.
    public let weight: Int
    public let facets: [FacetDefinition]
    /// Whether an answer in a form stands until the user takes it back or is asked about this again:
    /// what is said by the way while talking of something else does not replace it.
    public let keepsAnswer: Bool
  }

  public let version: Int
  /// Ready means the overall ten-thousandths are above this.
  public let readyAbove: Int
  /// Components to ask about first while they are unclear.
  public let critical: [String]
  /// A critical component below this percentage is unclear.
  public let criticalUnclearBelow: Int
  public let components: [Component]
  /// All facets, in the rubric's order.
  public let facets: [FacetDefinition]

  private let definitions: [Facet: FacetDefinition]

  public subscript(facet: Facet) -> FacetDefinition? { definitions[facet] }

  public subscript(component name: String) -> Component? {
    components.first { $0.name == name }
  }

  /// Facets to ask about in a component.
  public func missing(in component: String, known: Set<Facet>) -> [FacetDefinition] {
    (self[component: component]?.facets ?? []).filter { !known.contains($0.facet) }
  }

  /// Of these facets, those that one question can ask for: a target only with or after its outcome, for
  /// example.
  public func askable(_ facets: [Facet], known: Set<Facet>) -> [Facet] {
    let settled = known.union(facets)
    return facets.filter { self[$0]?.needs.map(settled.contains) != false }
  }

  /// Reads and lints a rubric.
  ///
  /// - Parameter file: The file's name, for the error.
  public init(json text: String, file: String = "rubric.json") throws(PackError) {
    var faults = PackFaults()
    self = try Rubric(try PackDocument(text, file: file), &faults)
    try faults.raise()
  }

  /// Reads what can be read of a rubric.
  ///
  /// - Throws: `PackError` if it has no components.
  package init(_ document: PackDocument, _ faults: inout PackFaults) throws(PackError) {
    let root = document.root
    let known = ["version", "readyAbove", "critical", "criticalUnclearBelow", "components"]
    faults.gather(try document.checkKeys(of: root, known))
    version = faults.gather(try document.value(root, "version", "a whole number", \.intValue)) ?? 1
    let bar = faults.gather(try document.share(root, "readyAbove", of: 10_000))
    readyAbove = bar ?? 10_000
    critical =
      faults.gather(try document.value(root, "critical", "an array of names", \.texts)) ?? []
    criticalUnclearBelow =
      faults.gather(try document.share(root, "criticalUnclearBelow", of: 100)) ?? 0
    components = document.components(&faults)
    if components.isEmpty { try faults.raise() }
    facets = components.flatMap(\.facets)
    definitions = Dictionary(
      facets.map { ($0.facet, $0) }, uniquingKeysWith: { first, _ in first })
    document.lintNames(self, &faults)
    document.lintWeights(self, &faults)
    document.lintCritical(self, &faults)
  }
}
