package fit

import "fmt"

// bytesPerValue is the memory for each observation: its points, their order and the empirical distribution.
const bytesPerValue = 150

// bytesPerAscent returns the bytes that an ascent of arrivals with so many phases holds for every time. These are a
// density, a mean and a forward probability of each branch, and two scales. There are at most as many branches as
// phases.
func bytesPerAscent(phases int) float64 { return 8 * (3*float64(phases) + 2) }

// forSample returns the options with defaults, and with as many workers as fit into the memory. Each worker holds
// perAscent bytes for every value of the sample. The error is a *[SampleError] or an *[OptionError].
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
// shared bytes. If perWorker is 0, the number of workers stays. The error is an *[OptionError] if not even one worker
// fits.
func (o Options) within(shared, perWorker float64) (Options, error) {
	limit := float64(o.Memory)
	if need := shared + perWorker; need > limit {
		return o, &OptionError{"memory", fmt.Sprintf("the fit takes some %.3g MiB, the limit is %.3g MiB",
			need/(1<<20), limit/(1<<20))}
	}
	if perWorker > 0 {
		o.Workers = int(min(float64(o.Workers), (limit-shared)/perWorker))
	}
	return o, nil
}
