package decide_test

import "testing"

// BenchmarkSample draws a log of a thousand jobs again, fits its times and works, and solves two policies.
func BenchmarkSample(b *testing.B) {
	path := synthetic(b, b.TempDir(), 1, 1000)
	if _, _, err := run(b.Context(), path, max(2, b.N), 1); err != nil {
		b.Fatal(err)
	}
}
