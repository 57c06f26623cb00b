package models

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/partwise/partwise/markov"
)

// Model is a policy on a system, as a chain that can be solved.
type Model interface {
	// Solve returns the measures; an unstable system has Stable = false and no error.
	Solve(markov.Settings) (Measures, error)
}

// Policy names a way to share the machine: "dynamic", or "static" with a number of partitions.
type Policy struct {
	Kind       string
	Partitions int // of a static policy
}

// The kinds of policy that have a chain.
const (
	Dynamic = "dynamic"
	Static  = "static"
)

// String returns the policy as flags take it: "dynamic", "static:4".
func (p Policy) String() string {
	if p.Kind == Static {
		return fmt.Sprintf("%s:%d", Static, p.Partitions)
	}
	return p.Kind
}

// ParsePolicies reads what --policy says, for a system: "dynamic", "static:K", or "static" for every K.
func (s *System) ParsePolicies(text string) ([]Policy, error) {
	kind, k, hasK := strings.Cut(text, ":")
	switch {
	case kind == Dynamic && !hasK:
		return []Policy{{Kind: Dynamic}}, nil
	case kind == Static && !hasK:
		var all []Policy
		for _, k := range s.Divisors() {
			all = append(all, Policy{Static, k})
		}
		return all, nil
	case kind == Static:
		n, err := strconv.Atoi(k)
		if err != nil || n < 1 || s.Partitions()%n != 0 {
			return nil, fmt.Errorf("models: policy %q: the machine can be split into K = %v partitions", text, s.Divisors())
		}
		return []Policy{{Static, n}}, nil
	}
	return nil, fmt.Errorf("models: unknown policy %q; use dynamic, static or static:K", text)
}

// Model returns the chain of policy p on the system.
func (s *System) Model(p Policy) (Model, error) {
	switch p.Kind {
	case Dynamic:
		return &DEP{System: s}, nil
	case Static:
		if p.Partitions < 1 || s.Partitions()%p.Partitions != 0 {
			return nil, fmt.Errorf("models: %d partitions do not divide N = %d", p.Partitions, s.Partitions())
		}
		return &SP{System: s, Partitions: p.Partitions}, nil
	}
	return nil, fmt.Errorf("models: unknown policy %q", p.Kind)
}
