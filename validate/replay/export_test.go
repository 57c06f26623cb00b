package replay

// OfWeeks is the log of some of its weeks.
func OfWeeks(l *Log, numbers []int) (*Log, error) { return l.ofWeeks(numbers) }
