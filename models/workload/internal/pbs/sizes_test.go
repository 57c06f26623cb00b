package pbs

import (
	"testing"
)

// TestDamagedSizes: numbers and sums of damaged lists that no machine has count as [TooMany]; none is what is left of it in 32 bits.
func TestDamagedSizes(t *testing.T) {
	for _, c := range []struct {
		name string
		got  Amounts
		want Amounts
	}{
		{"chunks", Chunks([]byte("2:ppn=8:gpus=1+node7:ppn=4")), Amounts{3, 20, 2}},
		{"product", Chunks([]byte("65536:ncpus=65537")), Amounts{65536, TooMany, 0}},
		{"sum of chunks", Chunks([]byte("4294967294+4")), Amounts{TooMany, TooMany, 0}},
		{"long number", Chunks([]byte("10000000000000:ppn=2")), Amounts{TooMany, TooMany, 0}},
		{"long resource", Chunks([]byte("1:ncpus=10000000000008:ngpus=1")), Amounts{1, TooMany, 1}},
		{"places", Hosts([]byte("n1/0-4294967293+n2/0-3")), Amounts{2, TooMany, 0}},
		{"many on a host", Hosts([]byte("n1/0*10000000000008")), Amounts{1, TooMany, 0}},
		{"virtual nodes", Vnodes([]byte("(a:ncpus=4294967294)+(b:ncpus=4)")), Amounts{2, TooMany, 0}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}
