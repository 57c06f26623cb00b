package markov

// lattice numbers the occupancies of m phases by up to top jobs: how many jobs are in each phase. The occupancies of
// one number of jobs are listed with n_1 descending, then n_2, and so on, so that a job that moves to a later phase
// moves the occupancy to a later place: acyclic service has triangular blocks.
type lattice struct {
	phases int
	// choose[k][s] is the number of ways to put s jobs into k phases.
	choose [][]int
	levels [][]int32 // levels[l] lists the occupancies of l jobs, phases entries each
	up     [][]int32 // of raised
}

func newLattice(phases, top int) *lattice {
	t := &lattice{phases: phases, choose: make([][]int, phases+1), levels: make([][]int32, top+1)}
	for k := range t.choose {
		t.choose[k] = make([]int, top+1)
		for s := range t.choose[k] {
			switch {
			case s == 0:
				t.choose[k][s] = 1
			case k > 0:
				t.choose[k][s] = t.choose[k][s-1] + t.choose[k-1][s]
			}
		}
	}
	for l := range t.levels {
		t.levels[l] = t.list(l)
	}
	return t
}

// size returns the number of occupancies of l jobs, C(l+m−1, m−1).
func (t *lattice) size(l int) int { return t.choose[t.phases][l] }

func (t *lattice) list(l int) []int32 {
	all := make([]int32, 0, t.size(l)*t.phases)
	n := make([]int32, t.phases)
	var place func(j, left int)
	place = func(j, left int) {
		if j == t.phases-1 {
			n[j] = int32(left)
			all = append(all, n...)
			return
		}
		for k := left; k >= 0; k-- {
			n[j] = int32(k)
			place(j+1, left-k)
		}
	}
	place(0, l)
	return all
}

// at returns the i-th occupancy of l jobs.
func (t *lattice) at(l, i int) []int32 { return t.levels[l][i*t.phases : (i+1)*t.phases] }

// index returns the place of occupancy n among those of its number of jobs.
func (t *lattice) index(n []int32) int {
	left := 0
	for _, k := range n {
		left += int(k)
	}
	place := 0
	for j, k := range n[:t.phases-1] {
		// those with a larger n_j come first: what remains goes into the phases after j
		if more := left - int(k); more > 0 {
			place += t.choose[t.phases-j][more-1]
		}
		left -= int(k)
	}
	return place
}

// local returns the rates at which the occupancies of l jobs change while none leaves; s is the subgenerator of the
// service.
func (t *lattice) local(l int, s matrix) *sparse {
	k := t.size(l)
	b := newSparse(k, k, k*t.phases)
	n := make([]int32, t.phases)
	for i := range k {
		copy(n, t.at(l, i))
		for from := range t.phases {
			for to := range t.phases {
				if r := s.at(from, to); to != from && n[from] > 0 && r > 0 {
					b.add(t.moved(n, from, to), float64(n[from])*r)
				}
			}
		}
		b.endRow()
	}
	return &b.sparse
}

// moved returns the place of n with one job moved.
func (t *lattice) moved(n []int32, from, to int) int {
	n[from]--
	n[to]++
	i := t.index(n)
	n[from]++
	n[to]--
	return i
}

// leave returns the rates from l jobs to l−1.
func (t *lattice) leave(l int, exit []float64) *sparse {
	k := t.size(l)
	b := newSparse(k, t.size(l-1), k*t.phases)
	n := make([]int32, t.phases)
	for i := range k {
		copy(n, t.at(l, i))
		for j, e := range exit {
			if n[j] > 0 && e > 0 {
				n[j]--
				b.add(t.index(n), float64(n[j]+1)*e)
				n[j]++
			}
		}
		b.endRow()
	}
	return &b.sparse
}

// join returns the probabilities from l jobs to l+1 when one joins in a phase drawn from beta.
func (t *lattice) join(l int, beta []float64) *sparse {
	k := t.size(l)
	b := newSparse(k, t.size(l+1), k*t.phases)
	n := make([]int32, t.phases)
	for i := range k {
		copy(n, t.at(l, i))
		for j, p := range beta {
			if p > 0 {
				n[j]++
				b.add(t.index(n), p)
				n[j]--
			}
		}
		b.endRow()
	}
	return &b.sparse
}

// redraw returns the probabilities by which l jobs are found again when each draws its phase anew, from the row of phi
// that belongs to its present one.
func (t *lattice) redraw(l int, phi matrix) *sparse {
	k := t.size(l)
	b := newSparse(k, k, k*k)
	for i := range k {
		dist := []float64{1} // over the occupancies of the jobs drawn so far
		drawn := 0
		for j, count := range t.at(l, i) {
			for range count {
				next := make([]float64, t.size(drawn+1))
				one := t.join(drawn, phi.row(j))
				one.kronLeft(next, dist, 1)
				dist, drawn = next, drawn+1
			}
		}
		for c, p := range dist {
			b.add(c, p)
		}
		b.endRow()
	}
	return &b.sparse
}

// times returns s·b.
func (s *sparse) times(b *sparse) *sparse {
	out := newSparse(s.rows, b.cols, len(s.val))
	sum := make([]float64, b.cols)
	for i := range s.rows {
		clear(sum)
		cols, vals := s.row(i)
		for e, j := range cols {
			bc, bv := b.row(int(j))
			for f, c := range bc {
				sum[c] += vals[e] * bv[f]
			}
		}
		for c, v := range sum {
			out.add(c, v)
		}
		out.endRow()
	}
	return &out.sparse
}
