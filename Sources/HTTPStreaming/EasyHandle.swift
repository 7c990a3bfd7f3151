internal import CCurl

/// A libcurl easy handle with the settings that all requests share, reused for one request after
/// another. Belongs to the network thread.
final class EasyHandle {
  let curl: UnsafeMutableRawPointer
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private let errorText: UnsafeMutablePointer<CChar>

  init?(_ configuration: HTTPClient.Configuration) {
    guard let curl = curl_easy_init() else { return nil }
    self.curl = curl
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    applySharedSettings(configuration)
  }

  deinit {
    curl_easy_cleanup(curl)
    curl_slist_free_all(headerList)
    errorText.deallocate()
  }

  private func applySharedSettings(_ configuration: HTTPClient.Configuration) {
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_HTTP09_ALLOWED, 0)
    set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    // A proxy must never see headers meant for the server.
    set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    set(CURLOPT_TCP_NODELAY, 1)
    set(CURLOPT_BUFFERSIZE, configuration.receiveBuffer)
    if let file = configuration.certificateFile {
      ccurl_set_string(curl, CURLOPT_CAINFO, file)
    }
    ccurl_set_pointer(curl, CURLOPT_ERRORBUFFER, errorText)
    ccurl_set_callback(curl, CURLOPT_HEADERFUNCTION, receiveHeaderLine)
    ccurl_set_callback(curl, CURLOPT_WRITEFUNCTION, receiveBody)
  }

  /// Sets everything that may differ between requests.
  func prepare(_ request: PreparedRequest, for transfer: Transfer) {
    errorText[0] = 0
    let context = Unmanaged.passUnretained(transfer).toOpaque()
    ccurl_set_pointer(curl, CURLOPT_PRIVATE, context)
    ccurl_set_pointer(curl, CURLOPT_HEADERDATA, context)
    ccurl_set_pointer(curl, CURLOPT_WRITEDATA, context)
    setTarget(request.url)
    setMethod(request)
    setHeaders(request.headerLines)
    let connect = request.timeouts.connect.clampedNanoseconds / 1_000_000
    set(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(clamping: Int32(clamping: connect))))
  }

  private func setTarget(_ url: HTTPURL) {
    ccurl_set_string(curl, CURLOPT_URL, url.description)
    ccurl_set_string(curl, CURLOPT_PROTOCOLS_STR, url.isLoopback ? "https,http" : "https")
    // With NULL the environment may name a proxy; the empty string forbids one.
    ccurl_set_string(curl, CURLOPT_PROXY, url.isLoopback ? "" : nil)
    // A TLS connection may support many requests: wait for it instead of opening more.
    set(CURLOPT_PIPEWAIT, url.scheme == .https ? 1 : 0)
  }

  private func setMethod(_ request: PreparedRequest) {
    switch request.method {
    case .get:
      set(CURLOPT_HTTPGET, 1)
    case .post:
      set(CURLOPT_POST, 1)
      ccurl_set_offset(curl, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
      request.body.withUnsafeBytes { bytes in
        // With NULL the body would come from a callback.
        _ = ccurl_set_pointer(
          curl, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress ?? UnsafeRawPointer(errorText))
      }
    }
  }

  private func setHeaders(_ lines: [String]) {
    curl_slist_free_all(headerList)
    headerList = lines.reduce(nil) { curl_slist_append($0, $1) }
    ccurl_set_list(curl, CURLOPT_HTTPHEADER, headerList)
  }

  private func set(_ option: CURLoption, _ value: Int) {
    ccurl_set_long(curl, option, value)
  }

  /// libcurl's message about the last failure.
  var failureDetail: String { String(cString: errorText) }

  func resume() {
    curl_easy_pause(curl, CURLPAUSE_CONT)
  }
}

private func receiveHeaderLine(
  data: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  let length = size * count
  let line = UnsafeRawBufferPointer(start: data, count: length)
  // Any number other than the length stops the transfer.
  return transfer.receive(headerLine: line) ? length : length &+ 1
}

private func receiveBody(
  data: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  let length = size * count
  switch transfer.receive(body: UnsafeRawBufferPointer(start: data, count: length)) {
  case .proceed: return length
  case .pause: return ccurl_write_pause()
  case .stop: return length &+ 1
  }
}
