package models

import "gonum.org/v1/gonum/mat"

// countWidth is the number of bytes of a count of jobs in a phase, the higher byte first. The counts of all phases are kept as a
// string, which can be compared and be a key. Strings of counts then sort like the counts. Each count is at most 65,535.
const countWidth = 2

// noCounts returns the numbers for no jobs in so many phases.
func noCounts(phases int) string { return string(make([]byte, countWidth*phases)) }

// countPhases returns the number of phases.
func countPhases(s string) int { return len(s) / countWidth }

// countAt returns the number of jobs in a phase.
func countAt(s string, j int) int { return int(s[countWidth*j])<<8 | int(s[countWidth*j+1]) }

// countTotal returns the number of jobs in all phases.
func countTotal(s string) int {
	n := 0
	for j := range countPhases(s) {
		n += countAt(s, j)
	}
	return n
}

// countChanged returns the numbers after a change of the number of jobs in a phase.
func countChanged(s string, j, by int) string {
	n := countAt(s, j) + by
	b := []byte(s)
	b[countWidth*j], b[countWidth*j+1] = byte(n>>8), byte(n)
	return string(b)
}

// eachMappedCount calls add for all numbers of jobs by phase that may follow when each job draws a new phase, with their probabilities. A job
// draws from the row of phi of its present phase. If phi is nil, phases are kept.
func eachMappedCount(jobs string, phi *mat.Dense, add func(jobs string, p float64)) {
	if phi == nil {
		add(jobs, 1)
		return
	}
	var draw func(from, to string, p float64)
	draw = func(from, to string, p float64) {
		for j := range countPhases(from) {
			if countAt(from, j) == 0 {
				continue
			}
			for k := range countPhases(to) {
				if v := phi.At(j, k); v > 0 {
					draw(countChanged(from, j, -1), countChanged(to, k, 1), p*v)
				}
			}
			return
		}
		add(to, p)
	}
	draw(jobs, noCounts(countPhases(jobs)), 1)
}
