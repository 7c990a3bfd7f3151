/// A reply on its way to the screen: filtered, then wrapped.
public struct ReplyText: Sendable {
  private var filter = OutputFilter()
  private var wrapper: WordWrapper

  /// - Parameters:
  ///   - width: Columns per line; nil if the output is not a terminal.
  ///   - column: Columns already used on the first line, such as by a label before the reply.
  public init(width: Int?, column: Int = 0) {
    wrapper = WordWrapper(width: width, column: column)
  }

  /// Columns per line; set it when the window changes.
  public var width: Int? {
    get { wrapper.width }
    set { wrapper.width = newValue }
  }

  /// What can be written after the next piece.
  public mutating func feed(_ delta: String) -> String {
    wrapper.feed(filter.filter(delta))
  }

  /// The rest of the reply.
  public mutating func finish() -> String {
    filter.finish()
    return wrapper.finish()
  }
}
