/// The name of a fact to learn, such as `goalClarity.outcome`.
///
/// A facet is either known or not known; the rubric sets its weight.
public struct Facet: Hashable, Sendable {
  /// The component it belongs to, such as `goalClarity`.
  public let component: String
  /// Its name within the component, such as `outcome`.
  public let name: String

  public init(component: String, name: String) {
    self.component = component
    self.name = name
  }

  /// Reads `component.name`; nil unless one dot separates two names.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    self.init(component: String(parts[0]), name: String(parts[1]))
  }
}

extension Facet: CustomStringConvertible {
  public var description: String { "\(component).\(name)" }
}

extension Facet: Comparable {
  public static func < (left: Facet, right: Facet) -> Bool {
    left.description < right.description
  }
}

extension Facet: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let facet = Facet(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected component.facet, found \(text)")
    }
    self = facet
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
