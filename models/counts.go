// This file keeps the numbers of jobs in the phases of their service times as texts, which can be compared and be keys.

package models

// width is the number of bytes of a number, the higher byte first. Strings of numbers then sort like the numbers. Each
// number is at most 65,535.
const width = 2

// noCounts returns the numbers for no jobs in so many phases.
func noCounts(phases int) string { return string(make([]byte, width*phases)) }

// countPhases returns the number of phases.
func countPhases(s string) int { return len(s) / width }

// countAt returns the number of jobs in a phase.
func countAt(s string, j int) int { return int(s[width*j])<<8 | int(s[width*j+1]) }

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
	b[width*j], b[width*j+1] = byte(n>>8), byte(n)
	return string(b)
}
