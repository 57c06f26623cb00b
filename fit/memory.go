package fit

import (
	"fmt"

	"github.com/partwise/partwise/markov/parallel"
)

// bytesPerValue is the memory for each observation: its points, their order and the empirical distribution.
const bytesPerValue = 150

// bytesPerAscent returns the bytes that an ascent of arrivals with so many phases holds for every time. These are a
// density, a mean and a forward probability of each branch, a scale and a bin. There are at most as many branches as
// phases.
func bytesPerAscent(phases int) float64 { return 8 * (3*float64(phases) + 2) }

// forSample returns the options with defaults, and with as many workers as fit into the memory. Each worker holds
// perAscent bytes for every value of the sample. The error is a *[SampleError] or an *[OptionError], or it wraps a
// *[parallel.LimitError].
func (o Options) forSample(s Sample, perAscent float64) (Options, error) {
	if err := s.check(); err != nil {
		return o, err
	}
	o, err := o.withDefaults()
	if err != nil {
		return o, err
	}
	n := float64(len(s.Values))
	return o.within(bytesPerValue*n, perAscent*n)
}

// within returns the options with at most as many workers as fit into Memory, each with perWorker bytes besides the
// shared bytes. If perWorker is 0, the number of workers stays. The error wraps a *[parallel.LimitError] if not even one
// worker fits.
func (o Options) within(shared, perWorker float64) (Options, error) {
	if err := checkMemory(shared+perWorker, o.Memory); err != nil {
		return o, err
	}
	if perWorker > 0 {
		o.Workers = int(min(float64(o.Workers), (float64(o.Memory)-shared)/perWorker))
	}
	return o, nil
}

// checkMemory returns an error that wraps a *[parallel.LimitError] if a fit takes more than limit. Both are in bytes.
// If limit is 0, it is [parallel.DefaultMemory].
func checkMemory(takes float64, limit int64) error {
	if err := parallel.Check("the fit", parallel.Memory, takes, float64(limit)); err != nil {
		return fmt.Errorf("fit: %w", err)
	}
	return nil
}
