package overheads

// Environment is a machine on which the steps have certain costs, in seconds.
type Environment struct {
	Name  string
	Title string
	Steps Steps
}

// Environments returns the two environments of IPS96: a network of workstations with 62 MIPS processors on a token ring
// of 16 Mbit/s, and an IBM SP2 with 133 MIPS processors. The costs stand in for measurements.
func Environments() []Environment {
	return []Environment{
		{"now", "network of workstations", Steps{Message: 0.02, Kill: 0.1, Update: 0.02, Launch: 0.2, Boot: 0.1, Phase: 0.8,
			Checkpoint: 0.1, Connect: 1, Congestion: 0.15, Assign: 0.05}},
		{"sp2", "IBM SP2", Steps{Message: 0.005, Kill: 0.03, Update: 0.01, Launch: 0.08, Boot: 0.05, Phase: 0.35, Checkpoint: 0.04,
			Connect: 0.35, Congestion: 0.12, Assign: 0.02}},
	}
}
