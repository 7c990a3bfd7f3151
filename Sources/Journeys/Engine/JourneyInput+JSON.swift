public import IncrementalJSON
import Plans

extension JourneyInput {
  /// Reads what a program sends: `{"answer": …}`, `{"back": true}`, `{"info": true}` or
  /// `{"units": "imperial"}`. Nil for anything else.
  public init?(json: JSONValue) {
    guard let object = json.objectValue, object.count == 1 else { return nil }
    if let answer = object["answer"] {
      self = .answer(answer)
    } else if object["back"]?.boolValue == true {
      self = .back
    } else if object["info"]?.boolValue == true {
      self = .info
    } else if let units = object["units"]?.stringValue.flatMap(Units.init(rawValue:)) {
      self = .units(units)
    } else {
      return nil
    }
  }
}
