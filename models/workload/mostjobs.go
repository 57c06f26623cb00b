package workload

// mostKept is how many values, timestamps or jobs of a file are kept in memory if nothing else is said.
const mostKept = 10_000_000

// MostJobs is the number of jobs of a log that are kept in memory, or made by a model of jobs, if the caller sets no other limit.
// They take some 4 GB.
const MostJobs = 4_000_000
