//go:build !amd64

package des

const available = false

func fourExps(*float64, int, *logInterval) { panic("des: no such processor") }
