package logtext

import (
	"math"
	"strconv"
)

// IsUnknown reports whether a field of a log is empty, or holds a word for a missing value, such as Unknown, N/A, NaN or -.
func IsUnknown(text []byte) bool {
	switch string(text) {
	case "", "Unknown", "None", "N/A", "None assigned", "unknown", "none", "null", "NULL", "NaN", "nan", "INVALID",
		"NaT", "<NA>", "NA", `\N`, "-": // of pandas, databases and people
		return true
	}
	return false
}

// IsUnlimited reports whether the limit of a run time is UNLIMITED or a similar word, or the limit of a partition, which a log
// does not give.
func IsUnlimited(text []byte) bool {
	switch string(text) {
	case "UNLIMITED", "Partition_Limit", "INFINITE", "unlimited":
		return true
	}
	return false
}

// Count returns the whole number that a field holds: 4096 for 4096, 4,096, 4096.0 and 4K. It returns 0 for an unknown field, see
// [IsUnknown]. ok is false if the field is no whole number, or if the number is 2³² − 1 or larger.
func Count(text []byte) (n uint32, ok bool) {
	if IsUnknown(text) {
		return 0, true
	}
	n, rest, ok := LeadingNumber(text)
	switch {
	case !ok:
		return 0, false
	case len(rest) == 0:
		return n, true
	case string(rest) == "K" && n < 1<<20:
		return n << 10, true
	case string(rest) == ".0" || string(rest) == ".00": // of programs that take all numbers for fractions
		return n, true
	}
	plain, _ := Plain(string(text), '.')
	x, err := strconv.ParseUint(plain, 10, 32)
	return uint32(x), err == nil && x < math.MaxUint32
}
