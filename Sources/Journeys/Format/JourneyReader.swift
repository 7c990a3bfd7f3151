public import ContextQuality
import IncrementalJSON
import Plans

extension Journey {
  /// Reads and checks a journey.
  ///
  /// - Parameters:
  ///   - file: The file's name, for errors.
  ///   - rubric: The pack's; its facets are the ones a step can name.
  /// - Throws: `PackError` with the place and the reason.
  public init(json text: String, file: String, rubric: Rubric) throws(PackError) {
    guard text.utf8.count <= Self.longestFile else {
      throw PackError(
        file: file,
        reason: "expected at most \(Self.longestFile / 1024) KiB, found "
          + "\(text.utf8.count / 1024) KiB")
    }
    let document = try PackDocument(text, file: file)
    let reader = try ObjectReader(document.root, at: "", in: document)
    _ = reader.value("$schema")
    try self.init(
      name: reader.id("name"), version: reader.integer("version", in: 1...1_000),
      title: reader.text("title"), summary: reader.optionalText("summary"),
      units: reader.optionalChoice("units") ?? .metric,
      progress: reader.optionalChoice("progress") ?? .none,
      isLocalUntilSignIn: reader.oneOf("network", ["always", "afterSignIn"]) == "afterSignIn",
      sections: Self.sections(reader), steps: Self.steps(reader),
      migrations: Self.migrations(reader), projection: Self.projection(reader), file: file)
    try reader.finish()
    try JourneyCheck(journey: self, document: document, rubric: rubric).run()
  }

  private static func sections(_ reader: ObjectReader) throws(PackError) -> [Section] {
    try reader.objects("sections", most: 40) { item throws(PackError) in
      Section(id: try item.id("id"), title: try item.text("title"))
    }
  }

  private static func steps(_ reader: ObjectReader) throws(PackError) -> [Step] {
    let items = try reader.objects("steps", most: mostSteps)
    guard !items.isEmpty else { throw reader.wrong("steps", "at least one step") }
    var faults = PackFaults()
    let steps = items.compactMap { item in
      faults.gather { () throws(PackError) in
        let step = try Step(item)
        try item.finish()
        return step
      }
    }
    try faults.raise()
    return steps
  }

  private static func migrations(_ reader: ObjectReader) throws(PackError) -> [Migration] {
    try reader.objects("migrations", most: 100) { item throws(PackError) in
      var migration = Migration(
        from: try item.integer("from", in: 1...1_000), steps: [:], fields: [:])
      for (old, new) in try item.members("steps") {
        guard let id = new.stringValue else { throw item.wrong("steps", "step ids") }
        migration.steps[old] = id
      }
      for (old, new) in try item.members("fields") {
        migration.fields[old] = try field(new, item)
      }
      return migration
    }
  }

  private static func field(
    _ value: JSONValue, _ item: ObjectReader
  ) throws(PackError) -> Migration.Field {
    if let name = value.stringValue { return Migration.Field(name: name, from: nil, values: [:]) }
    let reader = try ObjectReader(value, at: "\(item.place).fields", in: item.document)
    var field = Migration.Field(
      name: try reader.id("field"), from: try reader.optionalChoice("from"), values: [:])
    for (old, new) in try reader.members("values") {
      guard let id = new.stringValue else { throw reader.wrong("values", "option ids") }
      field.values[old] = id
    }
    try reader.finish()
    return field
  }

  private static func projection(_ reader: ObjectReader) throws(PackError) -> Projection? {
    try reader.object("projection") { item throws(PackError) in
      let table = try item.text("table")
      guard table.hasPrefix("user_"), isColumn(table) else {
        throw item.wrong("table", "a name such as user_profiles: user_, then letters and digits")
      }
      let columns = try item.objects("columns", most: 60, column)
      guard !columns.isEmpty else { throw item.wrong("columns", "at least one column") }
      return Projection(table: table, columns: columns)
    }
  }

  private static func column(_ reader: ObjectReader) throws(PackError) -> Projection.Column {
    let name = try reader.text("name")
    guard isColumn(name) else { throw reader.wrong("name", "lowercase letters, digits and _") }
    let parts = (try reader.optionalText("field") ?? "").split(separator: ".")
    let part = parts.dropFirst().first.flatMap { Projection.Column.Part(rawValue: String($0)) }
    guard parts.count <= 2, parts.count < 2 || part != nil else {
      throw reader.wrong("field", "a field, or field.start or field.end")
    }
    return Projection.Column(
      name: name, kind: try reader.choice("type"), field: parts.first.map(String.init),
      part: part, since: try reader.integer("since", in: 1...1_000, default: 1))
  }

  private static func isColumn(_ name: String) -> Bool {
    name.utf8.count <= 52 && name.first?.isLetter == true
      && name.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "_")
      }
  }
}

extension Step {
  fileprivate init(_ reader: ObjectReader) throws(PackError) {
    let kind: Kind = try reader.choice("kind")
    try self.init(
      id: reader.id("id"), title: reader.text("title"), body: Self.body(reader),
      info: reader.optionalText("info"), section: reader.optionalID("section"),
      when: Condition(reader, "when"), next: reader.optionalID("next").map { Target($0) },
      back: Self.back(reader), button: reader.optionalText("button"), orb: Self.orb(reader),
      syncs: Self.syncs(reader), field: Self.field(reader, kind),
      kind: kind, content: Self.content(kind, reader))
  }

  private static func body(_ reader: ObjectReader) throws(PackError) -> [Line] {
    try reader.textsOrObjects("body", most: 20).map { item throws(PackError) -> Line in
      switch item {
      case .text(let text): return Line(text: text)
      case .object(let object):
        let line = Line(text: try object.text("text"), when: try Condition(object, "when"))
        try object.finish()
        return line
      }
    }
  }

  private static func back(_ reader: ObjectReader) throws(PackError) -> Back {
    guard let value = reader.value("back") else { return .free }
    if value.stringValue == "none" { return .none }
    guard value.objectValue != nil else {
      throw reader.wrong("back", "\"none\" or {\"ask\": …}")
    }
    return try reader.object("back") { back throws(PackError) in
      .asks(try back.text("ask"), to: try back.optionalID("to"))
    } ?? .free
  }

  private static func orb(_ reader: ObjectReader) throws(PackError) -> Orb? {
    try reader.object("orb") { orb throws(PackError) in
      Orb(
        size: try orb.oneOf("size", ["small", "medium", "large"]),
        place: try orb.oneOf("place", ["top", "topLeft", "center"]),
        motion: try orb.oneOf(
          "motion", ["breathe", "float", "pulse", "settle", "think", "excited"]))
    }
  }

  private static func syncs(_ reader: ObjectReader) throws(PackError) -> [SyncItem.Kind] {
    try reader.texts("sync").map { name throws(PackError) in
      guard let kind = SyncItem.Kind(rawValue: name) else {
        let names = SyncItem.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw reader.wrong("sync", "a list of \(names)")
      }
      return kind
    }
  }

  private static func field(
    _ reader: ObjectReader, _ kind: Kind
  ) throws(PackError) -> Field? {
    switch kind {
    case .text, .stepper, .select, .number, .timeRange, .open:
      let meanwhile = try reader.object("meanwhile") { item throws(PackError) in
        Meanwhile(
          document: try item.choice("draft"), text: try item.text("text"),
          waiting: try item.text("waiting"))
      }
      return Field(
        name: try reader.id("field"), facets: try reader.facets("facets") ?? [],
        ignores: kind == .open ? try reader.facets("ignores") ?? [] : [],
        isOptional: try reader.flag("optional"), meanwhile: meanwhile)
    case .choice:
      return try reader.optionalID("field").map {
        Field(name: $0, facets: [], isOptional: false, meanwhile: nil)
      }
    default: return nil
    }
  }

  private static func content(
    _ kind: Kind, _ reader: ObjectReader
  ) throws(PackError) -> Content {
    switch kind {
    case .intro:
      .intro(
        isTap: try reader.oneOf("advance", ["tap", "button"]) == "tap",
        wordByWord: try reader.oneOf("pace", ["atOnce", "words"]) == "words")
    case .text:
      .text(
        placeholder: try reader.optionalText("placeholder"),
        maxLength: try reader.integer("maxLength", in: 1...500, default: 80))
    case .stepper: .stepper(try Stepper(reader))
    case .select: .select(try selectOptions(reader))
    case .number: .number(try NumberInput(reader))
    case .timeRange: .timeRange(try TimeRangeInput(reader))
    case .open:
      .open(
        OpenInput(
          placeholder: try reader.optionalText("placeholder"), pills: try reader.texts("pills"),
          prompts: try reader.texts("prompts"), hasVoice: try reader.flag("voice")))
    case .explainer: .explainer(bullets: try reader.texts("bullets"), cycle: try cycle(reader))
    case .choice: .choice(try choiceOptions(reader))
    case .conversation: .conversation(try ConversationInput(reader))
    case .signIn: .signIn(try SignIn(reader))
    case .verifyCode:
      .verifyCode(
        VerifyCode(
          digits: try reader.integer("digits", in: 4...10, default: 6),
          resendAfter: try reader.integer("resendAfter", in: 1...600, default: 30),
          resend: try reader.optionalText("resend") ?? "Resend code",
          different: try reader.optionalText("different") ?? "Use a different email"))
    case .permission: .permission(try PermissionInput(reader))
    case .draft:
      .draft(try reader.choice("document"), waiting: try reader.optionalText("waiting"))
    case .review:
      .review(
        try reader.choice("document"), approve: try reader.text("approve"),
        placeholder: try reader.optionalText("placeholder"))
    case .reveal:
      .reveal(rows: try rows(reader), figure: try reader.oneOf("figure", ["flame"]))
    case .success:
      .success(rows: try rows(reader), hasConfetti: try reader.flag("confetti", default: true))
    case .tour: .tour(try tips(reader), skip: try reader.optionalText("skip"))
    }
  }

  private static func selectOptions(_ reader: ObjectReader) throws(PackError) -> [SelectOption] {
    let options = try reader.objects("options", most: 20) { item throws(PackError) in
      SelectOption(
        id: try item.id("id"), label: try item.text("label"),
        detail: try item.optionalText("detail"), icon: try item.optionalText("icon"),
        facets: try item.facets("facets"))
    }
    guard options.count > 1 else { throw reader.wrong("options", "at least two options") }
    return options
  }

  private static func choiceOptions(_ reader: ObjectReader) throws(PackError) -> [ChoiceOption] {
    let options = try reader.objects("options", most: 10) { item throws(PackError) in
      ChoiceOption(
        id: try item.id("id"), label: try item.text("label"),
        detail: try item.optionalText("detail"),
        next: try item.optionalID("next").map { Target($0) }, clears: try item.flag("clears"),
        reminder: try Reminder(item))
    }
    guard options.count > 1 else { throw reader.wrong("options", "at least two options") }
    return options
  }

  private static func cycle(_ reader: ObjectReader) throws(PackError) -> [CyclePart] {
    try reader.object("diagram") { diagram throws(PackError) in
      let parts = try diagram.objects("cycle", most: 6) { item throws(PackError) in
        CyclePart(
          label: try item.text("label"), days: try item.integer("days", in: 1...31),
          color: try item.oneOf("color", ["green", "blue", "orange", "gray"]),
          rows: try rows(item))
      }
      guard parts.count > 1 else { throw diagram.wrong("cycle", "at least two parts") }
      return parts
    } ?? []
  }

  private static func rows(_ reader: ObjectReader) throws(PackError) -> [Row] {
    try reader.objects("rows", most: 20) { item throws(PackError) in
      Row(label: try item.text("label"), value: try item.text("value"))
    }
  }

  private static func tips(_ reader: ObjectReader) throws(PackError) -> [Tip] {
    let tips = try reader.objects("tips", most: 10) { item throws(PackError) in
      Tip(
        id: try item.id("id"), text: try item.text("text"),
        target: try item.oneOf("target", ["workout", "progress", "chat", "program", "home"]))
    }
    guard !tips.isEmpty else { throw reader.wrong("tips", "at least one tip") }
    return tips
  }
}

extension Step.Stepper {
  /// What any number of a journey lies in.
  fileprivate static let bounds = -1_000_000.0...1_000_000

  fileprivate init(_ reader: ObjectReader) throws(PackError) {
    self.init(
      min: try reader.number("min"), max: try reader.number("max"),
      initial: try reader.number("initial"), by: try reader.optionalNumber("by") ?? 1,
      quantity: try reader.optionalChoice("quantity") ?? .count,
      unit: try reader.optionalText("unit"))
    guard min < max else { throw reader.wrong("max", "more than min") }
    guard Self.bounds.contains(min) else { throw reader.wrong("min", "at least -1000000") }
    guard Self.bounds.contains(max) else { throw reader.wrong("max", "at most 1000000") }
    guard (min...max).contains(initial) else {
      throw reader.wrong("initial", "a number from min to max")
    }
    guard by > 0, by <= Self.bounds.upperBound else {
      throw reader.wrong("by", "more than 0, up to 1000000")
    }
  }
}

extension Step.NumberInput {
  fileprivate init(_ reader: ObjectReader) throws(PackError) {
    self.init(
      min: try reader.number("min"), max: try reader.number("max"),
      isWhole: try reader.flag("whole", default: true), unit: try reader.optionalText("unit"),
      defaults: try Self.defaults(reader), tooSmall: try reader.optionalText("tooSmall"),
      tooLarge: try reader.optionalText("tooLarge"),
      notANumber: try reader.optionalText("notANumber"))
    guard min < max else { throw reader.wrong("max", "more than min") }
    let bounds = Step.Stepper.bounds
    guard bounds.contains(min) else { throw reader.wrong("min", "at least -1000000") }
    guard bounds.contains(max) else { throw reader.wrong("max", "at most 1000000") }
    guard defaults.allSatisfy({ (min...max).contains($0.value) }) else {
      throw reader.wrong("default", "numbers from min to max")
    }
  }

  private static func defaults(_ reader: ObjectReader) throws(PackError) -> [Default] {
    if let value = reader.value("default")?.doubleValue {
      return [Default(when: nil, value: value)]
    }
    return try reader.objects("default", most: 20) { item throws(PackError) in
      Default(when: try Condition(item, "when"), value: try item.number("value"))
    }
  }
}

extension Step.TimeRangeInput {
  fileprivate init(_ reader: ObjectReader) throws(PackError) {
    let day = 1...1_439
    self.init(
      initial: ClockRange(start: try Self.time("start", reader), end: try Self.time("end", reader)),
      minMinutes: try reader.integer("minMinutes", in: day, default: day.lowerBound),
      maxMinutes: try reader.integer("maxMinutes", in: day, default: day.upperBound))
    guard minMinutes <= maxMinutes, (minMinutes...maxMinutes).contains(initial.length) else {
      throw reader.wrong("end", "a range of minMinutes to maxMinutes")
    }
  }

  private static func time(_ name: String, _ reader: ObjectReader) throws(PackError) -> Int {
    let text = try reader.text(name)
    guard text.count == 5, let minutes = ClockRange.minutes(text) else {
      throw reader.wrong(name, "a time such as 12:00")
    }
    return minutes
  }
}

extension Step.ConversationInput {
  fileprivate init(_ reader: ObjectReader) throws(PackError) {
    let topics = try reader.objects("topics", most: 12) { item throws(PackError) in
      let facets = try item.facets("facets") ?? []
      guard !facets.isEmpty else { throw item.wrong("facets", "at least one facet") }
      return Topic(id: try item.id("id"), title: try item.text("title"), facets: facets)
    }
    let turns = try reader.value("turns") == nil ? nil : reader.integer("turns", in: 1...30)
    self.init(
      ends: try reader.choice("ends"), hasPaywall: try reader.flag("paywall"), turns: turns,
      topics: topics)
    if ends == .topics, topics.isEmpty { throw reader.wrong("topics", "at least one topic") }
    if hasPaywall, ends != .summary {
      throw reader.wrong("paywall", "false, unless ends is summary")
    }
  }
}

extension Step.SignIn {
  fileprivate init(_ reader: ObjectReader) throws(PackError) {
    let consents = try reader.objects("consents", most: 5) { item throws(PackError) in
      let consent = Consent(
        id: try item.id("id"), label: try item.text("label"), url: try item.optionalText("url"))
      if let url = consent.url, !url.hasPrefix("https://") {
        throw item.wrong("url", "an https:// address")
      }
      return consent
    }
    self.init(
      placeholder: try reader.optionalText("placeholder"), consents: consents,
      invalid: try reader.optionalText("invalid"),
      local: try reader.optionalText("local") ?? "Keep it here",
      localNote: try reader.optionalText("localNote"))
  }
}

extension Step.PermissionInput {
  fileprivate init(_ reader: ObjectReader) throws(PackError) {
    self.init(
      permission: try reader.choice("permission"), allow: try reader.text("allow"),
      decline: try reader.text("decline"), preview: try reader.optionalText("preview"),
      unavailable: try reader.optionalText("unavailable"), reminder: try Step.Reminder(reader))
  }
}

extension Step.Reminder {
  fileprivate init?(_ parent: ObjectReader) throws(PackError) {
    guard let reader = try parent.object("remind") else { return nil }
    self.init(
      afterDays: try reader.integer("after", in: 1...366), from: try reader.id("from"),
      to: try reader.id("to"), text: try reader.text("text"),
      now: try reader.optionalText("now") ?? "Do it now",
      later: try reader.optionalText("later") ?? "Remind me later",
      laterDays: try reader.integer("laterAfter", in: 1...366, default: 3),
      never: try reader.optionalText("never") ?? "Don't ask again")
    try reader.finish()
  }
}

extension Condition {
  /// Nil if the member is missing.
  fileprivate init?(_ parent: ObjectReader, _ name: String) throws(PackError) {
    guard let reader = try parent.object(name) else { return nil }
    try self.init(reader, depth: 1)
  }

  private init(_ reader: ObjectReader, depth: Int) throws(PackError) {
    guard depth <= Journey.deepestCondition else {
      throw reader.document.wrong(
        "\(reader.place): expected conditions at most \(Journey.deepestCondition) deep",
        in: .object(reader.object))
    }
    switch reader.object.first?.name {
    case "all": self = .all(try Self.parts("all", reader, depth))
    case "any": self = .any(try Self.parts("any", reader, depth))
    case "not":
      guard let part = try reader.object("not") else { throw reader.wrong("not", "a condition") }
      self = .not(try Condition(part, depth: depth + 1))
    case "known": self = .known(try reader.facets("known") ?? [])
    case "missing": self = .missing(try reader.facets("missing") ?? [])
    case "scoreBelow":
      let share = try reader.number("scoreBelow")
      guard share > 0, share <= 1 else { throw reader.wrong("scoreBelow", "more than 0, up to 1") }
      self = .scoreBelow(Int((share * 10_000).rounded()))
    case "accounts": self = .accounts(try reader.flag("accounts"))
    case "signedIn": self = .signedIn(try reader.flag("signedIn"))
    case "permission", "granted":
      self = .permission(try reader.choice("permission"), granted: try reader.flag("granted"))
    default: self = .field(try reader.id("field"), try Self.test(reader))
    }
    try reader.finish()
  }

  private static func parts(
    _ name: String, _ reader: ObjectReader, _ depth: Int
  ) throws(PackError) -> [Condition] {
    let parts = try reader.objects(name, most: 20).map { item throws(PackError) in
      try Condition(item, depth: depth + 1)
    }
    guard !parts.isEmpty else { throw reader.wrong(name, "at least one condition") }
    return parts
  }

  private static func test(_ reader: ObjectReader) throws(PackError) -> Test {
    if let least = try reader.optionalNumber("atLeast") { return .atLeast(least) }
    if let most = try reader.optionalNumber("atMost") { return .atMost(most) }
    if reader.value("answered") != nil { return .answered(try reader.flag("answered")) }
    if let text = reader.value("is")?.stringValue { return .isOneOf([text]) }
    let texts = try reader.texts("is")
    guard !texts.isEmpty else { throw reader.wrong("is", "is, atLeast, atMost or answered") }
    return .isOneOf(texts)
  }
}
