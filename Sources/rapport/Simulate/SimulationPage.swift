import ScoreReport
import Simulation

/// A simulation as one self-contained HTML file: no scripts, no network access.
struct SimulationPage {
  let report: SimulationReport

  var html: String { page.html }

  private var page: Markup {
    """
    \(PageHead(title: "Simulated conversations", content: .comparison).markup)\
    <body><main></main></body></html>

    """
  }
}
