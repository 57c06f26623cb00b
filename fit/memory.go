package fit

import "fmt"

// defaultMemory is how many bytes a fit takes at most where its options name no limit.
const defaultMemory = 4 << 30

// What a fit takes for each observation: its points, their order and the empirical distribution; and, of arrivals, what
// each ascent holds of every time, the densities of up to five branches or the matrices of two states.
const (
	bytesPerValue  = 150
	bytesPerAscent = 8 * 17
)

// forSample returns the options with defaults and with as many workers as there is room for in the memory, each of which
// holds so many bytes for every observation. The error is that of the sample or of the options.
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

// within returns the options with as many workers as their memory has room for, each holding so many bytes beside those
// that all share.
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
