// Package counts keeps the numbers of jobs in the phases of their service times as texts, which can be compared and be keys.
package counts

// width is the bytes of a number, the higher first: texts are in the order of their numbers, each of which is at most 65,535.
const width = 2

// Of returns numbers, by phase.
func Of(jobs ...int) string {
	s := None(len(jobs))
	for j, n := range jobs {
		s = Changed(s, j, n)
	}
	return s
}

// None returns those of no jobs in so many phases.
func None(phases int) string { return string(make([]byte, width*phases)) }

// Phases returns how many there are.
func Phases(s string) int { return len(s) / width }

// At returns the jobs in a phase.
func At(s string, j int) int { return int(s[width*j])<<8 | int(s[width*j+1]) }

// Total returns the jobs in all phases.
func Total(s string) int {
	n := 0
	for j := range Phases(s) {
		n += At(s, j)
	}
	return n
}

// Changed returns the numbers with more or fewer jobs in a phase.
func Changed(s string, j, by int) string {
	n := At(s, j) + by
	b := []byte(s)
	b[width*j], b[width*j+1] = byte(n>>8), byte(n)
	return string(b)
}
