public import LanguageModels

/// The model for each role. One model can serve all three.
public struct ModelRoles: Sendable {
  public var fast: any LanguageModel
  public var coach: any LanguageModel
  public var deep: any LanguageModel

  public init(fast: any LanguageModel, coach: any LanguageModel, deep: any LanguageModel) {
    self.fast = fast
    self.coach = coach
    self.deep = deep
  }

  public init(all model: any LanguageModel) {
    self.init(fast: model, coach: model, deep: model)
  }

  public subscript(role: ModelRole) -> any LanguageModel {
    switch role {
    case .fast: fast
    case .coach: coach
    case .deep: deep
    }
  }
}
