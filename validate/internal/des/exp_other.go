//go:build !amd64

package des

// available is false: there is no [fourExps] for this processor.
const available = false

// fourExps is never called on this processor.
func fourExps(*float64, int, *logInterval) { panic("des: no such processor") }
