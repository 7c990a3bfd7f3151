@testable import HealthRecords

/// A source cut into pieces of given sizes, over and over: the same bytes in another rhythm.
final class PiecewiseSource: ByteSource {
  private let source: any ByteSource
  private let sizes: [Int]
  private var next = 0
  var taken: Int { source.taken }

  init(_ source: any ByteSource, sizes: [Int]) { (self.source, self.sizes) = (source, sizes) }

  func read(into target: UnsafeMutableRawPointer, _ capacity: Int) throws(HealthReadError) -> Int {
    next = (next + 1) % sizes.count
    return try source.read(into: target, min(capacity, max(1, sizes[next])))
  }
}

/// Bytes that are there already.
final class MemorySource: ByteSource {
  private let bytes: [UInt8]
  private(set) var taken = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func read(into target: UnsafeMutableRawPointer, _ capacity: Int) -> Int {
    let count = min(capacity, bytes.count - taken)
    bytes.withUnsafeBytes { all in
      if count > 0, let start = all.baseAddress {
        target.copyMemory(from: start + taken, byteCount: count)
      }
    }
    taken += count
    return count
  }
}
