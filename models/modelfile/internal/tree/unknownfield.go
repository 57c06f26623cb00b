package tree

import (
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
)

// sections are the keys of a model that hold a field which one may look for, or set, at the top.
var sections = map[string]string{"nodes": "machine", "min_nodes": "machine", "load": "arrivals", "rate": "arrivals",
	"interarrival": "arrivals", "demand": "jobs", "speedup": "jobs", "service": "jobs", "classes": "jobs", "stops": "dynamic",
	"overhead": "dynamic", "shrink": "dynamic", "expand": "dynamic", "setup": "static"}

// otherNames are the names that other programs have for keys.
var otherNames = map[string]string{"service_time": "demand", "runtime": "demand", "run_time": "demand", "size": "demand",
	"exp": "exponential", "hyper": "hyperexponential", "ph": "phase_type", "setup_time": "setup", "cost": "overhead",
	"resize_cost": "overhead"}

// suggest returns a remedy for an unknown key. It is a blank that is missing, or a point in place of a decimal comma. It may be
// the section of a model that the key belongs to, the distribution that may have the key as a parameter, or the nearest known
// key.
func (c *Cursor) suggest(e Entry, known []string) string {
	key := e.Key.Value
	if remedy := blankRemedy(key, known); remedy != "" {
		return remedy
	}
	if e.Value.Kind == Null && isFraction(key) {
		return "write a decimal point: a comma ends the value, as in mean: 1.5h"
	}
	if section := sections[key]; c.up == nil && slices.Contains(known, section) {
		return fmt.Sprintf("did you mean %q?", section+"."+key)
	}
	meant := strings.ToLower(otherNames[strings.ToLower(key)])
	switch {
	case slices.Contains(known, meant):
		return fmt.Sprintf("did you mean %q?", meant)
	case (key == "policy" || key == "policies") && c.up == nil:
		return "give each policy its own flag, as in --policy dynamic --policy static:4"
	case (key == "mean" || key == "scv") && slices.Contains(known, "moments"):
		return "name the distribution, as in {exponential: {mean: 30}} or {moments: {mean: 30, scv: 2}}"
	case key == "gpus_per_node" || key == "gpus":
		return "a model has nodes only; partwise advise --systems DIR --gpus-per-node 8 writes files for nodes with GPUs"
	case key == "cv" && slices.Contains(known, "scv"):
		return variationRemedy(e.Value)
	case slices.Contains(known, "moments"):
		if remedy := distributionRemedy(key); remedy != "" {
			return remedy
		}
	case slices.Contains(known, "stops") || c.up == nil:
		rule := []string{"cooldown", "cap", "hysteresis"}
		if parameter, ok := words.Nearest(key, rule); ok {
			return fmt.Sprintf("%s is a parameter of a rule, not of a model: --policy resize:%s=60; partwise advise finds the best rule",
				parameter, parameter)
		}
	}
	return words.Suggest(key, known)
}

// isFraction reports whether a text can follow a decimal comma: digits, with or without a unit of time.
func isFraction(text string) bool {
	_, isTime := measure.ParseDuration("1."+text, measure.Second())
	return strings.TrimLeft(text, "0123456789") != text && (isTime || measure.IsDecimal("1."+text))
}

// blankRemedy returns the remedy for a text such as nodes:32, whose blank is missing; "" for other texts.
func blankRemedy(text string, known []string) string {
	key, value, joined := strings.Cut(text, ":")
	if joined && value != "" && slices.Contains(known, key) {
		return fmt.Sprintf("write a blank after the colon: %s: %s", key, value)
	}
	return ""
}

// mappingRemedy returns the remedy for what should be a mapping with the known keys; "" if nobody knows.
func (c *Cursor) mappingRemedy(known []string) string {
	if remedy := blankRemedy(c.Value, known); remedy != "" {
		return remedy
	}
	_, isTime := measure.ParseDuration(c.Value, c.unit)
	for _, key := range []string{"mean", "nodes"} {
		if slices.Contains(known, key) && (c.isNumber() || isTime) {
			return fmt.Sprintf("write {%s: %s}", key, c.Value)
		}
	}
	return ""
}
