extension PageFile {
  /// The page's files, by the address where the browser asks for them. A new file is also named in
  /// Package.swift, which puts it into the program.
  static let all = [
    PageFile("/", "text/html; charset=utf-8", PackageResources.index_html),
    PageFile("/style.css", "text/css; charset=utf-8", PackageResources.style_css),
    PageFile("/app.js", "text/javascript; charset=utf-8", PackageResources.app_js),
  ]
}
