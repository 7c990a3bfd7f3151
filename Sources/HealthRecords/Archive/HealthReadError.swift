/// Why an export is unreadable, in words for the person who made it.
public struct HealthReadError: Error, Hashable, Sendable {
  public enum Reason: Hashable, Sendable {
    case cannotOpen(String)
    case empty
    /// A folder or an archive without an export.
    case noExport(isFolder: Bool)
    /// An archive that holds no export, but another archive.
    case nested(String)
    case encrypted
    case packing(method: Int)
    case damagedArchive(String)
    /// More bytes than any export has; names the limit.
    case tooLarge(String)
    case encoding(String)
    case clinicalDocument
    case otherDocument(root: String)
    case notXML
    case entity
    case tooDeep
    case tooLong(String)
    case badName
    case mismatch
    case afterTheEnd
    case syntax
    case endsEarly(records: Int)
    case tooMany(limit: Int)
    /// The reading was canceled.
    case cancelled
    case outOfMemory
    /// An invalid JSON snapshot.
    case snapshot(String)
  }

  public var file: String
  public var reason: Reason
  /// The place in the XML, both counted from 1; nil if unknown or meaningless.
  public var line: Int?
  public var byte: Int?

  init(_ file: String, _ reason: Reason, line: Int? = nil, byte: Int? = nil) {
    (self.file, self.reason, self.line, self.byte) = (file, reason, line, byte)
  }
}

extension HealthReadError: CustomStringConvertible {
  public var description: String { "\(file): \(words)\(place)" }

  private var place: String {
    guard let byte else { return "" }
    return line.map { " (line \(grouped($0)), byte \(grouped(byte)))" }
      ?? " (byte \(grouped(byte)))"
  }

  private var words: String {
    switch reason {
    case .cannotOpen(let why): why
    case .empty: "The file is empty."
    case .noExport(let isFolder):
      "There's no export.xml in this \(isFolder ? "folder" : "archive"). To make one on an iPhone, open "
        + "Health, tap your picture, then Export All Health Data."
    case .nested(let name):
      "There's no export.xml in this archive, but another archive: \(name). Please unpack that one."
    case .encrypted:
      "The archive is password-protected. Please unpack it first and give me the folder."
    case .packing(let method):
      "I can't read this archive's compression (method \(method)). Please unpack it first."
    case .damagedArchive(let what):
      "The archive is damaged: \(what). Please copy it from the phone again."
    case .tooLarge(let limit): "I stopped reading: \(limit), which no real export does."
    case .encoding(let name): "Its encoding is \(name), but the Health app writes UTF-8."
    case .clinicalDocument: "This is export_cda.xml; I need export.xml."
    case .otherDocument(let root):
      "This is not an Apple Health export: it starts with <\(root)> instead of <HealthData>."
    case .notXML: "This is not an Apple Health export: it contains text before the first element."
    case .entity: "It declares or uses custom entities, which no real export does."
    case .tooDeep: "Its elements are nested more than 32 deep, which no real export does."
    case .tooLong(let what): "It has \(what), which no real export has."
    case .badName: "It contains a name that is not valid UTF-8."
    case .mismatch: "The file is damaged: an end tag has no start tag."
    case .afterTheEnd: "There is more data after the end of the export."
    case .syntax: "The file is damaged: it is not valid XML."
    case .endsEarly(let records):
      "The file ends early, after \(grouped(records)) \(records == 1 ? "record" : "records"). "
        + "I don't want to guess from a part of it; please make the export again."
    case .tooMany(let limit):
      "There are more than \(grouped(limit)) records in those days. Try fewer days (--days)."
    case .cancelled: "I stopped reading."
    case .snapshot(let what): "I can't use this health snapshot: \(what)."
    case .outOfMemory: "There isn't enough memory to read it."
    }
  }
}
