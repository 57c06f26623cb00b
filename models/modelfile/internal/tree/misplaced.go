package tree

import (
	"fmt"
	"github.com/partwise/partwise/models/words"
	"slices"
)

// sections are the keys of a model that hold a field which one may look for, or set, at the top.
var sections = map[string]string{"nodes": "machine", "min_nodes": "machine", "load": "arrivals", "rate": "arrivals",
	"interarrival": "arrivals", "demand": "jobs", "speedup": "jobs", "service": "jobs", "classes": "jobs", "stops": "dynamic",
	"overhead": "dynamic", "shrink": "dynamic", "expand": "dynamic", "setup": "static"}

// suggest returns a remedy for an unknown key: the section of a model that the key belongs to, the distribution that may have the
// key as a parameter, or the nearest known key.
func (c *Cursor) suggest(key string, known []string) string {
	if section := sections[key]; c.up == nil && slices.Contains(known, section) {
		return fmt.Sprintf("did you mean %q?", section+"."+key)
	}
	if (key == "mean" || key == "scv") && slices.Contains(known, "moments") {
		return "name the distribution, as in {exponential: {mean: 30}} or {moments: {mean: 30, scv: 2}}"
	}
	return words.Suggest(key, known)
}
