import Glibc

extension String {
  /// Whether it contains another text's bytes. Like `contains` for plain letters, but without
  /// canonical equivalence.
  package func hasBytes(of part: String) -> Bool {
    var (whole, part) = (self, part)
    return whole.withUTF8 { whole in
      part.withUTF8 { part in
        guard let first = part.first else { return true }
        guard var place = whole.baseAddress, let sought = part.baseAddress else { return false }
        let end = place + whole.count
        while end - place >= part.count,
          let found = memchr(place, Int32(first), end - place - part.count + 1)
        {
          if memcmp(found, sought, part.count) == 0 { return true }
          place = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) + 1
        }
        return false
      }
    }
  }
}
