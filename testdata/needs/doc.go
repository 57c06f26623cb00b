// Package needs says what a test needs besides Go and this repository: time, a program of the system, or a job log. Each function
// skips its test, with a reason, where the need is not met:
//
//	needs.Long(t, "simulates 120 million jobs")     // without -long
//	needs.Study(t, "repeats every figure")          // without -study
//	browser := needs.Program(t, "chromium")         // where it is not installed
//	log := needs.JobLog(t, "KTH-SP2-1996-2.merged.swf.gz")
//
// A test that is for the race detector says so, too:
//
//	needs.Concurrency(t)
//
// Each reason begins with "needs", so that .ci/results can count the skipped tests by reason. [Main] prints the counts of one
// package.
package needs
