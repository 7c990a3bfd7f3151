import FoundationEssentials
public import Intake
public import WireFormats

/// The sheets in a folder.
public enum PersonaFolder {
  /// The largest sheet that is read, in bytes.
  static let byteLimit = 1 << 20

  /// Reads every `.json` file in a folder and the folders below it, except for schemas, or a single
  /// file, in the order of their paths.
  ///
  /// - Throws: `FieldError` with the file and the field that is wrong.
  public static func personas(
    at path: String, for pack: PromptPack
  ) throws(FieldError) -> [Persona] {
    try personas(in: try files(at: path), for: pack, bytes)
  }

  /// The people who come with the program.
  ///
  /// - Throws: `FieldError` if they are not for the pack.
  public static func embedded(for pack: PromptPack) throws(FieldError) -> [Persona] {
    let sheets = Dictionary(uniqueKeysWithValues: EmbeddedPersonas.files)
    return try personas(in: sheets.keys.filter(isSheet).sorted(), for: pack) { name in
      Array(sheets[name, default: ""].utf8)
    }
  }

  private static func personas(
    in names: [String], for pack: PromptPack,
    _ bytes: (String) throws(FieldError) -> [UInt8]
  ) throws(FieldError) -> [Persona] {
    var personas: [Persona] = []
    var files: [String: String] = [:]
    for file in names {
      do throws(FieldError) {
        let persona = try Persona(parsing: try bytes(file), for: pack)
        if let other = files[persona.name] {
          throw FieldError(
            path: "name", expected: "a name no other sheet has", found: "that of \(other)")
        }
        files[persona.name] = file
        personas.append(persona)
      } catch {
        throw FieldError(file: file, path: error.path, error.reason)
      }
    }
    return personas
  }

  private static func files(at path: String) throws(FieldError) -> [String] {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw FieldError(file: path, "there is no such file or folder")
    }
    guard isFolder else { return [path] }
    guard let names = try? FileManager.default.subpathsOfDirectory(atPath: path) else {
      throw FieldError(file: path, "this folder can't be read")
    }
    let files = names.filter(isSheet).sorted().map { path + "/" + $0 }
    guard !files.isEmpty else { throw FieldError(file: path, "no persona is in this folder") }
    return files
  }

  private static func isSheet(_ name: String) -> Bool {
    name.hasSuffix(".json") && !name.hasSuffix(".schema.json")
  }

  private static func bytes(_ file: String) throws(FieldError) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw FieldError("this file can't be read")
    }
    guard data.count <= byteLimit else {
      throw FieldError("this file is larger than \(byteLimit >> 20) MiB")
    }
    return Array(data)
  }
}
