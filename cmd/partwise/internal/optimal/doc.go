// Package optimal finds the best rule for resizing jobs, and how far any rule is from it: the machine of [models.Sharing] as a
// Markov decision process in continuous time. A state is the number of jobs, into how many shares the machine is divided,
// the phases of the running jobs, of the arrivals and of the repartition under way. A decision is taken after every event
// (an arrival, a departure, the end of a repartition, a change of phase): the machine stays as it is, or is divided into
// another number of shares, at least one for each job that runs, at the cost of the repartition C. What is minimised is
// the mean number of jobs, and with it, by Little's law, the mean response time.
//
//	models.System ─► process (levels 0..L, what is above them) ─► policy iteration ─► Optimum ◄─ Gaps of rules
//
// Up to L jobs every stationary policy is allowed; above, the machine is divided into the number of shares by which it
// serves fastest. So the chain above L repeats, is solved once, and nothing is cut off: the mean response time of the
// optimum is that of a policy. What a policy without this restriction might gain is bounded by a process of L jobs at
// most, where arrivals that find L are lost.
//
// References: R. A. Howard, Dynamic Programming and Markov Processes, MIT Press, 1960, for policy iteration;
// M. L. Puterman, Markov Decision Processes, Wiley, 1994, chapters 8 and 11; B. Berg, J.-P. Dorsman, M. Harchol-Balter,
// Towards optimality in parallel scheduling, Proc. ACM Meas. Anal. Comput. Syst. 1 (2018) 40, for the best policy where
// resizing is free and sizes are exponential: equal shares for all.
package optimal
