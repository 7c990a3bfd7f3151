public import WireFormats

/// A coach that knows one conversation, for trying the program without a model.
public enum BuiltInCoach {
  public static let modelName = "mock-coach"

  /// The rules in `Resources/coach.json`, which is also an example of such a file.
  public static func script() throws(FieldError) -> AnswerScript {
    try AnswerScript(parsing: PackageResources.coach_json)
  }
}
