package sched

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// reserved is a reservation in a profile.
type reserved struct {
	start, estimate float64
	nodes           int
}

// TestProfileFindsTheEarliestTime compares each search with one that goes through all steps, in a profile of several blocks to which
// reservations are added, and from which they are taken or moved. Times are whole numbers, so that many coincide.
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
		var jobs []reserved
		now := 0.0
		for range 1500 {
			switch i := draw(max(len(jobs), 1)); {
			case draw(10) == 0:
				now += float64(draw(30))
				p.pass(now)
				jobs = due(jobs, now)
			case len(jobs) == 0 || draw(2) == 0:
				j := reserved{estimate: float64(1 + draw(400)), nodes: 1 + draw(nodes)}
				if j.nodes > 10 && draw(2) == 0 {
					j.nodes = 1 + draw(10)
				}
				j.start = p.anchor(now, j.estimate, j.nodes)
				if want := p.search(now, math.Inf(1), j); j.start != want {
					t.Fatal("anchor", j.start, "want", want)
				}
				p.add(j.start, j.start+j.estimate, -j.nodes)
				jobs = append(jobs, j)
			case draw(3) == 0:
				p.add(jobs[i].start, jobs[i].start+jobs[i].estimate, jobs[i].nodes)
				jobs[i] = jobs[len(jobs)-1]
				jobs = jobs[:len(jobs)-1]
			default:
				j := &jobs[i]
				at := p.earlier(now, j.start, j.estimate, j.nodes)
				if want := p.search(now, j.start, *j); at != want {
					t.Fatal("earlier than", j.start, ":", at, "want", want)
				}
				if at < j.start {
					p.move(j.start, at, j.estimate, j.nodes)
					j.start = at
				}
			}
		}
	})
}

// due returns the reservations that begin after now.
func due(jobs []reserved, now float64) []reserved {
	kept := jobs[:0]
	for _, j := range jobs {
		if j.start > now {
			kept = append(kept, j)
		}
	}
	return kept
}

// search is [profile.earlier] without blocks.
func (p *profile) search(now, start float64, j reserved) float64 {
	at, fits := now, false
	for _, b := range p.blocks {
		for _, s := range b.steps[:b.n] {
			switch {
			case s.from >= start && fits, fits && s.from >= at+j.estimate:
				return at
			case s.from >= start:
				return start
			case s.free < j.nodes:
				fits = false
			case !fits:
				at, fits = max(s.from, now), true
			}
		}
	}
	if fits {
		return at
	}
	return start
}
