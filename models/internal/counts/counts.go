// Package counts keeps the numbers of jobs in the phases of their service times as strings, which can be compared and be keys.
package counts

import "gonum.org/v1/gonum/mat"

// width is the number of bytes of a number, the higher byte first. Strings of numbers then sort like the numbers. Each
// number is at most 65,535.
const width = 2

// None returns the numbers for no jobs in so many phases.
func None(phases int) string { return string(make([]byte, width*phases)) }

// Phases returns the number of phases.
func Phases(s string) int { return len(s) / width }

// At returns the number of jobs in a phase.
func At(s string, j int) int { return int(s[width*j])<<8 | int(s[width*j+1]) }

// Total returns the number of jobs in all phases.
func Total(s string) int {
	n := 0
	for j := range Phases(s) {
		n += At(s, j)
	}
	return n
}

// Changed returns the numbers after a change of the number of jobs in a phase.
func Changed(s string, j, by int) string {
	n := At(s, j) + by
	b := []byte(s)
	b[width*j], b[width*j+1] = byte(n>>8), byte(n)
	return string(b)
}

// EachMapped calls add for all numbers of jobs by phase that may follow when each job draws a new phase, with their
// probabilities. A job draws from the row of phi of its present phase. If phi is nil, phases are kept.
func EachMapped(jobs string, phi *mat.Dense, add func(jobs string, p float64)) {
	if phi == nil {
		add(jobs, 1)
		return
	}
	var draw func(from, to string, p float64)
	draw = func(from, to string, p float64) {
		for j := range Phases(from) {
			if At(from, j) == 0 {
				continue
			}
			for k := range Phases(to) {
				if v := phi.At(j, k); v > 0 {
					draw(Changed(from, j, -1), Changed(to, k, 1), p*v)
				}
			}
			return
		}
		add(to, p)
	}
	draw(jobs, None(Phases(jobs)), 1)
}
