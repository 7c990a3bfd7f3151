/// The encoding that a text's first four bytes tell if it is not UTF-8: by its mark, or by the zeros
/// beside its first two letters. Windows PowerShell, for one, writes UTF-16.
package func otherEncoding(of text: UnsafeRawBufferPointer) -> String? {
  let head = text.prefix(4)
  let zeros = head.map { $0 == 0 }
  // Three zeros and the end of a line are a line of zeros.
  let isWide = zeros == [true, true, true, false] && text[3] != UInt8(ascii: "\n")
  if isWide || zeros == [false, true, true, true] { return "UTF-32" }
  switch Array(head) {
  case [0xFF, 0xFE, 0, 0], [0, 0, 0xFE, 0xFF]: return "UTF-32"
  case let bytes where bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]):
    return "UTF-16"
  default:
    return zeros == [false, true, false, true] || zeros == [true, false, true, false]
      ? "UTF-16" : nil
  }
}
