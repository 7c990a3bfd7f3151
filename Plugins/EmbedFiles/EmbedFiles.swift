import Foundation

/// Writes a Swift file that holds every file under a folder, except Swift files: `EmbedFiles FOLDER OUTPUT TYPE`.
@main
struct EmbedFiles {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4 else {
      throw EmbeddingError(description: "usage: EmbedFiles FOLDER OUTPUT TYPE")
    }
    let folder = URL(filePath: arguments[1]).resolvingSymlinksInPath()
    let entries = try textFiles(under: folder).map { path, text in
      "    (\(literal(path)), \(literal(text))),\n"
    }
    let source = """
      // Generated from \(folder.lastPathComponent)/ by EmbedFiles.
      enum \(arguments[3]) {
        /// Path below \(folder.lastPathComponent)/, and the file's text.
        static let files: [(path: String, text: String)] = [
      \(entries.joined())  ]
      }

      """
    try source.write(toFile: arguments[2], atomically: true, encoding: .utf8)
  }

  private static func textFiles(under folder: URL) throws -> [(String, String)] {
    guard let all = FileManager.default.enumerator(atPath: folder.path) else {
      throw EmbeddingError(description: "\(folder.path): cannot be read")
    }
    return try all.compactMap { $0 as? String }
      .filter { path in
        var isFolder: ObjCBool = false
        let full = folder.appending(path: path).path
        return FileManager.default.fileExists(atPath: full, isDirectory: &isFolder)
          && !isFolder.boolValue && !path.hasSuffix(".swift")
          && !path.split(separator: "/").contains { $0.hasPrefix(".") }
      }
      .sorted()
      .map { ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8)) }
  }

  private static func literal(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\\": "\\\\"
      case "\"": "\\\""
      case "\n": "\\n"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        "\\u{\(String(scalar.value, radix: 16))}"
      default: String(scalar)
      }
    }
    return "\"\(escaped.joined())\""
  }
}

struct EmbeddingError: Error, CustomStringConvertible {
  let description: String
}
