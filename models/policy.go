package models

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/partwise/partwise/markov"
)

// Model is a policy on a system, as a chain that can be solved.
type Model interface {
	// Solve returns the measures; an unstable system has Stable = false and no error. It returns the error of ctx soon
	// after that ends.
	Solve(ctx context.Context, s markov.Settings) (Measures, error)
}

// Policy names a way to share the machine. Policies are equal if they are the same.
type Policy struct {
	Kind       string
	Partitions int    // of static and capped: K
	Parameter  string // of other kinds that take one, as flags give it
}

// The kinds of policy.
const (
	Dynamic   = "dynamic"   // equi-partitioning, repartitioned at every arrival and departure
	Static    = "static"    // K partitions, split once
	Capped    = "capped"    // equi-partitioning among at most K jobs
	Smoothing = "smoothing" // equi-partitioning with a least time between repartitions
	Folding   = "folding"   // an arrival halves one partition, a departure gives its nodes to one job
	Limited   = "limited"   // equi-partitioning that does not resize jobs up to a size
)

// ErrNoChain: the policy has no chain that can be solved; it can be simulated.
var ErrNoChain = errors.New("has no exact chain; simulate it")

// kind is a line of the table of policies.
type kind struct {
	name, syntax string
	// parse returns the policies that the text after the colon stands for; given is false if there is no colon.
	parse func(s *System, text string, given bool) ([]Policy, error)
	model func(s *System, p Policy) (Model, error)
}

// kinds is the table of policies, in the order of messages.
var kinds = []kind{
	{Dynamic, "dynamic", withoutParameter(Dynamic), func(s *System, _ Policy) (Model, error) {
		return &DEP{System: s}, nil
	}},
	{Static, "static, static:K", parseStatic, func(s *System, p Policy) (Model, error) {
		return &SP{System: s, Partitions: p.Partitions}, nil
	}},
	{Capped, "capped:K", parseCapped, func(s *System, p Policy) (Model, error) {
		return &DEP{System: s, Cap: p.Partitions}, nil
	}},
	{Smoothing, "smoothing:MEAN[,SCV]", parseSmoothing, newSmoothing},
	{Folding, "folding", withoutParameter(Folding), func(*System, Policy) (Model, error) {
		return nil, fmt.Errorf("models: folding %w", ErrNoChain)
	}},
	{Limited, "limited:DEMAND", parseLimited, func(*System, Policy) (Model, error) {
		return nil, fmt.Errorf("models: limited partitioning %w", ErrNoChain)
	}},
}

// String returns the policy as flags take it: "dynamic", "static:4", "smoothing:60".
func (p Policy) String() string {
	switch {
	case p.Partitions > 0:
		return fmt.Sprintf("%s:%d", p.Kind, p.Partitions)
	case p.Parameter != "":
		return p.Kind + ":" + p.Parameter
	}
	return p.Kind
}

// ParsePolicies reads what --policy says, for a system: "dynamic", "static:K", "static" for every K, and so on.
func (s *System) ParsePolicies(text string) ([]Policy, error) {
	name, parameter, given := strings.Cut(text, ":")
	var known []string
	for _, k := range kinds {
		if k.name == name {
			return k.parse(s, parameter, given)
		}
		known = append(known, k.syntax)
	}
	return nil, fmt.Errorf("models: unknown policy %q; there are %s", text, strings.Join(known, ", "))
}

// Model returns the chain of policy p on the system; the error wraps [ErrNoChain] if it can only be simulated.
func (s *System) Model(p Policy) (Model, error) {
	for _, k := range kinds {
		if k.name != p.Kind {
			continue
		}
		if _, err := s.ParsePolicies(p.String()); err != nil {
			return nil, err
		}
		return k.model(s, p)
	}
	return nil, fmt.Errorf("models: unknown policy %q", p.Kind)
}

func withoutParameter(name string) func(*System, string, bool) ([]Policy, error) {
	return func(_ *System, _ string, given bool) ([]Policy, error) {
		if given {
			return nil, fmt.Errorf("models: policy %s takes no parameter", name)
		}
		return []Policy{{Kind: name}}, nil
	}
}

func parseStatic(s *System, text string, given bool) ([]Policy, error) {
	if !given {
		var all []Policy
		for _, k := range s.Divisors() {
			all = append(all, Policy{Kind: Static, Partitions: k})
		}
		return all, nil
	}
	k, err := strconv.Atoi(text)
	if err != nil || k < 1 || s.Partitions()%k != 0 {
		return nil, fmt.Errorf("models: policy static:%s: the machine can be split into K = %v partitions", text, s.Divisors())
	}
	return []Policy{{Kind: Static, Partitions: k}}, nil
}

func parseCapped(s *System, text string, _ bool) ([]Policy, error) {
	k, err := strconv.Atoi(text)
	if err != nil || k < 1 || k > s.Partitions() {
		return nil, fmt.Errorf("models: policy capped:%s: at most K jobs can run at once, K = 1..%d", text, s.Partitions())
	}
	return []Policy{{Kind: Capped, Partitions: k}}, nil
}

func parseLimited(_ *System, text string, _ bool) ([]Policy, error) {
	if d, err := strconv.ParseFloat(text, 64); err != nil || !(d >= 0) || math.IsInf(d, 1) {
		return nil, fmt.Errorf("models: policy limited:%s: give the demand up to which a job is not resized", text)
	}
	return []Policy{{Kind: Limited, Parameter: text}}, nil
}
