// This file keeps the numbers of jobs in the phases of their service times as texts, which can be compared and be keys.

package models

// width is the bytes of a number, the higher first: texts are in the order of their numbers, each of which is at most 65,535.
const width = 2

// noCounts returns those of no jobs in so many phases.
func noCounts(phases int) string { return string(make([]byte, width*phases)) }

// countPhases returns how many there are.
func countPhases(s string) int { return len(s) / width }

// countAt returns the jobs in a phase.
func countAt(s string, j int) int { return int(s[width*j])<<8 | int(s[width*j+1]) }

// countTotal returns the jobs in all phases.
func countTotal(s string) int {
	n := 0
	for j := range countPhases(s) {
		n += countAt(s, j)
	}
	return n
}

// countChanged returns the numbers with more or fewer jobs in a phase.
func countChanged(s string, j, by int) string {
	n := countAt(s, j) + by
	b := []byte(s)
	b[width*j], b[width*j+1] = byte(n>>8), byte(n)
	return string(b)
}
