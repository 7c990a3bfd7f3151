import FoundationEssentials
import IncrementalJSON
import Plans

// What is asked before something happens, and what was said about the last input.
extension JourneyEngine {
  /// The state's question with what it is about.
  enum Pending {
    case reminder(Step, Step.Reminder)
    case back(question: String, to: String, drops: [String])
    case startOver(from: String)
    case renewal(DocumentState)
  }

  /// Nil if nothing is asked, or if it makes no sense here.
  var pending: Pending? {
    switch state.question {
    case .reminder(let id):
      guard let step = journey[step: id], let reminder = step.reminder(for: state),
        isOfferedHere(step)
      else { return nil }
      return .reminder(step, reminder)
    case .back:
      guard let step = currentStep, let previous = flow.previous,
        case .asks(let question, let to) = step.back
      else { return nil }
      let target = to ?? previous
      // What a reminder reopened begins at the step it's apart from.
      let began =
        state.trail.lastIndex(of: target).map { $0 + 1 } ?? (state.detour == nil ? nil : 0)
      let between = began.map { Array(state.trail[$0...]) } ?? []
      return .back(question: question, to: target, drops: to == nil ? [] : between + [step.id])
    case .startOver(let id): return .startOver(from: id)
    case .renewal(let kind): return state.documents[kind].map { .renewal($0) }
    case nil: return nil
    }
  }

  func take(_ value: JSONValue, _ pending: Pending) async throws {
    if case .reminder(let step, let reminder) = pending {
      return try await take(value, reminder, of: step)
    }
    guard let id = ScreenOptions.id(value, baseScreen.options) else {
      problem = JourneyProblems.choose
      return
    }
    let isSure = id == Confirmation.yes.rawValue
    switch pending {
    case .back(_, let to, let drops) where isSure: try await goBack(to: to, drops: drops)
    case .startOver(let id) where isSure: try await restart(at: id)
    case .renewal(let known):
      let kind = known.document.kind
      try await store(
        isSure ? .documentDropped(kind) : .documentKept(kind, facts: facts(of: kind).text))
    case .reminder, .back, .startOver: try await store(.questionDropped)
    }
  }

  /// A complaint or a tip that is older is not about what was just done.
  private static let remarkLife = 60.0

  func recallRemark() {
    guard let remark = state.remark,
      providers.now().timeIntervalSince(remark.at) < Self.remarkLife
    else { return }
    (problem, showsInfo) = (remark.said.problem, remark.said.showsInfo)
    typedEmail = remark.said.email
  }

  /// Another process shows it as well. Where it cannot be stored, this one shows it all the same.
  func noteRemark() async {
    if currentStep?.isSignIn != true { typedEmail = nil }
    let said = JourneyEvent.Remark(problem: problem, showsInfo: showsInfo, email: typedEmail)
    guard said != state.remark?.said, !said.isEmpty || state.remark != nil else { return }
    try? await store(.remarked(said))
  }
}
