import Glibc

/// Expands files, folders, patterns and `-` to a list of files in a fixed order.
public enum InputPaths {
  static let suffixes = [".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"]

  public static func expanded(_ arguments: [String]) throws(InputError) -> [String] {
    var paths: [String] = []
    for argument in arguments { paths += try expanded(argument) }
    return paths
  }

  /// The size of all files on disk; nil if one is unknown beforehand.
  ///
  /// Opens nothing: a pipe that is opened and closed loses its writer.
  public static func size(of paths: [String]) -> Int? {
    var sum = 0
    for path in paths {
      var status = stat()
      guard path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        return nil
      }
      sum += Int(status.st_size)
    }
    return sum
  }

  private static func expanded(_ argument: String) throws(InputError) -> [String] {
    if argument == "-" { return ["-"] }
    var status = stat()
    if stat(argument, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else { return [argument] }
      let found = try contents(argument)
      if found.isEmpty {
        throw InputError(
          file: argument, reason: "contains no .jsonl or .ndjson files (or .gz of those)")
      }
      return found
    }
    let reason = InputFile.lastError
    guard argument.contains(where: { "*?[".contains($0) }) else {
      throw InputError(file: argument, reason: reason)
    }
    var matches = glob_t()
    defer { globfree(&matches) }
    guard glob(argument, 0, nil, &matches) == 0 else {
      throw InputError(file: argument, reason: "matches no files")
    }
    var files: [String] = []
    for index in 0..<Int(matches.gl_pathc) {
      guard let path = matches.gl_pathv[index].map({ String(cString: $0) }) else { continue }
      files += try expanded(path)
    }
    return files
  }

  /// The transcript files under a folder, sorted by name.
  private static func contents(_ folder: String) throws(InputError) -> [String] {
    guard let directory = opendir(folder) else {
      throw InputError(file: folder, reason: InputFile.lastError)
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    var files: [String] = []
    for name in names.sorted() {
      let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        files += try contents(path)
      } else if suffixes.contains(where: name.hasSuffix) {
        files.append(path)
      }
    }
    return files
  }
}
