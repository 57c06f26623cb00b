package models

import (
	"context"
	"errors"
	"sync"

	"github.com/partwise/partwise/markov"
)

// responseTimes are the distributions of the response time of all jobs and of the jobs of each class under dynamic
// equi-partitioning. Each distribution is computed when it is first needed. The machine without a tagged job is solved
// once. With classes, the distribution for all jobs is the mixture of the distributions of the classes. Only jobs of
// the classes are then followed:
//
//	F(s) = Σ_k share_k·F_k(s).
//
// All transforms are inverted in windows of the same lengths, and the values F_k(s) are stored. F then needs few values
// F_k(s) besides the stored values. Two classes take half the time of following a job three times. The methods are safe
// for concurrent use.
type responseTimes struct {
	*dep
	memory *markov.Memory

	mu       sync.Mutex
	machine  *untagged
	followed map[string]*sampled // by class
}

// sampled is a transform whose values are stored.
type sampled struct {
	*response
	mu    sync.Mutex
	known map[complex128]complex128
}

// of returns the distribution of the response time of the jobs of a class, or of all jobs if class is empty.
// [dep.responseTime] describes the errors.
func (t *responseTimes) of(ctx context.Context, class string) (*response, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.machine == nil {
		var err error
		if t.machine, err = t.untagged(ctx, t.memory); err != nil {
			return nil, err
		}
		t.followed = map[string]*sampled{}
	}
	if len(t.arriving()) > 1 && class == "" {
		r, err := t.ofAnyClass(ctx)
		if !errors.Is(err, markov.ErrTooLarge) { // the jobs of one class may need more work than any job
			return r, err
		}
	}
	x, err := t.sampled(ctx, class)
	if err != nil {
		return nil, err
	}
	r := *x.response
	return &r, r.invert(ctx, t.window(), x.at)
}

// window returns the mean response time of all jobs, which sets the windows of all inversions.
func (t *responseTimes) window() float64 {
	all, _ := t.classNamed("") // cannot fail without a name
	return t.machine.meanTime(all)
}

// ofAnyClass returns the distribution of the response time of all jobs, as the mixture of the distributions of the
// classes. [dep.responseTime] describes the errors.
func (t *responseTimes) ofAnyClass(ctx context.Context) (*response, error) {
	r := &response{untagged: t.machine, meanTime: t.window()}
	var classes []*sampled
	for _, c := range t.arriving() {
		x, err := t.sampled(ctx, c.Name)
		if err != nil {
			return nil, err
		}
		classes = append(classes, x)
		r.behindError += c.share * x.behindError
		r.waitError = max(r.waitError, x.waitError)
	}
	return r, r.invert(ctx, r.meanTime, func(ctx context.Context, s complex128) (sum complex128, err error) {
		for _, x := range classes {
			v, err := x.at(ctx, s)
			if err != nil {
				return 0, err
			}
			sum += complex(x.of.share, 0) * v
		}
		return sum, nil
	})
}

// sampled returns the transform of the response time of the jobs of a class, or of all jobs if class is empty. Later calls
// return the same transform. [dep.responseTime] describes the errors.
func (t *responseTimes) sampled(ctx context.Context, class string) (*sampled, error) {
	if x := t.followed[class]; x != nil {
		return x, nil
	}
	r, err := t.machine.follow(ctx, class, t.memory)
	if err != nil {
		return nil, err
	}
	x := &sampled{response: r, known: map[complex128]complex128{}}
	t.followed[class] = x
	return x, nil
}

// at returns the transform at s, computed at the first call for s.
func (x *sampled) at(ctx context.Context, s complex128) (complex128, error) {
	x.mu.Lock()
	v, ok := x.known[s]
	x.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := x.response.at(ctx, s)
	if err != nil {
		return 0, err
	}
	x.mu.Lock()
	x.known[s] = v
	x.mu.Unlock()
	return v, nil
}
