package markov

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/partwise/partwise/markov/internal/reduction"
	"github.com/partwise/partwise/markov/parallel"
)

// reserve reserves the memory of a solve together with the bytes that the caller holds. byLevels is nil if regimes are
// eliminated. The error refuses a solve that takes more memory than m or more than a day, or it comes from ctx.
func (c *regimeChain) reserve(ctx context.Context, m *Memory, method reduction.Method, byLevels *levelwise, held float64) (
	release func(), err error) {
	bytes, seconds := max(held, 0)+c.readBytes(), 0.0
	if byLevels == nil {
		bytes, seconds = bytes+c.eliminationBytes(), c.operations()/operationsPerSecond
	} else {
		bytes += byLevels.bytes()
	}
	most, closed := 0, len(c.repeating(len(c.members)-1))
	for t, levels := range c.members {
		n := len(c.repeating(t))
		bytes += 6*squareBytes(n) + 8*8*float64(n)*float64(closed)
		for _, phases := range levels {
			most = max(most, len(phases))
		}
	}
	bytes += 2*squareBytes(c.count) + float64(method.Blocks)*squareBytes(most)
	if err = checkTime(seconds); err == nil {
		release, err = m.Reserve(ctx, bytes)
	}
	if err != nil {
		return nil, fmt.Errorf("%d regimes of up to %d phases, %d entries: %w", len(c.members), most, c.count, err)
	}
	return release, nil
}

// checkTime returns a *[parallel.LimitError] that wraps [ErrTooLarge] if an elimination takes more than a day,
// otherwise nil.
func checkTime(seconds float64) error {
	err := parallel.Check("the elimination", parallel.Time, seconds, 0)
	if limit := (*parallel.LimitError)(nil); errors.As(err, &limit) {
		limit.Kind = ErrTooLarge
	}
	return err
}

// squareBytes returns the bytes of a square block of order n.
func squareBytes(n int) float64 { return 8 * float64(n) * float64(n) }

// phaseBytes is what a phase takes besides its transitions, and headerBytes what a level of a regime takes besides its
// blocks. Both count headers of lists and blocks, vectors of a few numbers, and places in the lists of phases.
const phaseBytes, headerBytes = 64, 768

// readBytes returns the bytes of the transitions and of the phases.
func (c *regimeChain) readBytes() (bytes float64) {
	for _, rows := range c.rows {
		for _, row := range rows {
			bytes += phaseBytes + float64(unsafe.Sizeof(move{}))*float64(len(row))
		}
	}
	return bytes
}

// eliminationBytes returns the bytes of the factors of all regimes, and of the mean times after the starts that are
// followed at a time.
func (c *regimeChain) eliminationBytes() (bytes float64) {
	visits := 0.0
	for t, levels := range c.members {
		lower, phases, widest := 0, 0, 0
		for _, members := range levels {
			n := len(members)
			bytes += headerBytes + 8*float64(n)*float64(2*n+2*lower)
			lower, phases, widest = n, phases+n, max(widest, n)
		}
		starts := min(len(c.entries[t]), c.startsAtATime(t))
		visits = max(visits, 8*float64(starts)*float64(phases+widest))
	}
	return bytes + visits
}

// mostVisitBytes is the most bytes for the mean times of the starts that are followed at a time: 1/32 of
// [parallel.DefaultMemory], enough for 300 starts in a regime of 50,000 phases.
const mostVisitBytes = 128 << 20

// startsAtATime returns how many entries of a regime are followed at a time, at least one. Their mean times in all
// phases of the regime then take at most mostVisitBytes.
func (c *regimeChain) startsAtATime(t int) int {
	phases := 1
	for _, members := range c.members[t] {
		phases += len(members)
	}
	return max(1, mostVisitBytes/(8*phases))
}

// operationsPerSecond is about how many operations one core with AVX2 does in a second, operations with zeros included.
// It is measured on rules that solve in half a second to 95 seconds: on few levels of up to 2,277 phases, and on 5,008
// levels of up to 17.
const operationsPerSecond = 5e10

// operations returns about how many operations the elimination of all regimes takes. A level of n phases takes n³ for
// its factors. With n′ phases in the level below, it takes 2·n′·n·(n + n′) for its rates. Each entry of its regime
// takes 2·(n + n′)². The reduction of the repeating level takes 150·n³, and the distribution of N entries N³.
func (c *regimeChain) operations() (sum float64) {
	const ofReduction = 150 // a dozen steps of half a dozen products
	for t, levels := range c.members {
		lower, entries := 0., float64(len(c.entries[t]))
		for _, members := range levels {
			n := float64(len(members))
			sum += n*n*n + 2*lower*n*(n+lower) + 2*entries*(n+lower)*(n+lower)
			lower = n
		}
		sum += ofReduction * lower * lower * lower
	}
	return sum + float64(c.count)*float64(c.count)*float64(c.count)
}
