package phasetype

import "math"

// erlangTail returns the state of an Erlang distribution of k phases far above its mean, in closed form. With y = rate·x,
//
//	P(X > x) = e^(−y)·y^(k−1)/(k−1)!·s,  s = 1 + (k−1)/y + (k−1)(k−2)/y² + …,
//
// and the hazard rate is rate/s. There the probabilities of its phases are so far apart that they underflow. ok is
// false for other distributions, and above e^keepsDigits, where the general functions have all digits.
func (l *Law) erlangTail(x float64) (s state, ok bool) {
	k, y := float64(l.Dist.n), l.walk.rate*x
	if y < -keepsDigits || math.IsInf(y, 1) || !l.walk.isErlang(l.Dist.alpha) {
		return state{}, false
	}
	series, term := 0.0, 1.0
	for i := k - 1; i >= 0 && term > 0x1p-60*series; i-- {
		series += term
		term *= i / y
	}
	lg, _ := math.Lgamma(k)
	log := (k-1)*math.Log(y) - y - lg + math.Log(series)
	if log > keepsDigits {
		return state{}, false
	}
	return state{survival{log, math.Exp(log), -math.Expm1(log)}, l.walk.rate / series}, true
}

// isErlang reports whether a chain that starts with the probabilities alpha passes all its phases in order, at one rate.
func (u *uniformized) isErlang(alpha []float64) bool {
	n := len(alpha)
	if alpha[0] != 1 || len(u.jumps) != n-1 || u.leave[n-1] != 1 {
		return false
	}
	for i, m := range u.jumps {
		if m.from != i || m.to != i+1 || m.p != 1 {
			return false
		}
	}
	return true
}
