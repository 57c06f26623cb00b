package des

// block is how many numbers are drawn at a time.
const block = 64

// Ahead is a [Stream] whose numbers are drawn a block at a time. They are those of the stream, but who asks for one does
// not wait for it: in the loop that draws them the processor works on several at once.
type Ahead struct {
	stream       Stream
	left         uint
	uniform, exp [block]float64 // two views of each step, the first to come last
}

// Ahead returns the stream that k names, at its beginning.
func (k Key) Ahead() Ahead { return Ahead{stream: k.Stream()} }

// number returns what [Stream.Float64] of the stream does.
func (a *Ahead) number() float64 {
	if a.left == 0 {
		a.draw()
	}
	a.left--
	return a.uniform[a.left%block]
}

// exponential returns what [Stream.Exp] of the stream does.
func (a *Ahead) exponential() float64 {
	if a.left == 0 {
		a.draw()
	}
	a.left--
	return a.exp[a.left%block]
}

// draw draws a block. Its state stays in registers: that halves the time of a step.
func (a *Ahead) draw() {
	s := a.stream
	for i := block - 1; i >= 0; i-- {
		s = s.next()
		a.uniform[i] = s.uniform()
	}
	a.stream, a.exp, a.left = s, a.uniform, block
	Exps(a.exp[:])
}
