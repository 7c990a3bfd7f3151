package import ContextQuality
import IncrementalJSON
package import Intake

/// What is missing or wrong of the files that a pack's documents come from.
package struct DocumentCheck {
  private let pack: PromptPack
  private let places: [DocumentKind: (journey: String, step: String)]

  /// - Parameter places: The step at which each document is shown first.
  package init(
    _ pack: PromptPack, shownAt places: [DocumentKind: (journey: String, step: String)]
  ) {
    (self.pack, self.places) = (pack, places)
  }

  package func run(_ faults: inout PackFaults) {
    checkSchemas(&faults)
    checkFields(&faults)
    guard let text = pack.documentFiles[DocumentRules.path] else { return nameMissing(&faults) }
    // What can't be parsed or isn't an object is named where the rules are read.
    guard let rules = try? PackDocument(text, file: file(DocumentRules.path)) else { return }
    if places[.goal] != nil, rules.root["goal"]?["primary"] == nil {
      faults.add(
        rules.wrong(
          "goal: expected primary, the facets that tell what somebody wants; the rubric has "
            + pack.rubric.facets.map(\.facet.description).joined(separator: ", "), at: "goal"))
    }
    checkTemplate(rules, &faults)
  }

  /// Without rules, a draft keeps to nothing, and a rehearsal's is only a list of answers.
  private func nameMissing(_ faults: inout PackFaults) {
    for kind in DocumentKind.allCases {
      guard let place = places[kind] else { continue }
      let path = "journeys/\(place.journey).json"
      let source = pack.journeyFiles[path].flatMap { try? PackDocument($0, file: file(path)) }
      let line = source?.line(whereText: "id", is: place.step)
      faults.add(
        PackError(
          file: file(path), line: line,
          reason:
            "step \(place.step): shows a \(kind.rawValue), but \(DocumentRules.path) is missing; it has "
            + DocumentRules.members.joined(separator: ", ")))
    }
  }

  private func checkTemplate(_ rules: PackDocument, _ faults: inout PackFaults) {
    guard let template = rules.root["template"] else {
      guard !places.isEmpty else { return }
      return faults.add(
        rules.wrong(
          "template: is missing, so a rehearsal drafts nothing; it has "
            + DocumentRules.templateMembers.joined(separator: ", ")))
    }
    // Without a note, a rehearsal drafts nothing.
    var needed = ["goalNote"]
    if places[.program] != nil { needed += ["programNote", "title", "sessionTitle", "exercises"] }
    for name in needed where template[name] == nil && !places.isEmpty {
      faults.add(rules.wrong("template: \(name) is missing", in: template))
    }
    for problem in Self.problems(of: template) {
      faults.add(rules.wrong("template: \(problem.words)", at: problem.member, in: template))
    }
  }

  /// What would be wrong with a program of the template, by its members. What is missing is not wrong.
  private static func problems(of template: JSONValue) -> [(member: String, words: String)] {
    let day: JSONValue = "monday"
    let sessions = (template["days"]?.arrayValue ?? [day]).map { day -> JSONValue in
      [
        "day": day, "title": template["sessionTitle"] ?? "-",
        "minutes": template["minutes"] ?? 30,
        "exercises": template["exercises"] ?? [["name": "-", "minutes": 1]],
      ]
    }
    var fields = DocumentFields()
    _ = fields.program([
      "title": template["title"] ?? "-", "weeks": template["weeks"] ?? 4,
      "sessions": .array(sessions), "progression": template["progression"] ?? [],
      "adaptations": [], "restsOn": [],
    ])
    let names = ["day": "days", "title": "sessionTitle"]
    var seen: Set<String> = []
    return fields.problems.compactMap { problem in
      var path = problem.pointer.split(separator: "/").map(String.init)
      if path.first == "sessions" {
        path = Array(path.dropFirst(2))
        if let name = path.first.flatMap({ names[$0] }) { path[0] = name }
      }
      guard let member = path.first, seen.insert(path.joined() + problem.words).inserted else {
        return nil
      }
      let place = path.reduce("") { $0 + (Int($1) == nil ? ".\($1)" : "[\($1)]") }.dropFirst()
      return (member, "\(place): \(problem.words)")
    }
  }

  /// A schema of the pack's own has the members that a document is read from. A model fills no others.
  private func checkSchemas(_ faults: inout PackFaults) {
    let shared = PromptPack.sharedFiles()
    for kind in DocumentKind.allCases {
      let path = DocumentSchema.path(of: kind)
      guard let text = pack.documentFiles[path], let known = shared[path], text != known,
        let expected = try? JSONValue(parsing: known)
      else { continue }
      faults.gather { () throws(PackError) in
        let own = try PackDocument(text, file: file(path))
        var faults = PackFaults()
        Self.compare(own.root, expected, "", own, &faults)
        try faults.raise()
      }
    }
  }

  private static func compare(
    _ own: JSONValue, _ expected: JSONValue, _ place: String, _ document: PackDocument,
    _ faults: inout PackFaults
  ) {
    if let items = expected["items"] {
      return compare(own["items"] ?? .null, items, place, document, &faults)
    }
    guard let members = expected["properties"]?.objectValue else { return }
    let names = members.map(\.name)
    guard let properties = own["properties"]?.objectValue else {
      return faults.add(
        document.wrong(
          "\(place)properties: expected \(names.joined(separator: ", "))", in: own))
    }
    for (name, value) in members {
      guard let property = properties[name] else {
        faults.add(
          document.wrong(
            "\(place)\(name) is missing; a document is read from \(names.joined(separator: ", "))",
            at: "properties", in: own))
        continue
      }
      compare(property, value, "\(place)\(name).", document, &faults)
    }
    faults.gather { () throws(PackError) in
      try document.checkKeys(of: .object(properties), names)
    }
  }

  private func checkFields(_ faults: inout PackFaults) {
    let path = FieldWords.path
    guard let text = pack.documentFiles[path] else { return }
    faults.gather { () throws(PackError) in
      let document = try PackDocument(text, file: file(path))
      let names = FieldEdit.Field.allCases.map(\.rawValue)
      var faults = PackFaults()
      for name in names where document.root[name]?["names"]?.arrayValue?.isEmpty != false {
        faults.add(document.wrong("\(name): expected names, a list of texts", at: name))
      }
      faults.gather { () throws(PackError) in try document.checkKeys(of: document.root, names) }
      try faults.raise()
    }
  }

  private func file(_ path: String) -> String { "\(pack.folder)/\(path)" }
}
