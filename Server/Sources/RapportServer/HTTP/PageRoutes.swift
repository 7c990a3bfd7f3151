import HTTPTypes
import Hummingbird

/// The page for browsers: files that are built into the program.
struct PageRoutes: Sendable {
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    + "connect-src 'self'; manifest-src 'self'; font-src 'self'; base-uri 'none'; "
    + "form-action 'none'; frame-ancestors 'none'"

  func add(to router: Router<AppContext>) {
    for file in PageFile.all {
      router.get(RouterPath(file.path)) { request, _ in Self.response(file, to: request) }
    }
  }

  private static func response(_ file: PageFile, to request: Request) -> Response {
    var headers: HTTPFields = [
      .contentType: file.type, .cacheControl: "no-cache", .eTag: file.tag,
      .contentSecurityPolicy: policy,
    ]
    headers[.crossOriginOpenerPolicy] = "same-origin"
    let known = request.headers[values: .ifNoneMatch].joined(separator: ",")
    if known.contains(file.tag) { return Response(status: .notModified, headers: headers) }
    return Response(
      status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: file.bytes)))
  }
}

/// One file of the page.
struct PageFile: Sendable {
  let path: String
  let type: String
  let bytes: [UInt8]
  /// Changes with the content.
  let tag: String

  init(_ path: String, _ type: String, _ bytes: [UInt8]) {
    (self.path, self.type, self.bytes) = (path, type, bytes)
    tag = "\"\(Digest.sha256(bytes).prefix(12).hexadecimal)\""
  }
}
