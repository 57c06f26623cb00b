package policy_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/policy"
)

// TestNextByHand: rules on a machine of 16 units.
func TestNextByHand(t *testing.T) {
	at := func(running, waiting, shares int) policy.Situation {
		return policy.Situation{Units: 16, Running: running, Waiting: waiting, Shares: shares, Changes: 1, Arrival: waiting > 0}
	}
	quiet, second := at(4, 1, 4), at(4, 1, 4)
	quiet.Quiet, second.Changes = true, 2
	left := at(4, 1, 4)
	left.Arrival = false
	for _, c := range []struct {
		what string
		rule policy.Resize
		s    policy.Situation
		want int
	}{
		{"every arrival", policy.Resize{}, at(4, 1, 4), 5},
		{"every departure", policy.Resize{}, at(3, 0, 4), 3},
		{"no more shares than units", policy.Resize{}, at(16, 4, 16), 16},
		{"the first job", policy.Resize{Hysteresis: 9, Batch: 9, Wait: 9, Departures: true}, at(0, 1, 0), 1},
		{"a cooldown", policy.Resize{Cooldown: 60}, quiet, 4},
		{"a cooldown that is over", policy.Resize{Cooldown: 60}, at(4, 1, 4), 5},
		{"a cap", policy.Resize{Cap: 4}, at(4, 1, 4), 4},
		{"a floor", policy.Resize{Floor: 4}, at(0, 1, 0), 4},
		{"a floor that some leave", policy.Resize{Floor: 4}, at(3, 0, 4), 4},
		{"a fifth job is no half more", policy.Resize{Hysteresis: 1.5}, at(4, 1, 4), 4},
		{"a sixth is", policy.Resize{Hysteresis: 1.5}, at(4, 2, 4), 6},
		{"two of four left", policy.Resize{Hysteresis: 2}, at(2, 0, 4), 2},
		{"one of four left", policy.Resize{Hysteresis: 2}, at(3, 0, 4), 4},
		{"a queue is a reason to divide", policy.Resize{Hysteresis: 2}, at(12, 12, 12), 16},
		{"the first of two changes", policy.Resize{Batch: 2}, at(4, 1, 4), 4},
		{"the second", policy.Resize{Batch: 2}, second, 5},
		{"one who waits", policy.Resize{Wait: 2}, at(4, 1, 4), 4},
		{"two who wait", policy.Resize{Wait: 2}, at(4, 2, 4), 6},
		{"nobody waits", policy.Resize{Wait: 2}, at(3, 0, 4), 3},
		{"not at arrivals", policy.Resize{Departures: true}, at(4, 1, 4), 4},
		{"at departures", policy.Resize{Departures: true}, left, 5},
	} {
		if got, divides := c.rule.Next(c.s); got != c.want || got != c.s.Shares && !divides {
			t.Errorf("%s: %v in %+v divides into %d shares, %v, want %d", c.what, c.rule, c.s, got, divides, c.want)
		}
	}
}

// TestNextStaysWithinBounds: shares lie within floor and cap, nothing changes twice, and a queue that grows without end
// gets cap shares in the end, at a departure, when the cooldown is over.
func TestNextStaysWithinBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawResize(t)
		units := rapid.IntRange(max(r.Cap, r.Floor, 1), 20).Draw(t, "units")
		s := policy.Situation{Units: units, Changes: 100}
		s.Shares = r.Shares(rapid.IntRange(1, units).Draw(t, "before"), units)
		s.Running = rapid.IntRange(1, s.Shares).Draw(t, "running")
		if s.Running == s.Shares {
			s.Waiting = rapid.IntRange(0, 5).Draw(t, "waiting")
		}
		next, divides := r.Next(s)
		if next != s.Shares && (!divides || next != r.Shares(s.Running+s.Waiting, units)) {
			t.Fatalf("%v in %+v divides into %d shares", r, s, next)
		}
		again := s
		again.Shares, again.Running = next, min(s.Running+s.Waiting, next)
		again.Waiting = s.Running + s.Waiting - again.Running
		if twice, _ := r.Next(again); next != s.Shares && twice != next {
			t.Fatalf("%v in %+v divides into %d shares, and then into %d", r, s, next, twice)
		}
		s.Running, s.Waiting = s.Shares, 1000
		if most, _ := r.Next(s); most != r.Shares(1000, units) {
			t.Fatalf("%v in %+v divides into %d shares", r, s, most)
		}
	})
}

// TestNeutralParametersAreLeftOut: rules that are the same are equal.
func TestNeutralParametersAreLeftOut(t *testing.T) {
	const neutral = "resize:cooldown=0,floor=1,hysteresis=1,batch=1,wait=1"
	if p, err := table.Parse(neutral); err != nil || p != (policy.Resize{}) {
		t.Errorf("%s is read as %#v, %v", neutral, p, err)
	}
	if s := (policy.Resize{Floor: 1, Hysteresis: 1, Batch: 1, Wait: 1}).String(); s != "resize" {
		t.Errorf("written as %s", s)
	}
	if _, err := (policy.Resize{Cooldown: 1, SCV: -1}).CooldownTime(); !errors.As(err, new(*policy.ParameterError)) {
		t.Errorf("a cooldown of a negative variation: %v", err)
	}
}

func TestParametersOfARule(t *testing.T) {
	r := policy.Resize{Cooldown: 300, Cap: 8, Batch: 1}
	got := map[string]float64{}
	for name, value := range r.Parameters() {
		got[name] = value
	}
	if len(got) != 2 || got["cooldown"] != 300 || got["cap"] != 8 {
		t.Errorf("%v has the parameters %v", r, got)
	}
}
