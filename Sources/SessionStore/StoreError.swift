public import Intake

/// Why the store cannot be used, or did not save something.
public struct StoreError: Error, Hashable, Sendable {
  public enum Code: Hashable, Sendable {
    /// There is no folder for the store: neither XDG_STATE_HOME nor HOME is set.
    case noFolder
    /// The folder or the file cannot be created or opened.
    case cannotOpen
    /// The file is not a Rapport store.
    case notAStore
    /// A newer version of the program wrote the file.
    case newerVersion(found: Int, known: Int)
    /// The file is damaged.
    case damaged
    /// Nothing can be written: the disk is full, the file is read-only, or the device fails.
    case cannotWrite
    /// Another process kept the file locked for too long.
    case busy
    /// Another process has the store open, so nothing can be permanently deleted.
    case inUse
    /// Another process has this conversation open.
    case sessionHeld(by: SessionHolder)
    /// A session was deleted, but its words could not be erased from the file.
    case notWiped
    /// Another process wrote to this session in the meantime.
    case interleaved
    case noSuchSession(String)
    case ambiguousSession(String)
    /// An event whose payload is not what its kind promises.
    case unreadableEvent(session: String, UnreadableEvent)
  }

  public var code: Code
  public var file: String
  /// For engineers: the message from SQLite or the system.
  public var detail: String

  public init(_ code: Code, file: String, detail: String = "") {
    self.code = code
    self.file = file
    self.detail = detail
  }
}

/// The process that has a session open.
public struct SessionHolder: Hashable, Sendable {
  /// 0 if unknown.
  public var process: Int32
  public var terminal: String

  public init(process: Int32, terminal: String) {
    (self.process, self.terminal) = (process, terminal)
  }
}

extension StoreError: CustomStringConvertible {
  public var description: String {
    detail.isEmpty ? "\(file): \(code)" : "\(file): \(code): \(detail)"
  }

  private var isDatabase: Bool { file.contains("://") }

  /// The message for the person.
  public var userMessage: String { userMessage(resuming: nil) }

  /// - Parameter command: What resumes the conversation; nil for `rapport chat`.
  public func userMessage(resuming command: String?) -> String {
    switch code {
    case .noFolder:
      "I don't know where to save our conversation: HOME is not set. Set it, or choose a file with --store."
    case .cannotOpen:
      "I can't open \(file), which stores our conversations (\(detail))."
    case .notAStore where isDatabase:
      "\(file) has a schema named rapport that isn't mine, so I left it alone. Choose another database "
        + "with --store."
    case .notAStore:
      "\(file) is not a Rapport file, so I left it alone. Choose another one with --store."
    case .newerVersion(let found, let known):
      "\(file) was written by a newer version of rapport (format \(found); this version reads up to "
        + "\(known)). I left it alone; please update rapport."
    case .damaged:
      "\(file) is damaged, so I left it unchanged. Move it aside to start over; `sqlite3 FILE .recover` "
        + "can often rescue what is in it."
    case .cannotWrite:
      "I couldn't save that to \(file) (\(detail)), so I stopped instead of continuing without it. "
        + "Everything before it is saved; your last message may be missing. Once the file is writable "
        + "again, resume with `\(command ?? "rapport chat")`."
    case .busy:
      "Another rapport is writing to \(file), and I gave up waiting. Please try again."
    case .inUse:
      "Close the other rapport first; otherwise copies could remain. It has \(file) open, and nothing "
        + "was deleted."
    case .sessionHeld(let holder) where holder.process == 0 && !isDatabase:
      "This conversation is open in another rapport. Close it there first; nothing is lost."
        + (command.map { " `\($0)` then picks up here." } ?? "")
    case .sessionHeld(let holder) where holder.process == 0:
      "This conversation is open on another server. Close it there first; nothing is lost."
    case .sessionHeld(let holder):
      "This conversation is open in another rapport (process \(holder.process)"
        + (holder.terminal.isEmpty ? ")" : " on \(holder.terminal))")
        + ". Close it there first; nothing is lost."
        + (command.map { " `\($0)` then picks up here." } ?? "")
    case .notWiped:
      "The conversation is deleted, but its words may still be in \(file)-wal (\(detail)). Once there "
        + "is space on the disk, run me again to erase them."
    case .interleaved:
      "Another rapport wrote to this conversation, so I stopped before mixing the two up. Start me "
        + "again to continue from there."
    case .noSuchSession(let id):
      "No conversation starts with \"\(id)\". `rapport sessions` lists them."
    case .ambiguousSession(let id):
      "More than one conversation starts with \"\(id)\". `rapport sessions` lists them."
    case .unreadableEvent(let session, let error):
      "I can't read conversation \(session): \(error). I left it as it is."
    }
  }
}
