import Foundation

/// A TLS server with a certificate of its own making, run by the `openssl` command.
///
/// It answers any GET with status 200, or the first request with a given reply. Everything lives in a temporary folder that goes with
/// the value.
public final class TLSPeer: @unchecked Sendable {  // Immutable after init, except by deinit.
  /// What is wrong with the certificate, or the connection.
  public enum Flaw: String, CaseIterable, Sendable, CustomStringConvertible {
    case none, expired, selfSigned, wrongHost, outdatedProtocol

    public var description: String { rawValue }
  }

  /// Whether the `openssl` command is there; without it tests of TLS cannot run.
  public static let isAvailable = (try? run(["version"], in: nil)) != nil

  /// A PEM file of the authority that signed the certificate.
  public var authorityFile: String { folder.appending(path: "ca.pem").path }
  public private(set) var port = 0
  public var url: String { "https://localhost:\(port)/" }

  private let folder: URL
  private let server = Process()
  private let replies = Pipe()

  /// - Parameter reply: What it sends over the first connection, whatever is asked.
  public init(_ flaw: Flaw, replying reply: String? = nil) throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "tls-peer-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try makeAuthority()
    try makeCertificate(flaw)
    port = try startServer(outdated: flaw == .outdatedProtocol, reply)
  }

  deinit {
    if server.isRunning { server.terminate() }
    try? FileManager.default.removeItem(at: folder)
  }

  private static let newKey = [
    "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
  ]

  private func makeAuthority() throws {
    let settings = """
      [ca]
      default_ca = d
      [d]
      new_certs_dir = .
      database = index.txt
      serial = serial
      default_md = sha256
      policy = p
      copy_extensions = copy
      email_in_dn = no
      [p]
      commonName = supplied
      """
    try write(settings, to: "ca.cnf")
    try write("", to: "index.txt")
    try write("01\n", to: "serial")
    try openssl(
      ["req", "-x509"] + Self.newKey
        + ["-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test authority", "-days", "2"])
  }

  private func makeCertificate(_ flaw: Flaw) throws {
    let host = flaw == .wrongHost ? "elsewhere.example" : "localhost"
    let name = ["-subj", "/CN=\(host)", "-addext", "subjectAltName=DNS:\(host)"]
    guard flaw != .selfSigned else {
      try openssl(
        ["req", "-x509"] + Self.newKey + ["-keyout", "s.key", "-out", "s.pem", "-days", "2"] + name)
      return
    }
    try openssl(["req"] + Self.newKey + ["-keyout", "s.key", "-out", "s.csr"] + name)
    let isExpired = flaw == .expired
    try openssl([
      "ca", "-batch", "-notext", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key",
      "-in", "s.csr", "-out", "s.pem", "-startdate", "20200101000000Z",
      "-enddate", isExpired ? "20200201000000Z" : "20480101000000Z",
    ])
  }

  private func startServer(outdated: Bool, _ reply: String?) throws -> Int {
    var arguments = [
      "s_server", "-accept", "127.0.0.1:0", "-cert", "s.pem", "-key", "s.key",
    ]
    if let reply {
      server.standardInput = replies
      try replies.fileHandleForWriting.write(contentsOf: Data(reply.utf8))
    } else {
      arguments.append("-www")
    }
    if outdated { arguments += ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"] }
    let output = Pipe()
    server.executableURL = URL(filePath: "/usr/bin/env")
    server.arguments = ["openssl"] + arguments
    server.currentDirectoryURL = folder
    server.standardOutput = output
    server.standardError = FileHandle.nullDevice
    try server.run()
    return try Self.port(announcedIn: output.fileHandleForReading)
  }

  /// Reads the line `ACCEPT 127.0.0.1:PORT`.
  private static func port(announcedIn output: FileHandle) throws -> Int {
    var text = ""
    while true {
      let data = output.availableData
      guard !data.isEmpty else { throw CaseFileError(detail: "openssl s_server did not start") }
      text += String(decoding: data, as: UTF8.self)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      let announced = lines.first { $0.hasPrefix("ACCEPT") }?.split(separator: ":").last
      if let port = announced.flatMap({ Int($0) }) { return port }
    }
  }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: folder.appending(path: name))
  }

  private func openssl(_ arguments: [String]) throws {
    try Self.run(arguments, in: folder)
  }

  private static func run(_ arguments: [String], in folder: URL?) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    if let folder { process.currentDirectoryURL = folder }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw CaseFileError(detail: "openssl \(arguments.first ?? "") failed")
    }
  }
}
