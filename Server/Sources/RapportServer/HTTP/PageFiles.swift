extension PageFile {
  /// The page's files, by the address where the browser asks for them.
  static let all = EmbeddedFiles.files.filter { $0.path.hasPrefix("Web/") }.map { path, text in
    let name = path.dropFirst("Web/".count)
    return PageFile(name == "index.html" ? "/" : "/\(name)", type(of: name), Array(text.utf8))
  }

  private static func type(of name: Substring) -> String {
    switch name.split(separator: ".").last {
    case "css": "text/css; charset=utf-8"
    case "html": "text/html; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    default: "application/octet-stream"
    }
  }
}
