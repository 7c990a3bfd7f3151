/// Why an export cannot be read, in words for the person who made it.
public struct HealthReadError: Error, Hashable, Sendable {
  public enum Reason: Hashable, Sendable {
    case cannotOpen(String)
    case empty
    /// A folder or an archive without an export in it.
    case noExport(isFolder: Bool)
    case encrypted
    case packing(method: Int)
    case damagedArchive(String)
    /// More bytes than any export has; the limit is named.
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
    /// It was asked to stop.
    case cancelled
    case outOfMemory
    /// A snapshot as JSON that is not what it should be.
    case snapshot(String)
  }

  public var file: String
  public var reason: Reason
  /// Where in the XML, both counted from 1; nil where that means nothing or is not known.
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
      "I find no export.xml in this \(isFolder ? "folder" : "archive"). On the iPhone it is made in "
        + "the Health app: your picture, then Export All Health Data."
    case .encrypted: "The archive has a password. Please unpack it first, and give me the folder."
    case .packing(let method):
      "The archive is packed in a way I can't read (method \(method)). Please unpack it first."
    case .damagedArchive(let what):
      "The archive is damaged: \(what). Please copy it from the phone once more."
    case .tooLarge(let limit): "I stopped reading: \(limit). No export is like that."
    case .encoding(let name): "It is written in \(name); I read UTF-8, as the Health app writes it."
    case .clinicalDocument: "This is export_cda.xml; I need export.xml."
    case .otherDocument(let root):
      "This is no Apple Health export: it begins with <\(root)>, not with <HealthData>."
    case .notXML: "This is no Apple Health export: there is text where the first element should be."
    case .entity: "It declares or uses entities of its own, which no genuine export does."
    case .tooDeep: "Its elements lie more than 32 deep in each other, which no genuine export has."
    case .tooLong(let what): "It has \(what), which no genuine export has."
    case .badName: "There is a name in it that is no valid UTF-8."
    case .mismatch: "The file is damaged: an element ends that did not begin."
    case .afterTheEnd: "There is something after the end of the export, which should be the end."
    case .syntax: "The file is damaged: this is no XML."
    case .endsEarly(let records):
      "The file ends early, after \(grouped(records)) \(records == 1 ? "record" : "records"). "
        + "I would rather not guess from a part: please make the export once more."
    case .tooMany(let limit):
      "There are more than \(grouped(limit)) single records in those days. Fewer days (--days) will do."
    case .cancelled: "I stopped reading."
    case .snapshot(let what): "I can't use it as a snapshot of health data: \(what)."
    case .outOfMemory: "There is not enough memory to read it."
    }
  }
}
