package policy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// Smoothing is dynamic equi-partitioning with a random minimum time between repartitions. Mean is in the time unit of the
// machine, and SCV is the squared coefficient of variation.
//
// The simulated machine of whole nodes runs Smoothing as the [Resize] with that Cooldown and SCV: while no job runs, the
// machine is divided at once. The exact chain and the simulation at model fidelity keep the shares until the minimum time is
// over. They do so even if the only running job has departed and others wait. They do not cut repartitions short. Their mean
// response times may be far above those of Resize.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, JSSPP 1996, LNCS 1162, section 7, where the minimum time is left open;
// C. S. Chang, Smoothing point processes as a means to increase throughput, IBM Research Report RC 16866, 1991.
type Smoothing struct {
	named[Smoothing]
	Mean, SCV float64
}

// name returns the name of the policy in the table.
func (Smoothing) name() string { return "smoothing" }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (Smoothing) entry() Entry {
	return Entry{
		Name:      "smoothing",
		Parameter: "MEAN[,SCV]",
		Means:     "the mean of the minimum time between repartitions",
		Example:   "smoothing:60",
		RunsOn:    Chain | WholeNodes,
		Jobs:      workload.Malleable,
		Summary:   "divides the nodes evenly, with a minimum time between repartitions",
		Source:    "Islam, Prodromidis, Squillante 1996",
		New:       newSmoothing,
	}
}

// String returns "smoothing:MEAN", with ",SCV" unless that is 1.
func (s Smoothing) String() string {
	text := fmt.Sprint("smoothing:", s.Mean)
	if s.SCV != 1 {
		text += fmt.Sprint(",", s.SCV)
	}
	return text
}

// Check returns nil if there is a distribution of that mean and variation.
func (s Smoothing) Check(Machine) error {
	_, err := s.MinimumTime()
	return err
}

// MinimumTime returns the distribution of the minimum time between repartitions that two moments give.
func (s Smoothing) MinimumTime() (phasetype.Dist, error) {
	d, err := phasetype.TwoMoments(s.Mean, s.SCV)
	if err != nil {
		return phasetype.Dist{}, &ParameterError{Policy: s.String(), Problem: err.Error()}
	}
	return d, nil
}

// newSmoothing returns the policy of a parameter, MEAN[,SCV]: the minimum time between repartitions.
func newSmoothing(parameter string) (Policy, error) {
	first, second, two := strings.Cut(parameter, ",")
	s := Smoothing{SCV: 1}
	var err error
	if s.Mean, err = strconv.ParseFloat(first, 64); err == nil && two {
		s.SCV, err = strconv.ParseFloat(second, 64)
	}
	if err != nil {
		return nil, errors.New("give the mean of the minimum time between repartitions, and its scv after a comma")
	}
	return s, s.Check(Machine{})
}
