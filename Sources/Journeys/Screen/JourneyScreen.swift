public import Plans

/// What a journey shows now: a pure value that a terminal, a page or a program draws.
public struct JourneyScreen: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case intro, text, stepper, select, number, timeRange, open, explainer, choice, conversation
    case signIn, verifyCode, permission, draft, review, reveal, success, tour
    /// A fixed care text, before anything else.
    case care
    /// A skipped step that is offered again.
    case reminder
    /// Asks before something would be lost.
    case confirmation
    /// The journey is over.
    case end
  }

  public struct Segment: Hashable, Sendable {
    public var id: String
    public var title: String
    /// 0…1.
    public var fill: Double
    public var isCurrent: Bool
  }

  public typealias Row = DocumentRow

  /// The goal or program on screen. Its fields are the screen's rows as well.
  public struct Document: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
      /// It is still arriving.
      case writing
      case draft
      /// A change is shown that is not applied yet.
      case changing
      case approved
    }
    public var kind: DocumentKind
    public var state: State
    /// `template`, or the model that wrote it.
    public var source: String
    /// Such as that it is a template.
    public var note: String?
    /// The document as a JSON object.
    public var json: String
    /// What the person asked to change.
    public var request: String?
  }

  /// An answer that can be chosen by its id.
  public struct Option: Hashable, Sendable {
    public var id: String
    public var label: String
    public var detail: String?
    public var icon: String?

    public init(id: String, label: String, detail: String? = nil, icon: String? = nil) {
      (self.id, self.label, self.detail, self.icon) = (id, label, detail, icon)
    }
  }

  public struct Button: Hashable, Sendable {
    public var label: String
    /// False while an answer is missing.
    public var isEnabled: Bool
  }

  public enum Back: Hashable, Sendable {
    case none
    case free
    /// Asks first: something would be lost.
    case asks
  }

  public enum Input: Hashable, Sendable {
    case text(placeholder: String?, maxLength: Int, value: String?)
    case stepper(StepperInput)
    /// One of the options; the one chosen so far.
    case select(String?)
    case number(min: Double, max: Double, isWhole: Bool, unit: String?, value: Double?)
    case timeRange(ClockRange, lengthInWords: String)
    case open(placeholder: String?, pills: [String], hasVoice: Bool, value: String?)
    case email(placeholder: String?, value: String?)
    /// Seconds until a new code can be sent; 0 for now.
    case code(digits: Int, resendIn: Int)
    /// A message to the coach.
    case message
    /// A change to a document, in words.
    case edit(placeholder: String?)
  }

  /// A value with − and +, stored in metric units.
  public struct StepperInput: Hashable, Sendable {
    var stepper: Step.Stepper
    var units: Units
    public var value: Double
    public var min: Double { stepper.min }
    public var max: Double { stepper.max }
    public var quantity: Step.Stepper.Quantity { stepper.quantity }

    /// The value as people read it, such as `5'8"`.
    public func text(_ value: Double) -> String { stepper.text(value, in: units) }

    /// What one press adds, in metric units.
    public var step: Double { scale == 1 ? stepper.by : scale }

    /// The metric size of the unit that is shown: 2.54 for an inch, 1 for a centimeter.
    public var scale: Double { stepper.scale(in: units) }

    /// The unit that is shown; nil for a count of something unnamed. A height in inches reads `5'8"`.
    public var unit: String? { stepper.unit(in: units) }

    /// The value after presses of + (positive) or − (negative), within its limits.
    public func value(_ value: Double, steppedBy presses: Int) -> Double {
      stepper.stepped(value, by: presses, in: units)
    }
  }

  /// Among the steps that are shown, counted from 1.
  public struct Place: Hashable, Sendable {
    public var number: Int
    public var total: Int
  }

  public struct DiagramPart: Hashable, Sendable {
    public var label: String
    public var days: Int
    public var color: String?
  }

  /// A consent that the sign-in needs.
  public struct Consent: Hashable, Sendable {
    public var id: String
    public var label: String
    public var url: String?
    /// Says that there is nothing to read yet, while the file names no address.
    public var note: String?
    public var isGiven: Bool
  }

  public var journey: String
  /// The step's id; empty at the end.
  public var step: String
  public var kind: Kind
  public var section: String?
  /// One per section, in the file's order; empty unless the journey shows them.
  public var segments: [Segment] = []
  /// `Step 2 of 5`; nil unless the journey counts.
  public var place: Place?
  public var title: String
  public var body: [String] = []
  /// Below the body, as bullets.
  public var bullets: [String] = []
  public var diagram: [DiagramPart] = []
  public var rows: [Row] = []
  public var tips: [Row] = []
  public var document: Document?
  /// A change that waits to be applied: every line of the document, with what goes and what comes.
  public var diff: [DocumentEdit.Line] = []
  /// Why the change is not made before it is confirmed: it contradicts what the person said.
  public var refusal: String?
  public var consents: [Consent] = []
  public var input: Input?
  public var options: [Option] = []
  /// What the one button says; nil if only options lead on.
  public var button: Button?
  public var back = Back.none
  /// Whether there is something behind the `?`.
  public var hasInfo = false
  /// The text behind the `?`, if it is open.
  public var info: String?
  /// What is wrong with the last answer, or what could not be done.
  public var problem: String?
  /// What is being done meanwhile.
  public var waiting: String?
  /// Nothing can be answered until ``JourneyEngine/settle(show:)`` has waited for it.
  public var isBusy = false
  /// Shown word by word.
  public var isWordByWord = false
  public var isTap = false
  public var figure: String?
  public var hasConfetti = false
  public var orb: Step.Orb?
  public var units: Units
  /// Whether heights and weights are shown here, so that switching units means something.
  public var hasUnits: Bool {
    if case .stepper(let input) = input {
      [.height, .weight].contains(input.quantity)
    } else {
      false
    }
  }

  init(journey: String, step: String, kind: Kind, title: String, units: Units) {
    (self.journey, self.step, self.kind) = (journey, step, kind)
    (self.title, self.units) = (title, units)
  }
}
