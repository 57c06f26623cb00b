package testbed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/sched"
)

// System is another system than a [Machine] that resizes jobs. Start starts a job and returns when it runs.
type System interface {
	Start(ctx context.Context, nodes int) (SystemJob, error)
}

// SystemJob is a job that runs. Several jobs are resized at once.
type SystemJob interface {
	// Resize gives the job other nodes and returns when it runs on them. Of the steps it says what it can tell of
	// Data, Start and Bytes.
	Resize(ctx context.Context, nodes int) (Reconfiguration, error)
	// Nodes returns how many nodes the job has.
	Nodes(ctx context.Context) (int, error)
	// End ends the job and returns when its nodes are free.
	End(ctx context.Context) error
}

// Transitions measures what dynamic equi-partitioning costs on a system: so many times, jobs come one by one, until there
// are as many as nodes, and are ended one by one, in random order. The pause is between two repartitions, for what a system
// does after it has answered. The transitions are those of [Machine.Transitions].
//
// A repartition begins with the command that resizes or ends the first job, and ends when all jobs run. Jobs are resized
// all at once. Data, of a repartition, is that of the job that was resized last; Start is that of this job, and how long the
// new job took to start; Notify is the rest: until those resized, and the one that left, have given up their nodes, and
// all that the system takes to pass on commands and answers.
func Transitions(ctx context.Context, s System, nodes, times int, pause time.Duration, seed des.Key) ([]Transition, error) {
	m := &meter{System: s, all: noTransitions(nodes), nodes: nodes, pause: pause, began: time.Now()}
	random := seed.Stream()
	for range times {
		if err := m.round(ctx, &random); err != nil {
			for _, j := range m.jobs {
				j.End(ctx)
			}
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return nil, err
		}
	}
	return m.all, nil
}

// noTransitions returns the transitions of a machine without samples: by arrivals to 1, 2, …, N jobs, by departures to
// N−1, …, 1.
func noTransitions(nodes int) []Transition {
	all := make([]Transition, 2*nodes-1)
	for i := range nodes {
		all[i] = Transition{Why: Arrival, Running: i + 1}
	}
	for i := range nodes - 1 {
		all[nodes+i] = Transition{Why: Departure, Running: nodes - 1 - i}
	}
	return all
}

// meter measures the repartitions of a system.
type meter struct {
	System
	all   []Transition
	nodes int
	pause time.Duration
	began time.Time
	jobs  []SystemJob // in the order of their starts
	sizes []int       // theirs
}

// round lets jobs come until there are as many as nodes, and go.
func (m *meter) round(ctx context.Context, random *des.Stream) error {
	for step := range 2 * m.nodes {
		var err error
		if step < m.nodes {
			err = m.arrival(ctx)
		} else {
			err = m.departure(ctx, int(random.Float64()*float64(len(m.jobs))))
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(m.pause):
		}
	}
	return nil
}

// arrival starts a job on the nodes that the others give up.
func (m *meter) arrival(ctx context.Context) error {
	sizes := append(slices.Clone(m.sizes), 0)
	sched.EquiPartition(sizes, m.nodes)
	at := time.Now()
	r, err := m.resize(ctx, sizes[:len(m.sizes)])
	if err != nil {
		return err
	}
	resized := time.Now()
	job, err := m.Start(ctx, sizes[len(m.sizes)])
	if err != nil {
		return err
	}
	m.jobs = append(m.jobs, job)
	r.Start += time.Since(resized).Seconds()
	r.Why, r.Started = Arrival, 1
	r.Moved += sizes[len(m.sizes)]
	return m.note(ctx, at, r, sizes)
}

// departure ends the k-th of the jobs, whose nodes the others get. That of the last one is none.
func (m *meter) departure(ctx context.Context, k int) error {
	job := m.jobs[k]
	m.jobs, m.sizes = slices.Delete(m.jobs, k, k+1), slices.Delete(m.sizes, k, k+1)
	sizes := slices.Clone(m.sizes)
	sched.EquiPartition(sizes, m.nodes)
	at := time.Now()
	if err := job.End(ctx); err != nil {
		return err
	}
	r, err := m.resize(ctx, sizes)
	if err != nil || len(sizes) == 0 {
		return err
	}
	r.Why = Departure
	for i, n := range sizes {
		r.Moved += n - m.sizes[i]
	}
	return m.note(ctx, at, r, sizes)
}

// resize gives the jobs their new sizes, and returns the steps of the one that was last.
func (m *meter) resize(ctx context.Context, sizes []int) (r Reconfiguration, err error) {
	var changed []int
	for k, n := range sizes {
		if n != m.sizes[k] {
			changed = append(changed, k)
		}
	}
	type resized struct {
		Reconfiguration
		end time.Time
	}
	all, err := parallel.Grid(ctx, 1, len(changed), max(1, len(changed)), nil, func(_, i int) (resized, error) {
		one, err := m.jobs[changed[i]].Resize(ctx, sizes[changed[i]])
		return resized{one, time.Now()}, err
	})
	var last resized
	for _, one := range all[0] {
		r.Resized++
		r.Bytes += one.Bytes
		if one.end.After(last.end) {
			last = one
		}
	}
	r.Data, r.Start = last.Data, last.Start
	return r, err
}

// note enters a repartition that has ended, when it is sure that jobs have the nodes that they are to have.
func (m *meter) note(ctx context.Context, at time.Time, r Reconfiguration, sizes []int) error {
	r.Notify = time.Since(at).Seconds() - r.Data - r.Start
	r.At, r.Running = at.Sub(m.began).Seconds(), len(sizes)
	for k, n := range sizes {
		has, err := m.jobs[k].Nodes(ctx)
		if err != nil {
			return err
		}
		if has != n {
			return fmt.Errorf("testbed: job %d has %d nodes after a repartition, not %d", k, has, n)
		}
	}
	m.sizes = sizes
	t := &m.all[r.Running-1]
	if r.Why == Departure {
		t = &m.all[2*m.nodes-1-r.Running]
	}
	t.Samples = append(t.Samples, r)
	return nil
}

// MissingError says which programs a system needs that are not installed.
type MissingError struct {
	System   string
	Programs []string
	Remedy   string
}

// Error says what is missing.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s: not installed: %s", e.System, strings.Join(e.Programs, ", "))
}

// Installed returns a [MissingError] unless all programs that a system needs are in the path of executables or where
// daemons are.
func Installed(system, remedy string, programs ...string) error {
	var missing []string
	for _, p := range programs {
		_, err := exec.LookPath(p)
		for _, directory := range []string{"/usr/sbin", "/sbin"} {
			if info, e := os.Stat(filepath.Join(directory, p)); errors.Is(err, exec.ErrNotFound) && e == nil && !info.IsDir() {
				err = nil
			}
		}
		if err != nil {
			missing = append(missing, p)
		}
	}
	if missing != nil {
		return &MissingError{system, missing, remedy}
	}
	return nil
}
