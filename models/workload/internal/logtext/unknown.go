package logtext

import "strconv"

// IsUnknown reports whether a field of a log is empty, or says that the log does not tell it.
func IsUnknown(text []byte) bool {
	switch string(text) {
	case "", "Unknown", "None", "N/A", "None assigned", "unknown", "none", "null", "NULL", "NaN", "nan", "INVALID",
		"NaT", "<NA>", "NA", `\N`, "-": // of pandas, databases and people
		return true
	}
	return false
}

// IsUnlimited reports whether a limit is none, or that of the partition, which the log does not tell.
func IsUnlimited(text []byte) bool {
	switch string(text) {
	case "UNLIMITED", "Partition_Limit", "INFINITE", "unlimited":
		return true
	}
	return false
}

// Count reads a whole number, such as 4096, 4,096 or 4K, which is 4096.
func Count(text []byte) (uint32, bool) {
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
	x, err := strconv.ParseUint(plain, 10, 31)
	return uint32(x), err == nil
}
