package sched

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// reserved is a reservation in a profile.
type reserved struct {
	reservation
	estimate float64
	nodes    int
}

// TestProfileFindsTheEarliestTime compares each search with one that goes through all steps, in a profile of several blocks to which
// reservations are added, and from which they are taken or moved. All are moved forward at a time, as when a job has ended. Times
// are whole numbers, so that many coincide.
func TestProfileFindsTheEarliestTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 130).Draw(t, "nodes")
		seed := rapid.Uint64().Draw(t, "seed")
		draw := func(n int) int { // a linear congruential generator: thousands of draws by rapid take seconds
			seed = seed*6364136223846793005 + 1442695040888963407
			return int(seed>>33) % n
		}
		var p profile
		p.reset(nodes)
		p.advance(0)
		var jobs []reserved
		now := 0.0
		for range 600 {
			switch i := draw(max(len(jobs), 1)); {
			case draw(10) == 0:
				now += float64(draw(30))
				p.advance(now)
				jobs = due(jobs, now)
			case len(jobs) == 0 || draw(2) == 0:
				j := reserved{estimate: float64(1 + draw(400)), nodes: 1 + draw(nodes)}
				if j.nodes > 10 && draw(2) == 0 {
					j.nodes = 1 + draw(10)
				}
				s, at := p.earliest(0, math.Inf(1), j.estimate, j.nodes)
				if want := p.search(math.Inf(1), j); at != want {
					t.Fatal("a reservation at", at, "want", want)
				}
				j.reservation = p.reserve(s, at, j.estimate, j.nodes)
				jobs = append(jobs, j)
			case draw(3) == 0: // a job gives up its reservation
				j := jobs[i]
				p.freeNodes(j.from, j.to, int32(j.nodes))
				p.releaseStep(j.from)
				p.releaseStep(j.to)
				jobs = slices.Delete(jobs, i, i+1)
			default:
				for i := range jobs {
					j := &jobs[i]
					want := p.search(j.start, *j)
					if j.reservation = p.moveEarlier(j.reservation, j.estimate, j.nodes); j.start != want {
						t.Fatal("forward to", j.start, "want", want)
					}
				}
				p.renewFreed()
			}
		}
	})
}

// due returns the reservations that begin after now.
func due(jobs []reserved, now float64) []reserved {
	return slices.DeleteFunc(jobs, func(j reserved) bool { return j.start <= now })
}

// search is the start of [profile.moveEarlier] by a search through all steps.
func (p *profile) search(start float64, j reserved) float64 {
	at, fits := p.now, false
	for s := p.first; s != nil; s = s.next {
		switch {
		case s.from >= start && fits, fits && s.from >= at+j.estimate:
			return at
		case s.from >= start:
			return start
		case s.free < int32(j.nodes):
			fits = false
		case !fits:
			at, fits = max(s.from, p.now), true
		}
	}
	if fits {
		return at
	}
	return start
}
