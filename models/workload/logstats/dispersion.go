package logstats

import "math"

// Dispersion says how irregularly jobs, and their work, come in windows of one length.
type Dispersion struct {
	Name    string // such as 1 day
	Window  float64
	Windows int // whole ones between the first submission and the last
	// Counts is the index of dispersion for counts, Var N/E N, of the number N of jobs in a window; 1 of a Poisson process.
	Counts float64
	// Work is the same of the work A of the jobs in a window, relative to jobs that come in a Poisson process with
	// independent works W: Var A·E W/(E A·E W²). It is what queues see: jobs that come in bursts but are small, or large
	// jobs that make others stay away, change the one and not the other.
	Work float64
}

// dispersion returns the dispersion of jobs with the given ascending submissions and the given works. The dispersion is NaN if
// there are fewer than two windows, or if the jobs have no work.
//
// Reference: D. R. Cox, P. A. W. Lewis, The Statistical Analysis of Series of Events, Methuen (1966), section 4.5.
func dispersion(submissions, works values, window float64) Dispersion {
	d := Dispersion{Window: window, Counts: math.NaN(), Work: math.NaN()}
	jobs := submissions.len()
	if jobs == 0 {
		return d
	}
	first := submissions.at(0)
	n := int((submissions.at(jobs-1) - first) / window)
	if d.Windows = n; n < 2 {
		return d
	}
	// Only windows with jobs have sums, because most windows of a long log with few jobs are empty.
	counts, sums := make([]float64, 0, min(n, jobs)), make([]float64, 0, min(n, jobs))
	var mean, square float64
	now := -1
	for i := range jobs {
		w := works.at(i)
		mean += w
		square += w * w
		b := int((submissions.at(i) - first) / window)
		if b >= n {
			continue
		}
		if b != now {
			now, counts, sums = b, append(counts, 0), append(sums, 0)
		}
		counts[len(counts)-1]++
		sums[len(sums)-1] += w
	}
	m, v := meanVariance(counts, n)
	d.Counts = v / m
	m, v = meanVariance(sums, n)
	d.Work = v / m * mean / square
	return d
}

// meanVariance returns the mean and the unbiased variance of at least two numbers: those listed, and zeros.
func meanVariance(x []float64, numbers int) (mean, variance float64) {
	n := float64(numbers)
	for _, v := range x {
		mean += v / n
	}
	variance = (n - float64(len(x))) / (n - 1) * mean * mean
	for _, v := range x {
		variance += (v - mean) * (v - mean) / (n - 1)
	}
	return mean, variance
}
