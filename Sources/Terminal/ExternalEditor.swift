internal import FoundationEssentials
internal import Glibc

/// The program that a person prefers for editing text, from `$VISUAL` or `$EDITOR`.
public struct ExternalEditor: Sendable {
  /// What came back from the editor.
  public enum Outcome: Sendable, Equatable {
    /// Without the last newline, which editors add.
    case text(String)
    /// A sentence about why there is no text.
    case failed(String)
  }

  /// A shell command, which may have arguments.
  public let command: String
  private let environment: [String: String]

  public init(environment: [String: String]) {
    let named = ["VISUAL", "EDITOR"].compactMap { environment[$0] }
    command = named.first { !$0.allSatisfy(\.isWhitespace) } ?? "vi"
    self.environment = environment
  }

  /// Runs the editor on a file with the text, without blocking the caller's thread.
  public func edit(_ text: String) async -> Outcome {
    await withCheckedContinuation { continuation in
      startThread {
        continuation.resume(returning: run(on: text))
      } orFail: {
        continuation.resume(returning: .failed("I couldn't start \(command)."))
      }
    }
  }

  /// Runs the editor on a file with the text and waits for it.
  ///
  /// The file is readable only by its owner and removed afterward.
  public func run(on text: String) -> Outcome {
    guard let path = temporaryFile(with: text) else {
      return .failed("I couldn't write a file for \(command): \(String(cString: strerror(errno))).")
    }
    defer { unlink(path) }
    switch status(ofEditing: path) {
    case 0: break
    case 127: return .failed("I couldn't find \(command). Set EDITOR to an editor you have.")
    case let code?:
      return .failed("\(command) ended with code \(code), so I kept your line as it was.")
    case nil: return .failed("I couldn't start \(command).")
    }
    guard let bytes = FileManager.default.contents(atPath: path) else {
      return .failed("\(command) left no file behind, so I kept your line as it was.")
    }
    var edited = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
    if edited.hasSuffix("\n") { edited.removeLast() }
    return .text(OutputFilter.clean(edited))
  }

  private func temporaryFile(with text: String) -> String? {
    let folder = environment["TMPDIR"] ?? "/tmp"
    // Editors choose their mode by the ending.
    var template = Array("\(folder)/rapport-XXXXXX.txt".utf8CString)
    let descriptor = mkstemps(&template, 4)
    guard descriptor >= 0 else { return nil }
    close(descriptor)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if (try? Data(text.utf8).write(to: URL(filePath: path))) != nil { return path }
    unlink(path)
    return nil
  }

  /// The exit code; nil if the shell could not be started.
  private func status(ofEditing path: String) -> Int32? {
    // Ctrl-C is the editor's while it runs.
    var (ignoring, before) = (sigaction(), sigaction())
    ignoring.__sigaction_handler.sa_handler = SIG_IGN
    sigaction(SIGINT, &ignoring, &before)
    defer { sigaction(SIGINT, &before, nil) }
    guard let process = spawn(["/bin/sh", "-c", "\(command) \"$1\"", "sh", path]) else {
      return nil
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      if errno != EINTR { return nil }
    }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  private func spawn(_ words: [String]) -> pid_t? {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigfillset(&defaults)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
      environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for word in arguments + variables { free(word) } }
    var process = pid_t()
    let status = posix_spawn(&process, words[0], nil, &attributes, &arguments, &variables)
    return status == 0 ? process : nil
  }
}
