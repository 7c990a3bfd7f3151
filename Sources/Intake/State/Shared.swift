/// A value on the heap, shared by its copies until one of them changes.
///
/// A copy of the state or of a scoring is a single reference then. Without it, each waiting function of each
/// conversation would hold the state's two kilobytes several times (docs/DECISIONS.md, 29).
@propertyWrapper
package struct Shared<Value: Hashable & Sendable>: Sendable {
  // Unchecked because the compiler can't see that `value` changes only through `_modify` below, and there only
  // while a single reference exists: what another thread can reach is never written.
  private final class Storage: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  package init(wrappedValue: Value) { storage = Storage(wrappedValue) }

  package var wrappedValue: Value {
    get { storage.value }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
      yield &storage.value
    }
  }
}

extension Shared: Hashable {
  package static func == (left: Self, right: Self) -> Bool {
    left.storage === right.storage || left.storage.value == right.storage.value
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(storage.value) }
}
