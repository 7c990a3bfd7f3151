package import ContextQuality
import FoundationEssentials
public import Intake
import Plans
import PostgresStore
import Rehearsal
public import SessionStore
public import Settings

/// What a program needs from its environment, resolved once at startup.
public struct CommandContext: Sendable {
  public let environment: [String: String]
  package let files: SettingsFiles
  /// Every source of settings, in order of precedence.
  public let settings: SettingsLayers

  /// Reads the environment, `.env`, the config file and the credentials file.
  ///
  /// - Parameter readsCredentials: False if the command needs no key; none is read then.
  /// - Throws: ``CommandFailure`` if the config file is malformed.
  public init(flags: [Setting: String] = [:], readsCredentials: Bool = true) throws {
    environment = ProcessInfo.processInfo.environment
    files = SettingsFiles(environment: environment)
    do {
      settings = try files.load(flags: flags, readsCredentials: readsCredentials)
    } catch {
      throw CommandFailure(.notConfigured, "\(error)")
    }
  }

  /// Defaults that are only known at run time.
  package var defaults: [Setting: String] {
    var defaults: [Setting: String] = [.prompts: PromptPack.defaultName]
    defaults[.store] = try? StoreLocation.path(environment: environment)
    for role: Setting in [.modelFast, .modelCoach, .modelDeep] {
      defaults[role] = "(chosen from the server's models)"
    }
    return defaults
  }

  /// Next to the default store; nil if there is no home folder.
  package var capabilitiesPath: String? {
    guard let store = try? StoreLocation.path(environment: environment) else { return nil }
    return store.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/") + "/models.json"
  }

  /// Opens the store, a file, creating it if missing.
  ///
  /// - Parameter file: The file named by an option; overrides the settings.
  /// - Throws: `StoreError`, `SettingError` if the path cannot be used, or ``CommandFailure`` if the
  ///   settings name a database.
  public func openStore(_ file: String? = nil) throws -> SessionStore {
    try SessionStore(path: tightened(try storePath(file)))
  }

  /// Opens the store only if it exists; nil if missing.
  package func existingStore(_ file: String?) throws -> SessionStore? {
    try SessionStore.existing(at: tightened(try storePath(file)))
  }

  /// Opens the store, a file or a database, creating it if missing.
  ///
  /// - Parameter place: The file or URL named by an option; overrides the settings.
  /// - Throws: As ``openStore(_:)``; a password is in no error.
  public func openAnyStore(_ place: String? = nil) async throws -> any ConversationStore {
    guard let address = try database(place) else { return try openStore(place) }
    return try await PostgresStore(address)
  }

  /// Opens the store, a file or a database, only if it exists; nil if missing.
  package func existingAnyStore(_ place: String?) async throws -> (any ConversationStore)? {
    guard let address = try database(place) else { return try existingStore(place) }
    return try await PostgresStore.existing(address)
  }

  /// The database that the option or the settings name; nil for a file.
  func database(_ option: String?) throws(StoreError) -> PostgresAddress? {
    guard let text = option ?? settings[.store]?.value, PostgresAddress.isMeant(by: text) else {
      return nil
    }
    return try PostgresAddress(text)
  }

  private func tightened(_ path: String) -> String {
    if path == (try? StoreLocation.path(environment: environment)) {
      StoreLocation.tightenFolder(of: path)
    }
    return path
  }

  package func storePath(_ option: String?) throws -> String {
    let chosen = option.map { ($0, SettingSource.flag) } ?? settings[.store]
    guard let (value, source) = chosen else {
      return try StoreLocation.path(environment: environment)
    }
    if PostgresAddress.isMeant(by: value) {
      throw CommandFailure(
        .usage,
        "This needs a file, but \(source) names a PostgreSQL database. Choose a file with --store, or "
          + "talk with the coach over the database: `rapport serve`.")
    }
    let isFile = !value.isEmpty && value != ":memory:" && !value.hasPrefix("file:")
    guard isFile else {
      throw SettingError(
        setting: Setting.store.rawValue, source: source,
        expected: "a file path", found: value)
    }
    return try settings.path(value, .store, source)
  }

  /// The prompt pack in the settings, or the built-in one.
  ///
  /// - Throws: ``CommandFailure`` if the folder is missing or its pack is malformed.
  public func promptPack() throws -> PromptPack {
    guard let name = try settings.path(.prompts) else { return try PromptPack.embedded() }
    do throws(PackError) {
      return try PackFolder.pack(name)
    } catch {
      throw CommandFailure(.badData, "\(error)")
    }
  }
}

extension CommandContext {
  /// The pack that a session was begun with, also if another one is set.
  ///
  /// - Throws: `CommandFailure` if it is neither set nor built in.
  public func promptPack(of events: [RecordedEvent]) throws -> PromptPack {
    let pack = try promptPack()
    guard let begun = Self.nameOfPack(of: events), begun != pack.name else { return pack }
    guard PromptPack.embeddedNames.contains(begun) else {
      throw CommandFailure(
        .usage,
        "This conversation began with the prompts \u{201C}\(begun)\u{201D}, which aren't built in. Name "
          + "their folder in --prompts or RAPPORT_PROMPTS.")
    }
    return try PromptPack.embedded(begun)
  }

  /// The name of the pack that a conversation or a journey was begun with; nil if it has not begun.
  package static func nameOfPack(of events: [RecordedEvent]) -> String? {
    let starts = events.lazy.compactMap { recorded -> String? in
      if case .started(let start) = recorded.event { return start.pack }
      guard case .started(let start)? = try? recorded.event(as: PlanEvent.self) else {
        return nil
      }
      return start.pack
    }
    return starts.first
  }
}

/// Ends a command before it starts work, with a message and an exit code.
public struct CommandFailure: Error, Sendable, CustomStringConvertible {
  public let status: ExitStatus
  /// For the person; contains no secret.
  public let words: String

  public var description: String { words }

  public init(_ status: ExitStatus, _ words: String) {
    self.status = status
    self.words = words
  }
}

/// Packs by folder, and the built-in ones by name.
package enum PackFolder {
  /// - Parameter name: A folder, or the name of a built-in pack if there is no such folder.
  package static func pack(_ name: String) throws(PackError) -> PromptPack {
    let isFolder = FileManager.default.fileExists(atPath: name)
    if !isFolder, PromptPack.embeddedNames.contains(name) { return try PromptPack.embedded(name) }
    var faults = PackFaults()
    let pack = read(try files(name), name, &faults)
    try faults.raise()
    guard let pack else { throw PackError(file: name, reason: "the pack can't be read") }
    return pack
  }

  /// Reads what can be read of a pack and its rehearsal.
  ///
  /// - Parameter faults: Receives everything that is wrong.
  package static func read(
    _ files: [String: String], _ folder: String, _ faults: inout PackFaults
  ) -> PromptPack? {
    let pack: PromptPack
    do throws(PackError) {
      pack = try PromptPack(checking: files, folder: folder, &faults)
    } catch {
      faults.add(error)
      return nil
    }
    faults.gather { () throws(PackError) in try pack.checkRehearsal() }
    return pack
  }

  package static func files(_ folder: String) throws(PackError) -> [String: String] {
    guard let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder) else {
      let names = PromptPack.embeddedNames.joined(separator: ", ")
      throw PackError(file: folder, reason: "no such folder; the built-in packs are \(names)")
    }
    var files: [String: String] = [:]
    for path in paths {
      let full = folder + "/" + path
      var isFolder = false
      guard FileManager.default.fileExists(atPath: full, isDirectory: &isFolder), !isFolder else {
        continue
      }
      do throws(RegularFile.Failure) {
        files[path] = String(validating: try RegularFile.bytes(full), as: UTF8.self)
      } catch {
        throw PackError(file: full, reason: error.reason)
      }
      guard files[path] != nil else {
        throw PackError(file: full, reason: "can't be read as UTF-8 text")
      }
    }
    return files
  }
}
