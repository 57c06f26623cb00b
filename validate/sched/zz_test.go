package sched
import ("testing";"math/rand";"math")
func TestZZ(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var p profile
	p.reset(100)
	type res struct{ s, e float64; n int }
	var rs []res
	now := 0.0
	slow := func(start, est float64, nodes int) float64 {
		at, fits := now, false
		for _, b := range p.blocks { for _, s := range b.steps[:b.n] {
			switch {
			case s.from >= start: if fits { return at }; return start
			case fits && s.from >= at+est: return at
			case s.free < nodes: fits = false
			case !fits: at, fits = max(s.from, now), true
			}
		}}
		if fits { return at }
		return start
	}

	for n := 0; n < 200000; n++ {


		if r.Intn(10) == 0 { now += float64(r.Intn(30)); p.pass(now) 
			k := rs[:0]
			for _, x := range rs { if x.s > now { k = append(k, x) } }
			rs = k
		}
		if len(rs) < 1500 && r.Intn(3) > 0 {
			x := res{0, float64(1+r.Intn(1000)), 1+r.Intn(100)}
			if r.Intn(2) == 0 { x.n = 1+r.Intn(10) }
			w := slow(math.Inf(1), x.e, x.n)
			x.s = p.anchor(now, x.e, x.n)
			if w != x.s { for j := range p.blocks { t.Log(p.blocks[j].n, p.blocks[j].steps[:p.blocks[j].n], p.vacancies[0][j],p.vacancies[1][j],p.vacancies[2][j]) }; t.Log(x, now); t.Fatal(n, "anchor", w, x.s) }
			p.add(x.s, x.s+x.e, -x.n)
			rs = append(rs, x)
		} else if len(rs) > 0 {
			i := r.Intn(len(rs))
			x := &rs[i]
			if r.Intn(3) == 0 { p.add(max(now,x.s), x.s+x.e, x.n); rs[i] = rs[len(rs)-1]; rs = rs[:len(rs)-1]; continue }
			w := slow(x.s, x.e, x.n)
			got := p.earlier(now, x.s, x.e, x.n)
			if min(w, x.s) != min(got, x.s) { for j := range p.blocks { if p.from[j] > 250000 && p.from[j] < 300000 { t.Log(p.blocks[j].n, p.blocks[j].steps[:p.blocks[j].n], p.blocks[j].loose, p.vacancies[6][j], p.vacancies[5][j], p.vacancies[0][j]) }}; t.Fatal(n, "earlier", w, got, x, now) }
			if got < x.s { p.move(x.s, got, x.e, x.n); x.s = got }
		}
		for k := range p.blocks { if p.from[k] != p.blocks[k].steps[0].from { t.Fatal("from") } 

		}
	}
}
