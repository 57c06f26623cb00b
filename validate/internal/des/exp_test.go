package des

import (
	"math"
	"math/rand/v2"
	"slices"
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

// What is computed four at a time is what is computed one at a time, whatever the length.
func TestExpsAreThoseOfSingleNumbers(t *testing.T) {
	stream := Seed(2).Stream()
	numbers := []float64{0, 1 - 0x1p-53, 0x1p-53, .5, .5 - 0x1p-54, 1 - math.Sqrt2/2}
	for range 10_000 {
		numbers = append(numbers, stream.Float64(), 1-stream.Float64()*0x1p-20, stream.Float64()*0x1p-20)
	}
	for _, n := range []int{0, 1, 3, 4, 7, 64, len(numbers)} {
		exps := slices.Clone(numbers[:n])
		Exps(exps)
		for i, u := range numbers[:n] {
			if math.Float64bits(exps[i]) != math.Float64bits(exponentialOf(u)) {
				t.Fatalf("%d numbers: of %v comes %v, not %v", n, u, exps[i], exponentialOf(u))
			}
		}
	}
}

// Drawn ahead or not, in whatever order uniform and exponential numbers are asked for, the numbers are the same; and
// they are those of math/rand/v2.
func TestStreams(t *testing.T) {
	key := Seed(3).At(5)
	stream, ahead, witness := key.Stream(), key.Ahead(), rand.NewPCG(key.hi, key.lo)
	for i := range 1000 {
		u := float64(witness.Uint64()>>11) * 0x1p-53
		a, b := ahead.number, stream.Float64
		if i%3 == 1 {
			a, b, u = ahead.exponential, stream.Exp, exponentialOf(u)
		}
		if x, y := a(), b(); x != u || y != u {
			t.Fatalf("number %d: %v ahead, %v of the stream, want %v", i, x, y, u)
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

func BenchmarkAhead(b *testing.B) {
	a := Seed(1).Ahead()
	for b.Loop() {
		sink += a.exponential()
	}
}
