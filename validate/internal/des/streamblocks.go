package des

// block is the number of random numbers that are drawn at a time.
const block = 64

// Ahead is a [Stream] whose numbers are drawn in blocks. The numbers are the same as without blocks. A block takes less
// time than single numbers, because the processor works on several numbers of the loop at once.
type Ahead struct {
	stream       Stream
	left         uint
	uniform, exp [block]float64 // uniform numbers of the block, last first, and the exponential numbers that belong to them
}

// Ahead returns the stream that k names, at its beginning.
func (k Key) Ahead() Ahead { return Ahead{stream: k.Stream()} }

// number returns the next uniform number in [0, 1), which [Stream.Float64] would return.
func (a *Ahead) number() float64 {
	if a.left == 0 {
		a.draw()
	}
	a.left--
	return a.uniform[a.left%block]
}

// exponential returns the next exponential number of mean 1, which [Stream.Exp] would return.
func (a *Ahead) exponential() float64 {
	if a.left == 0 {
		a.draw()
	}
	a.left--
	return a.exp[a.left%block]
}

// draw overwrites the block with the next uniform numbers and the exponential numbers that belong to them. The state of
// the generator stays in registers, which halves the time of a step.
func (a *Ahead) draw() {
	s := a.stream
	for i := block - 1; i >= 0; i-- {
		s = s.next()
		a.uniform[i] = s.uniform()
	}
	a.stream, a.exp, a.left = s, a.uniform, block
	Exps(a.exp[:])
}
