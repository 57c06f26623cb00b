package models_test

import (
	"flag"
	"testing"

	"github.com/partwise/partwise/testdata/phtest"
)

var update = flag.Bool("update", false, "rewrite the claims of docs/ips96.md")

type outcome = phtest.Outcome

const holds, partly, fails outcome = "holds", "partly", "fails"

var (
	claim   = phtest.NewClaim[*ips96]
	verdict = phtest.Verdict
)

// claims is the table of statements of section 6 of IPS96, with the figures of the paper that they are about: 8–10
// response times, 11–13 ratios, 14–16 p_r. Numbers are those of the scenario's description where a claim has one there.
var claims = []phtest.Claim[*ips96]{
	claim("1", "8–10", "Response times under DEP are worse on the NOW than on the SP2.", holds, slowerOnNOW),
	claim("2", "8–10", "They are worse with bursty arrivals than with Poisson arrivals.", holds, burstsAreSlower),
	claim("3", "8–10", "Doubled service variability makes them worse too, but less than bursts do at light to fairly "+
		"heavy load.",
		partly, variabilityIsSlower),
	claim("4", "11", "Workload 1: DEP is worse than the best static partitioning at light to moderate load, better at "+
		"moderate to heavy load, and as good at saturation.", holds, worseThenBetter),
	claim("5", "11", "Workload 1 with doubled service variability: no degradation, and the largest benefit.", holds,
		noDegradation),
	claim("6a", "12", "Workload 2: DEP is best.", holds, alwaysBetter),
	claim("6b", "12", "Workload 2: the largest relative gains are on the NOW.", fails, largestOnNOW),
	claim("7", "13", "Workload 3: DEP is worse at all loads.", holds, alwaysWorse),
	claim("8", "11, 12", "The largest ratio is larger with Poisson than with bursty arrivals.", holds, largestWithPoisson),
	claim("9", "11, 12", "The ratio is scalloped: it has its local maxima where the best number of static partitions "+
		"changes.",
		holds, scalloped),
	claim("10a", "14–16", "p_r rises sharply at light load and vanishes at saturation.", holds, risesAndVanishes),
	claim("10b", "14–16", "p_r is largest at a smaller load on the NOW.", holds, peaksEarlierOnNOW),
	claim("10c", "14–16", "p_r is larger on the NOW than on the SP2.", partly, repartitionsMoreOnNOW),
	claim("10d", "14–16", "p_r is larger with Poisson than with bursty arrivals.", partly, repartitionsMoreWithPoisson),
	claim("11", "8–13", "Close to saturation DEP tends to static partitioning into N.", holds, tendsToStatic),
	claim("12", "–", "(Section 7) Workload 1: with a minimum time between repartitions (smoothing) jobs respond faster "+
		"than under DEP, and under DEP faster than with folding.", fails, smoothingIsFaster),
	claim("13", "11", "Workload 1: the largest ratios are those of the SP2.", partly, largestOnSP2),
	claim("14", "11", "Workload 1: the degradation at light load is larger with Poisson than with bursty arrivals.", fails,
		degradesMoreWithPoisson),
	claim("15a", "13", "Workload 3: ratios are worse with Poisson than with bursty arrivals at all but light loads.",
		holds,
		worseWithPoisson),
	claim("15b", "11–16", "Extrema lie at lighter loads on the NOW and with bursts.", holds, earlierExtrema),
	claim("15c", "11–13", "Differences between the curves shrink from workload 1 to 2 to 3.", partly,
		shrinkingDifferences),
}

// TestClaimsPage holds every claim to the outcome that the table gives, and docs/ips96.md to the table.
func TestClaimsPage(t *testing.T) {
	phtest.HoldClaims(t, "../docs/ips96.md", "figures", claims, scenario(t), nil, *update)
}
