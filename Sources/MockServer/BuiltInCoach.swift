public import WireFormats

/// A coach that knows one conversation, for trying the program without a model.
public enum BuiltInCoach {
  public static let modelName = "mock-coach"

  /// The rules in `Resources/coach.json`, which also serves as an example of a rules file.
  public static func script() throws(FieldError) -> AnswerScript {
    try AnswerScript(parsing: PackageResources.coach_json)
  }
}
