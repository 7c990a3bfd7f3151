import Hummingbird

/// The description of this API (OpenAPI 3.1): `GET /openapi.json`. Tests compare it with the routes.
struct OpenAPIRoutes: Sendable {
  static let document =
    EmbeddedFiles.files.first { $0.path == "HTTP/openapi.json" }?.text ?? "{}"

  func addOpen(to router: Router<AppContext>) {
    router.get("openapi.json") { _, _ in
      Response(
        status: .ok,
        headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-cache"],
        body: .init(byteBuffer: ByteBuffer(string: Self.document)))
    }
  }
}
