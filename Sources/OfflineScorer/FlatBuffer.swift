/// Reusable memory that grows, without reference counts or checks on the hot path.
struct FlatBuffer<Element: BitwiseCopyable>: ~Copyable {
  private(set) var base: UnsafeMutablePointer<Element>
  private(set) var capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = max(1, capacity)
    base = .allocate(capacity: self.capacity)
  }

  deinit { base.deallocate() }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow() }
    base[count] = element
    count += 1
  }

  mutating func replace(with elements: UnsafeBufferPointer<Element>) {
    while capacity < elements.count { grow() }
    if let start = elements.baseAddress { base.update(from: start, count: elements.count) }
    count = elements.count
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    get { base[index] }
    set { base[index] = newValue }
  }

  @inline(__always)
  mutating func removeAll() { count = 0 }

  @inline(__always)
  mutating func truncate(to length: Int) { count = length }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
    capacity *= 2
  }
}
