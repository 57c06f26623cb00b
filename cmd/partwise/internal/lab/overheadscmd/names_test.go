package overheadscmd

// Names returns the names of the steps, and which of them are steps of applications.
func Names() ([]string, []int) { return names[:], ofApplications }
