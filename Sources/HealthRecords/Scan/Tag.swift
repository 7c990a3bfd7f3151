internal import CHealthScan

/// A start tag, valid during the scanner's callback.
struct Tag {
  let pointer: UnsafePointer<hs_tag>

  var element: hs_element { pointer.pointee.element }
  var kind: hs_kind { pointer.pointee.kind }
  var isInCorrelation: Bool { pointer.pointee.is_in_correlation != 0 }

  func has(_ attribute: hs_attribute) -> Bool {
    pointer.pointee.present & (1 << attribute.rawValue) != 0
  }

  /// An attribute's value; empty if missing.
  subscript(attribute: hs_attribute) -> UnsafeBufferPointer<UInt8> {
    let text = hs_get(pointer, attribute)
    return UnsafeBufferPointer(start: text.bytes, count: text.length)
  }
}

extension UnsafeBufferPointer<UInt8> {
  var text: String { String(decoding: prefix(128), as: UTF8.self) }

  /// Its start, for a person to recognize it.
  var shown: String {
    let whole = String(decoding: prefix(LeftOut.longestExample), as: UTF8.self)
    return count > LeftOut.longestExample ? whole + "…" : whole
  }

  func begins(_ text: StaticString) -> Bool {
    count >= text.utf8CodeUnitCount
      && prefix(text.utf8CodeUnitCount).elementsEqual(
        UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  func equals(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && begins(text) }
}
