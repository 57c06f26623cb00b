package des

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The library's logarithm errs by less than one unit in the last place, of which the tolerance has four: half a unit for
// each of k·log 2, −log c and the series, their sums, and the unit of the witness.
func TestMinusLogAgainstMath(t *testing.T) {
	stream := Seed(1).Stream()
	numbers := make([]float64, 0, 200_000)
	for range 100_000 {
		numbers = append(numbers, 1-stream.Float64())
	}
	for k := range 53 { // down to the smallest number that a stream can give, and the numbers next to 1
		power := math.Ldexp(1, -k)
		numbers = append(numbers, power, 1-power/2)
		for range 500 {
			numbers = append(numbers, power*(1-stream.Float64()), 1-power*stream.Float64()/2)
		}
	}
	for i, interval := range logIntervals { // and the ends of the intervals
		low := math.Float64frombits(lowest + uint64(i)<<(52-intervalBits))
		numbers = append(numbers, low/2, math.Nextafter(low/2, 0), interval.c/2)
	}
	for _, x := range numbers {
		got, want := minusLog(x), -math.Log(x)
		if math.Abs(got-want) > 4*0x1p-52*want {
			t.Errorf("−log %v = %v, not %v", x, got, want)
		}
	}
}

// The numbers of a stream are those of math/rand/v2.
func TestStreams(t *testing.T) {
	key := Seed(3).At(5)
	stream, witness := key.Stream(), rand.NewPCG(key.hi, key.lo)
	for i := range 1000 {
		u := float64(witness.Uint64()>>11) * 0x1p-53
		draw := stream.Float64
		if i%3 == 1 {
			draw, u = stream.Exp, exponentialOf(u)
		}
		if x := draw(); x != u {
			t.Fatalf("number %d: %v of the stream, want %v", i, x, u)
		}
	}
}

var sink float64

func BenchmarkExp(b *testing.B) {
	stream := Seed(1).Stream()
	for b.Loop() {
		sink += stream.Exp()
	}
}
