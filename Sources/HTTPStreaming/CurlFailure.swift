internal import CCurl

/// Translates libcurl's result codes.
enum CurlFailure {
  /// - Parameter headersComplete: Whether the response's headers had arrived.
  static func error(
    _ result: CURLcode, detail: String, host: String, headersComplete: Bool
  ) -> HTTPError {
    let code =
      isPlainText(result, detail) ? .notTLS : code(result, headersComplete: headersComplete)
    return HTTPError(code, words(result, detail), host: host)
  }

  /// libcurl has one code for all failed handshakes; OpenSSL's message tells them apart.
  private static func isPlainText(_ result: CURLcode, _ detail: String) -> Bool {
    result == CURLE_SSL_CONNECT_ERROR
      && ["wrong version number", "packet length too long", "http request"].contains {
        detail.contains($0)
      }
  }

  private static func code(_ result: CURLcode, headersComplete: Bool) -> HTTPError.Code {
    switch result {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .unresolvedHost
    case CURLE_COULDNT_CONNECT: .connectionRefused
    // libcurl enforces only the connect timeout; the loop enforces the others.
    case CURLE_OPERATION_TIMEDOUT: .timedOut(.connect)
    case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE,
      CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3:
      .connectionLost
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
      .unsupportedProtocol
    case CURLE_URL_MALFORMAT: .refusedURL
    // This is libcurl's own limit on a header line: no other large allocation happens here.
    case CURLE_OUT_OF_MEMORY, CURLcode(rawValue: 100):
      headersComplete ? .other : .tooLarge(.headerBytes)
    default: isTLS(result) ? .tls : .other
    }
  }

  private static func isTLS(_ result: CURLcode) -> Bool {
    [
      CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND,
      CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED,
      CURLE_USE_SSL_FAILED,
    ].contains(result)
  }

  private static func words(_ result: CURLcode, _ detail: String) -> String {
    let text = detail.isEmpty ? String(cString: curl_easy_strerror(result)) : detail
    // The detail can quote the server.
    let safe = text.unicodeScalars.map { scalar -> Character in
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      return isControl ? " " : Character(scalar)
    }
    return "\(String(safe)) (libcurl \(result.rawValue))"
  }
}
