public import ContextQuality
public import Intake

extension PromptPack {
  /// The names of the pack's journeys, sorted.
  public var journeyNames: [String] {
    journeyFiles.keys.compactMap { path in
      let name = path.dropFirst("journeys/".count)
      return name.hasSuffix(".json") && !name.contains("/") ? String(name.dropLast(5)) : nil
    }.sorted()
  }

  /// Reads and checks one of the pack's journeys; nil if it has none of that name.
  public func journey(_ name: String) throws(PackError) -> Journey? {
    let path = "journeys/\(name).json"
    guard let text = journeyFiles[path] else { return nil }
    return try Journey(json: text, named: name, file: "\(folder)/\(path)", rubric: rubric)
  }

  /// Reads the pack's journeys and rules for documents, so that mistakes are reported early.
  package func checkJourneys(_ faults: inout PackFaults) {
    for name in journeyNames {
      faults.gather { () throws(PackError) in _ = try journey(name) }
    }
    faults.gather { () throws(PackError) in _ = try DocumentRules(self) }
  }
}

extension Journey {
  /// Reads and checks a journey whose file has its name.
  package init(
    json text: String, named name: String, file: String, rubric: Rubric
  ) throws(PackError) {
    try self.init(json: text, file: file, rubric: rubric)
    guard self.name == name else {
      throw PackError(file: file, reason: "name: expected \(name), as the file is called")
    }
  }
}
