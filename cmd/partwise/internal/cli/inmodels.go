package cli

// InModels returns the path in model files that means the same as a flag of logs, or "" if model files have no such path.
func InModels(flag string) string {
	return map[string]string{"nodes": "machine.nodes", "min-nodes": "machine.min_nodes", "speedup": "jobs.speedup",
		"resize-cost": "dynamic.overhead", "stops": "dynamic.stops"}[flag]
}
