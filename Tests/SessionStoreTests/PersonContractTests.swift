import Foundation
import IncrementalJSON
import Intake
import Journeys
import SessionStore
import Testing

/// What every store promises a person.
@Suite(.serialized) struct PersonContractTests {
  private let noon = Date(timeIntervalSince1970: 1_800_000_000)
  private let anna = PersonID(rawValue: "anna")
  private let ben = PersonID(rawValue: "ben")

  private var kept: HealthMemory.Snapshot {
    .init(json: #"{"steps":73219}"#, file: "/x/export.zip", fileChanged: noon, readAt: noon)
  }

  private func say(_ text: String, in store: any ConversationStore) async throws -> SessionID {
    let id = try await store.createSession(nil, at: noon)
    _ = try await store.log(for: id).append(
      [.userSaid(UserTurn(turn: 1, text: text)), .discoveryCompleted], at: noon)
    return id
  }

  private func note(_ store: any ConversationStore, _ id: SessionID) async throws {
    _ = try await store.log(for: id).append(
      [.healthNoted(HealthNote(source: "Apple Health", through: "2026-01-30"))], at: noon)
  }

  @Test(arguments: StoreKind.tested)
  func nobodySeesAnothersThings(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let (hers, his) = (store.belonging(to: anna), store.belonging(to: ben))
    let id = try await say("hers", in: hers)
    try await hers.grant(.stub(at: noon))
    try await hers.rememberHealth(kept)
    #expect(try await his.sessions().isEmpty)
    #expect(try await !his.contains(id))
    #expect(try await !his.hasFinishedDiscovery())
    #expect(try await his.entitlement() == nil)
    #expect(try await his.health() == nil)
    #expect(try await his.sessions(mentioning: "hers").isEmpty)
    let unseen = await code { _ = try await his.session(matching: id.rawValue) }
    #expect(unseen == .noSuchSession(id.rawValue))
    let undeleted = await code { try await his.forget([id], givesSpaceBack: false) }
    #expect(undeleted == .noSuchSession(id.rawValue))
    try await his.forgetHealth()
    #expect(try await hers.contains(id))
    #expect(try await hers.health() != nil)
    #expect(try await hers.entitlement() != nil)
    #expect(try await store.everybody() == [anna])
  }

  @Test(arguments: StoreKind.tested)
  func rowsForTheAccountGoOneWayAndWithTheirPerson(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let (device, account) = (store.belonging(to: anna), store.belonging(to: ben))
    func goal(_ text: String, _ id: String = "main", _ session: SessionID? = nil) -> OutboxRow {
      OutboxRow(table: "goals", id: id, columns: ["primary": .string(text)], session: session)
    }
    let id = try await say("mine", in: device)
    #expect(try await device.outbox.put(goal("one", "main", id), at: noon))
    #expect(try await !device.outbox.put(goal("one", "main", id), at: noon + 5))
    let first = try await device.outbox.entries()[0]
    #expect(first.row == goal("one", "main", id) && first.changedAt == noon)
    // A clock that was set back doesn't make a change older, and an answer counts for its own version.
    #expect(try await device.outbox.put(goal("two", "main", id), at: noon - 100))
    try await device.outbox.note(.sent, of: first)
    let second = try await device.outbox.entries()[0]
    #expect(second.state == .waiting && second.changedAt > noon && second.revision == 2)
    try await device.outbox.note(.postponed(until: noon + 60, "server-error"), of: second)
    #expect(try await device.outbox.entries()[0].attempts == 1)
    // Due, and only for those who have signed in.
    #expect(try await store.peopleWithRows(dueBy: noon + 120).isEmpty)
    try await device.setSignIn("old")
    try await device.setSignIn("tokens")
    #expect(try await store.peopleWithRows(dueBy: noon + 30).isEmpty)
    #expect(try await store.peopleWithRows(dueBy: noon + 60) == [anna])
    #expect(try await device.outbox.waiting(for: "x", dueBy: noon + 30).isEmpty)
    try await device.outbox.claim(for: "x")
    #expect(try await device.outbox.waiting(for: "y", dueBy: nil).isEmpty)
    #expect(try await device.outbox.waiting(for: "x", dueBy: nil).count == 1)
    try await device.outbox.put(goal("a", "aside"), at: noon)
    for entry in try await device.outbox.entries() where entry.row.id == "aside" {
      try await device.outbox.note(.setAside("row-refused"), of: entry)
      try await device.outbox.note(.outdated, of: entry)
    }
    try await device.move(to: ben)
    #expect(try await device.outbox.entries().isEmpty)
    #expect(try await device.signIn() == nil)
    #expect(try await account.signIn() == "tokens")
    #expect(try await account.outbox.entries().map(\.state) == [.outdated, .waiting])
    try await account.forget([id], givesSpaceBack: false)
    #expect(try await account.outbox.entries().map(\.row.id) == ["aside"])
    _ = try await account.deletePerson(at: noon)
    #expect(try await account.outbox.entries().isEmpty)
    #expect(try await account.signIn() == nil)
  }

  @Test(arguments: StoreKind.tested)
  func aProfilesRowGoesWithItsPerson(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let (device, account) = (store.belonging(to: anna), store.belonging(to: ben))
    func row(_ nick: String?, isDone: Bool) -> ProfileRow {
      func cell(_ name: String, _ kind: Projection.Column.Kind, _ value: ProfileRow.Cell.Value)
        -> ProfileRow.Cell
      {
        .init(
          column: .init(name: name, kind: kind, field: name, part: nil, since: 1), value: value)
      }
      return ProfileRow(
        table: "user_profiles",
        cells: [
          cell("nick", .text, nick.map { .text($0) } ?? .null), cell("age", .integer, .integer(40)),
          cell("weight", .real, .real(72.5)), cell("done", .boolean, .boolean(isDone)),
        ])
    }
    try await device.profiles.write(row(nil, isDone: false))
    try await device.profiles.write(row("Kim", isDone: true))
    #expect(try await stores.profiles() == ["anna Kim 40 72.5 true"])
    try await device.move(to: ben)
    #expect(try await stores.profiles() == ["ben Kim 40 72.5 true"])
    try await device.profiles.write(row("Lee", isDone: false))
    try await device.move(to: ben)
    #expect(try await stores.profiles() == ["ben Kim 40 72.5 true"], "what the other has stays")
    _ = try await account.deletePerson(at: noon)
    #expect(try await stores.profiles() == [])
  }

  @Test(arguments: StoreKind.tested)
  func conversationsAreFoundByAKindOfEvent(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let (hers, his) = (store.belonging(to: anna), store.belonging(to: ben))
    let first = try await say("one", in: hers)
    let other = try await hers.createSession(nil, at: noon)
    _ = try await hers.log(for: other).append([.discoveryCompleted], at: noon)
    let kind = IntakeEvent.Kind.userSaid.rawValue
    #expect(try await hers.sessions(withEvent: kind) == [first])
    #expect(try await his.sessions(withEvent: kind) == [])
  }

  @Test(arguments: StoreKind.tested)
  func movingToAnAccountKeepsEverything(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let (device, account) = (store.belonging(to: anna), store.belonging(to: ben))
    try await device.register(at: noon)
    let id = try await say("hers", in: device)
    try await device.grant(.stub(at: noon))
    try await device.rememberHealth(kept)
    try await account.register(at: noon)
    try await device.addTokens(5, on: "2026-11-22")
    try await account.addTokens(2, on: "2026-11-22")
    try await account.declineHealth(at: noon)
    try await device.move(to: ben)
    #expect(try await account.sessions().map(\.id) == [id])
    #expect(try await account.hasFinishedDiscovery())
    #expect(try await account.isRegistered())
    #expect(try await account.entitlement()?.grantedAt == noon)
    #expect(try await account.health() == HealthMemory(), "what the other said stays")
    #expect(try await account.tokens(on: "2026-11-22") == 7)
    #expect(try await device.sessions().isEmpty)
    #expect(try await !device.isRegistered())
    #expect(try await device.entitlement() == nil)
  }

  @Test(arguments: StoreKind.tested)
  func anAccountKnowsWhoItWasUntilItIsDeleted(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let cleo = PersonID(rawValue: "cleo")
    let account = store.belonging(to: ben)
    for device in [cleo, anna] {
      try await store.belonging(to: device).register(at: noon)
      try await store.belonging(to: device).move(to: ben)
    }
    #expect(try await account.formerIDs() == [anna, cleo])
    #expect(try await store.belonging(to: anna).formerIDs() == [])
    let other = store.belonging(to: PersonID(rawValue: "dora"))
    try await account.move(to: other.person)
    #expect(try await other.formerIDs() == [anna, ben, cleo])
    _ = try await other.deletePerson(at: noon)
    #expect(try await other.formerIDs() == [])
  }

  /// A reply that ends after its person was moved or deleted.
  @Test(arguments: StoreKind.tested)
  func lateTokensCountForTheAccountOrNobody(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let (device, account) = (store.belonging(to: anna), store.belonging(to: ben))
    let day = "2026-11-22"
    try await device.register(at: noon)
    try await device.addTokens(1, on: day)
    try await device.move(to: ben)
    try await device.addTokens(2, on: day)
    #expect(try await account.tokens(on: day) == 3)
    #expect(try await device.tokens(on: day) == 0)
    _ = try await account.deletePerson(at: noon)
    for person in [device, account] {
      try await person.addTokens(4, on: day)
      #expect(try await person.tokens(on: day) == 0)
    }
    let address = store.belonging(to: PersonID(rawValue: "address:0123"))
    for _ in 0..<2 { try await address.addTokens(5, on: day) }
    #expect(try await address.tokens(on: day) == 10)
  }

  /// Another server may count at that very moment.
  @Test(arguments: StoreKind.tested)
  func nothingIsCountedBesideADeletion(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let hers = try await stores.open().belonging(to: anna)
    for _ in 0..<20 {
      try await hers.register(at: noon)
      try await withThrowingTaskGroup { group in
        for _ in 0..<6 { group.addTask { try await hers.addTokens(1, on: "2026-11-22") } }
        group.addTask { [noon] in _ = try await hers.deletePerson(at: noon) }
        try await group.waitForAll()
      }
      #expect(try await hers.tokens(on: "2026-11-22") == 0)
    }
  }

  @Test(arguments: StoreKind.tested)
  func deletingAPersonTakesEverythingAndSaysWhat(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let hers = store.belonging(to: anna)
    try await hers.register(at: noon)
    let id = try await say("canary", in: hers)
    try await hers.rememberHealth(kept)
    let kept = try await say("his", in: store.belonging(to: ben))
    let receipt = try await hers.deletePerson(at: noon)
    #expect(receipt.person == anna && receipt.at == noon)
    #expect(receipt.sessions == 1 && receipt.events == 2)
    #expect(receipt.hadHealth && !receipt.hadEntitlement)
    #expect(try await !hers.isRegistered())
    #expect(try await !hers.hasFinishedDiscovery())
    #expect(try await hers.health() == nil)
    #expect(try await store.events(of: id).isEmpty)
    #expect(try await store.belonging(to: ben).contains(kept))
    let again = try await hers.deletePerson(at: noon)
    #expect(again.sessions == 0 && !again.hadHealth)
  }

  @Test(arguments: StoreKind.tested)
  func settingsAreKept(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let hers = try await stores.open().belonging(to: anna)
    #expect(try await hers.personSettings() == PersonSettings())
    var settings = PersonSettings()
    (settings.units, settings.timeZone, settings.language) = ("metric", "Europe/Berlin", "de")
    (settings.terms, settings.privacy, settings.consentedAt) = ("3", "4", noon)
    try await hers.setPersonSettings(
      [.units: "metric", .timeZone: "Europe/Berlin", .language: "de", .terms: "3", .privacy: "4"],
      at: noon)
    #expect(try await stores.open().belonging(to: anna).personSettings() == settings)
    settings.language = nil
    try await hers.setPersonSettings([.language: nil], at: noon + 60)
    #expect(try await hers.personSettings() == settings)
    try await hers.setPersonSettings([:], at: noon + 60)
    #expect(try await hers.personSettings() == settings)
    #expect(try await hers.isRegistered())
  }

  @Test(arguments: StoreKind.tested)
  func changesAtOnceAreAllKept(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let hers = try await stores.open().belonging(to: anna)
    for round in 0..<20 {
      async let terms: Void = hers.setPersonSettings([.terms: "t\(round)"], at: noon)
      async let privacy: Void = hers.setPersonSettings([.privacy: "p\(round)"], at: noon)
      _ = try await (terms, privacy)
      let settings = try await hers.personSettings()
      #expect(settings.terms == "t\(round)" && settings.privacy == "p\(round)")
    }
  }

  @Test(arguments: StoreKind.tested)
  func onlyAgreeingDatesTheConsent(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let hers = try await stores.open().belonging(to: anna)
    try await hers.setPersonSettings([.terms: nil, .units: "metric"], at: noon)
    #expect(try await hers.personSettings().consentedAt == nil)
    try await hers.setPersonSettings([.privacy: "2"], at: noon)
    try await hers.setPersonSettings([.terms: nil], at: noon + 60)
    #expect(try await hers.personSettings().consentedAt == noon)
  }

  @Test(arguments: StoreKind.tested)
  func settingsGoToAnAccountThatHasNone(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let (device, account) = (store.belonging(to: anna), store.belonging(to: ben))
    try await account.setPersonSettings([.units: "imperial"], at: noon + 60)
    try await device.setPersonSettings(
      [.units: "metric", .timeZone: "Europe/Berlin", .language: "de", .terms: "3", .privacy: "2"],
      at: noon)
    try await device.move(to: ben)
    var settings = PersonSettings()
    (settings.units, settings.timeZone, settings.language) = ("imperial", "Europe/Berlin", "de")
    (settings.terms, settings.privacy, settings.consentedAt) = ("3", "2", noon)
    #expect(try await account.personSettings() == settings)
  }

  @Test(arguments: StoreKind.tested)
  func tokensAreCountedByDay(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let hers = try await stores.open().belonging(to: anna)
    try await hers.register(at: noon)
    for count in [3, 4] { try await hers.addTokens(count, on: "2026-11-22") }
    #expect(try await hers.tokens(on: "2026-11-22") == 7)
    try await hers.addTokens(1, on: "2026-11-23")
    #expect(try await hers.tokens(on: "2026-11-23") == 1)
    #expect(try await hers.tokens(on: "2026-11-22") == 0, "yesterday's are forgotten")
  }

  @Test(arguments: StoreKind.tested)
  func everyServerHasTheSameKey(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let keys = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for number in UInt8(0)..<8 {
        let store = try await stores.open()
        group.addTask {
          try await store.serverKey("device-tokens") { [0, 255, number] }
        }
      }
      return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
    }
    #expect(keys.count == 1)
  }

  @Test(arguments: StoreKind.tested)
  func subscribingTwiceIsOnce(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let entitlement = StoredEntitlement(store: try await stores.open())
    #expect(try await entitlement.current() == nil)
    let granted = try await entitlement.subscribe(at: noon)
    #expect(granted == .stub(at: noon))
    #expect(try await entitlement.subscribe(at: noon.addingTimeInterval(9)) == granted)
    let store = try await stores.open()
    try await store.revoke()
    #expect(try await store.entitlement() == nil)
  }

  /// A shop's reports come late, twice and in any order.
  @Test(arguments: StoreKind.tested)
  func aLaterReportOfAPurchaseCounts(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let hers = store.belonging(to: anna)
    func paid(_ second: Double, isFirst: Bool = false) -> PurchaseReport {
      PurchaseReport(.paid, source: "shop", at: noon + second, isFirst: isFirst)
    }
    func ended(_ second: Double) -> PurchaseReport {
      PurchaseReport(.ended, source: "shop", at: noon + second)
    }
    try await hers.take(paid(1))
    #expect(try await hers.entitlement() == nil, "nobody is known by this name")
    try await hers.take(paid(1, isFirst: true))
    #expect(try await hers.entitlement() == Entitlement(source: "shop", grantedAt: noon + 1))
    try await hers.take(paid(3))
    try await hers.take(ended(2))
    #expect(try await hers.entitlement()?.grantedAt == noon + 1)
    for _ in 0..<2 { try await hers.take(ended(4)) }
    try await hers.take(paid(3))
    #expect(try await hers.entitlement() == nil)
    try await hers.take(paid(5))
    #expect(try await hers.entitlement()?.grantedAt == noon + 5)
    _ = try await hers.deletePerson(at: noon)
    for report in [paid(6), ended(7)] { try await hers.take(report) }
    #expect(try await hers.entitlement() == nil)
  }

  @Test(arguments: StoreKind.tested)
  func aTransferTakesAPurchaseAlong(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let (hers, his) = (store.belonging(to: anna), store.belonging(to: ben))
    func report(_ change: PurchaseReport.Change, _ second: Double) -> PurchaseReport {
      PurchaseReport(change, source: "shop", at: noon + second)
    }
    for store in [hers, his] { try await store.register(at: noon) }
    try await hers.take(report(.transferred(to: [ben]), 1))
    #expect(try await his.entitlement() == nil, "there was nothing to transfer")
    try await hers.take(report(.paid, 2))
    for _ in 0..<2 { try await hers.take(report(.transferred(to: [ben]), 3)) }
    #expect(try await hers.entitlement() == nil)
    #expect(try await his.entitlement() == Entitlement(source: "shop", grantedAt: noon + 2))
    try await his.take(report(.ended, 4))
    try await hers.take(report(.paid, 5))
    for _ in 0..<2 { try await hers.take(report(.transferred(to: [ben]), 3)) }
    #expect(try await hers.entitlement() != nil)
    #expect(try await his.entitlement() == nil)
  }

  // Health data.

  @Test(arguments: StoreKind.tested)
  func anAnswerAboutHealthIsKept(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    #expect(try await store.health() == nil)
    try await store.rememberHealth(kept)
    #expect(try await stores.open().health() == HealthMemory(snapshot: kept))
    try await store.declineHealth(at: noon)
    #expect(try await store.health() == HealthMemory())
    let id = try await store.createSession(nil, at: noon)
    try await store.forget([id], givesSpaceBack: false)
    #expect(try await store.health() == HealthMemory(), "a no outlives forgetting")
    try await store.forgetHealth()
    #expect(try await store.health() == nil)
  }

  @Test(arguments: StoreKind.tested)
  func theSnapshotGoesWithTheLastConversationThatTookNoteOfIt(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    var ids: [SessionID] = []
    for _ in 0..<3 { ids.append(try await store.createSession(nil, at: noon)) }
    for id in ids.prefix(2) { try await note(store, id) }
    try await store.rememberHealth(kept)
    try await store.forget([ids[0]], givesSpaceBack: false)
    #expect(try await store.health()?.snapshot == kept)
    try await store.forget([ids[1]], givesSpaceBack: false)
    #expect(try await store.health() == nil)
  }

  /// A recovery code works once, a newer one replaces it, and it goes with its person.
  @Test(arguments: StoreKind.tested)
  func aRecoveryCodeIsSomebodysOnce(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let (hers, his) = (store.belonging(to: anna), store.belonging(to: ben))
    for one in [hers, his] { try await one.register(at: noon) }
    try await hers.setRecovery("first")
    try await hers.setRecovery("second")
    try await his.setRecovery("his")
    #expect(try await store.takeRecovery("first") == nil)
    #expect(try await his.takeRecovery("second") == anna)
    #expect(try await store.takeRecovery("second") == nil)
    try await hers.setRecovery("third")
    try await hers.move(to: ben)
    #expect(try await store.takeRecovery("third") == nil)
    _ = try await his.deletePerson(at: noon)
    #expect(try await store.takeRecovery("his") == nil)
  }
}
