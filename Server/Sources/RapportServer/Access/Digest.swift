import CJose

/// SHA-256, and a code with a key, over the system's OpenSSL.
enum Digest {
  static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    made { EVP_Digest(bytes, bytes.count, $0, nil, EVP_sha256(), nil) == 1 }
  }

  static func code(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    made { HMAC(EVP_sha256(), key, CInt(key.count), bytes, bytes.count, $0, nil) != nil }
  }

  /// OpenSSL only fails here without memory, or where its configuration takes SHA-256 away.
  private static func made(_ fill: (UnsafeMutablePointer<UInt8>?) -> Bool) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      precondition(fill(buffer.baseAddress), "OpenSSL can't compute SHA-256.")
      count = 32
    }
  }
}

extension Sequence<UInt8> {
  var hexadecimal: String {
    map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
