public import Intake

/// Why the store cannot be used, or did not take something.
public struct StoreError: Error, Hashable, Sendable {
  public enum Code: Hashable, Sendable {
    /// No folder to keep the store in: neither XDG_STATE_HOME nor HOME is set.
    case noFolder
    /// The folder or the file cannot be made or opened.
    case cannotOpen
    /// The file is not one of ours.
    case notAStore
    /// A later version of the program wrote the file.
    case newerVersion(found: Int, known: Int)
    /// The file is damaged.
    case damaged
    /// Nothing can be written: the disk is full, the file read-only, the device failing.
    case cannotWrite
    /// Another process kept the file busy for too long.
    case busy
    /// Another process has the store open, so nothing can be deleted for good.
    case inUse
    /// Another process has this conversation open.
    case sessionHeld(by: SessionHolder)
    /// A session was deleted, but the file could not be cleaned of its words.
    case notWiped
    /// Another process wrote to this session in between.
    case interleaved
    case noSuchSession(String)
    case ambiguousSession(String)
    /// An event whose payload isn't what its kind promises.
    case unreadableEvent(session: String, UnreadableEvent)
  }

  public var code: Code
  public var file: String
  /// For engineers: what SQLite or the system said.
  public var detail: String

  public init(_ code: Code, file: String, detail: String = "") {
    self.code = code
    self.file = file
    self.detail = detail
  }
}

/// The process that has a session open.
public struct SessionHolder: Hashable, Sendable {
  public var process: Int32
  public var terminal: String

  public init(process: Int32, terminal: String) {
    self.process = process
    self.terminal = terminal
  }
}

extension StoreError: CustomStringConvertible {
  public var description: String {
    detail.isEmpty ? "\(file): \(code)" : "\(file): \(code): \(detail)"
  }

  /// What to tell the person.
  public var userMessage: String {
    switch code {
    case .noFolder:
      "I don't know where to keep our conversation: HOME is not set. Set it, or name a file with --store."
    case .cannotOpen:
      "I can't open \(file), where our conversations are kept (\(detail))."
    case .notAStore:
      "\(file) is not a file of mine, so I left it alone. Name another one with --store."
    case .newerVersion(let found, let known):
      "\(file) was written by a newer version of rapport (format \(found); this one knows \(known)). "
        + "I left it alone; please update rapport."
    case .damaged:
      "\(file) is damaged, so I left it as it is. Move it aside to start anew; `sqlite3 FILE .recover` "
        + "can often rescue what is in it."
    case .cannotWrite:
      "I couldn't save that to \(file) (\(detail)), so I stopped rather than go on without it. "
        + "Everything before it is safe; what you wrote last may be missing. Once the file can be "
        + "written again, `rapport chat` goes on from there."
    case .busy:
      "Another rapport is writing to \(file) right now, and I gave up waiting. Please try again."
    case .inUse:
      "Another rapport has \(file) open, and could still keep your words. Nothing was deleted; close it "
        + "there, then ask me again."
    case .sessionHeld(let holder):
      "This conversation is open in another rapport (process \(holder.process)"
        + (holder.terminal.isEmpty ? ")" : " on \(holder.terminal))")
        + ". Close it there first; nothing of it is lost."
    case .notWiped:
      "The conversation is deleted, but its words may still be in \(file)-wal (\(detail)). They go "
        + "the next time I am opened and closed with some space on the disk."
    case .interleaved:
      "Another rapport wrote to this conversation in between, so I stopped before mixing the two up. "
        + "Start me again to go on from there."
    case .noSuchSession(let id):
      "I have no conversation \(id). `rapport sessions` lists them."
    case .ambiguousSession(let id):
      "More than one conversation begins with \(id). `rapport sessions` lists them."
    case .unreadableEvent(let session, let error):
      "I can't read conversation \(session): \(error). I left it as it is."
    }
  }
}
