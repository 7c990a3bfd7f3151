import ContextQuality
import IncrementalJSON

/// The options of the screens whose options the engine knows, and which one an answer means.
enum ScreenOptions {
  typealias Option = JourneyScreen.Option

  static let confirmation = [
    Option(id: Confirmation.yes.rawValue, label: JourneyWords.yes),
    Option(id: Confirmation.no.rawValue, label: JourneyWords.no),
  ]

  static let renewal = [
    Option(id: Confirmation.yes.rawValue, label: JourneyWords.renew),
    Option(id: Confirmation.no.rawValue, label: JourneyWords.keep),
  ]

  static func reminder(_ reminder: Step.Reminder) -> [Option] {
    [
      Option(id: ReminderChoice.now.rawValue, label: reminder.now),
      Option(id: ReminderChoice.later.rawValue, label: reminder.later),
      Option(id: ReminderChoice.never.rawValue, label: reminder.never),
    ]
  }

  static func signIn(_ input: Step.SignIn) -> [Option] {
    [Option(id: SignInChoice.local.rawValue, label: input.local)]
  }

  static func code(_ input: Step.VerifyCode) -> [Option] {
    [
      Option(id: CodeChoice.resend.rawValue, label: input.resend),
      Option(id: CodeChoice.different.rawValue, label: input.different),
    ]
  }

  /// What is not there cannot be allowed.
  static func permission(_ input: Step.PermissionInput, isAvailable: Bool) -> [Option] {
    let decline = Option(id: PermissionChoice.decline.rawValue, label: input.decline)
    let allow = Option(id: PermissionChoice.allow.rawValue, label: input.allow)
    if isAvailable { return [allow, decline] }
    return [
      input.permission == .microphone ? decline : Option(id: decline.id, label: JourneyWords.goOn)
    ]
  }

  /// An option by its id, label or number.
  static func id(_ input: JSONValue, _ options: [Option]) -> String? {
    let typed = (input.stringValue ?? input.intValue.map(String.init) ?? "").trimmed
    if let option = options.first(where: { $0.id == typed }) { return option.id }
    let lower = typed.lowercased()
    if let option = options.first(where: {
      $0.label.lowercased() == lower || $0.id.lowercased() == lower
    }) {
      return option.id
    }
    guard let number = Int(typed), options.indices.contains(number - 1) else { return nil }
    return options[number - 1].id
  }
}
