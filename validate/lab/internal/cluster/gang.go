package cluster

import "slices"

// gang is the Ousterhout matrix: a row for each process that a node may have, a column for each node.
type gang struct {
	rows     [][]int32 // jobs, or none
	jobs     int       // in the matrix
	row      int
	boundary int64   // when the next row's turn comes
	assigned []int32 // job of each node in this quantum
	next     []int32
}

// newGang returns an empty matrix for the nodes of a cluster, with a row for each process that a node may have.
func newGang(c *Config) *gang {
	empty := slices.Repeat([]int32{none}, c.Nodes)
	g := &gang{boundary: never, assigned: slices.Clone(empty), next: slices.Clone(empty)}
	for range c.MPL {
		g.rows = append(g.rows, slices.Clone(empty))
	}
	return g
}

// place gives a job the lowest free columns of the first row that has enough; it returns false if none has.
func (g *gang) place(r *run, number int) bool {
	j := &r.jobs[number]
	for row, cells := range g.rows {
		room := 0
		for _, of := range cells {
			if of == none {
				room++
			}
		}
		if room < j.Nodes {
			continue
		}
		j.row = row
		for i := 0; len(j.processes) < j.Nodes; i++ {
			if cells[i] == none {
				cells[i] = int32(number)
				j.processes = append(j.processes, int32(i*r.MPL+row))
			}
		}
		if g.jobs == 0 { // a matrix that was empty does not wait for the end of the quantum
			g.boundary, r.global = r.now, r.now
		}
		g.jobs++
		return true
	}
	return false
}

// free empties the cells of the matrix that a job had, when the job has ended.
func (g *gang) free(j *job) {
	g.jobs--
	for _, id := range j.processes {
		g.rows[j.row][int(id)/len(g.rows)] = none
	}
}

// nextRow gives the nodes to the next row that is not empty. Nodes that this row leaves idle go to jobs of later rows that fit
// there.
func (r *run) nextRow() {
	g := r.gang
	if g.jobs == 0 {
		g.boundary = never
		for i := range r.nodes {
			r.switchGang(i, none)
		}
		return
	}
	row := g.following()
	g.assign(r, row)
	changed := row != g.row || !slices.Equal(g.next, g.assigned)
	g.row = row
	g.boundary = r.now + int64(r.Costs.GangQuantum)
	if !changed {
		return
	}
	g.boundary += int64(r.Costs.GangSwitch)
	for i := range r.nodes {
		r.switchGang(i, g.next[i])
	}
}

// following returns the next row, in turn, that is not empty; some row is not.
func (g *gang) following() int {
	row := (g.row + 1) % len(g.rows)
	for !slices.ContainsFunc(g.rows[row], func(of int32) bool { return of != none }) {
		row = (row + 1) % len(g.rows)
	}
	return row
}

// assign sets g.next, the job of each node in the next quantum, when it is the turn of a row. Nodes that the row leaves idle
// go to jobs of the rows behind it, if all nodes of such a job are idle.
func (g *gang) assign(r *run, row int) {
	copy(g.next, g.rows[row])
	for k := 1; k < len(g.rows); k++ {
		for i, number := range g.rows[(row+k)%len(g.rows)] {
			if number == none || g.next[i] != none {
				continue
			}
			nodes := r.jobs[number].processes
			if slices.ContainsFunc(nodes, func(id int32) bool { return g.next[int(id)/len(g.rows)] != none }) {
				continue
			}
			for _, id := range nodes {
				g.next[int(id)/len(g.rows)] = number
			}
		}
	}
}

// switchGang gives node i to the process of a job for the next quantum, or leaves it idle if the job is none. The switch
// takes time of the processor.
func (r *run) switchGang(i int, number int32) {
	n := &r.nodes[i]
	r.gang.assigned[i] = number
	if n.current != none {
		r.release(n)
	}
	r.vacate(n)
	if number != none || r.gang.boundary != never {
		r.charge(n, r.Costs.GangSwitch, switching)
	}
	if number != none {
		if p := &r.processes[i*r.MPL+r.jobs[number].row]; p.used && p.job == number {
			n.current = p.id
			p.since = n.clock(r.now)
			r.resume(n, p)
		}
	}
	r.touch(int32(i))
}
