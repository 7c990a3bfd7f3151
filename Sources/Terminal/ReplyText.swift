/// A reply on its way to the screen: filtered, then wrapped.
public struct ReplyText: Sendable {
  private var filter = OutputFilter()
  private var wrapper: WordWrapper

  /// - Parameters:
  ///   - width: Columns of a line; nil where the output is no terminal.
  ///   - column: Columns already taken on the first line, as by a label in front of the reply.
  public init(width: Int?, column: Int = 0) {
    wrapper = WordWrapper(width: width, column: column)
  }

  /// Columns of a line; set it when the window changes.
  public var width: Int? {
    get { wrapper.width }
    set { wrapper.width = newValue }
  }

  /// What can be written now that the next piece has come.
  public mutating func feed(_ delta: String) -> String {
    wrapper.feed(filter.filter(delta))
  }

  /// What is left to write at the end of the reply.
  public mutating func finish() -> String {
    filter.finish()
    return wrapper.finish()
  }
}
